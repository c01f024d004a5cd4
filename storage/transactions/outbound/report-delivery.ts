import { type DeliveryState, reasonOfState } from "#/src/model/delivery.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { BreakerLimits } from "#/src/model/pause.ts";
import { findSubmission } from "../../queries/submissions.ts";
import type { Transaction } from "../../sql.ts";
import type { RecipientState } from "../../submission.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { tripBreaker } from "../../writing/breaker.ts";
import { lockRows } from "../../writing/lock-rows.ts";
import { mailOf } from "../../writing/mail.ts";
import { selectMessageEntries } from "../../writing/message-entries.ts";
import { isScheduledDue, leaveScheduled } from "../../writing/scheduled.ts";
import { closeSubmissionIfDone } from "../../writing/submissions.ts";
import { releaseDeliveries } from "../daemons/release-deliveries.ts";
import { type DeliverMessage, type Delivery, deliverMessage } from "../mail/deliver-message.ts";

export interface ReportedOutcome {
  /** Of the recipient. */
  readonly number: number;
  readonly state: "relayed" | "delivered" | "deferred" | "failed" | "cancelled";
  /** RFC 3463. */
  readonly status: string;
  readonly host: string | null;
  /** The words of another server; kept for notifications, never told in events. */
  readonly reply: string | null;
  /** Of what is deferred. */
  readonly nextAttemptAt: number;
  /** The address is to get no more mail of this account. */
  readonly isSuppressed: boolean;
}

export interface ReportDelivery {
  readonly agent: AgentNumber;
  readonly submission: number;
  readonly outcomes: readonly ReportedOutcome[];
  /** What is deferred is told now, of each recipient once. */
  readonly isDelayTold: boolean;
  /** What is stored with it: the message in mailboxes of this server, a notification to the sender. Its recipients of this
   *  report have to be those that were still waiting. */
  readonly letters: readonly DeliverMessage[];
  /** Under which the delivery was tried: it ends with this report. */
  readonly claim?: { readonly daemon: string; readonly domain: string } | undefined;
  /** When the sender is stopped; null: never. */
  readonly breaker: BreakerLimits | null;
  /** It is told of scheduled mail whose time has come: of mail that was taken back or put off meanwhile nothing is told. */
  readonly isOfDue?: true;
  readonly at: number;
}

export interface DeliveryReport {
  /** Nothing more is tried. */
  readonly isClosed: boolean;
  /** So much of the sender's mail has failed that it was stopped from sending. */
  readonly hasPaused: boolean;
  readonly deliveries: readonly Delivery[];
}

interface SubmissionState {
  readonly account: AccountNumber;
  readonly message: MessageNumber;
  readonly closedAt: number | null;
  /** 1: it had a time to leave, and has not left. */
  readonly isScheduled: number;
}

interface RecipientBefore {
  readonly address: string;
  readonly domain: string;
  readonly state: RecipientState;
  readonly delayToldAt: number | null;
}

/** What became of some recipients of a submission: their rows, the events, what is known of their addresses from now on. A
 *  recipient that has failed or been delivered stays so; one that another server has may still be told of by that. */
export async function reportDelivery(tx: Transaction, args: ReportDelivery): Promise<DeliveryReport> {
  const { agent, submission, at } = args;
  const reached = args.letters.flatMap(({ recipients }) => recipients);
  await lockRows(tx, {
    agents: [agent, ...reached.map((one) => one.agent)],
    // Each letter takes its own in order.
    accounts: args.letters.length > 1 ? reached.map((one) => one.account) : [],
  });
  // While the submission still keeps the bytes that they may share, and before the sender's own numbers are taken.
  const deliveries = await deliverLetters(tx, args);
  const write = await beginAgentTransaction(tx, agent, at);
  const row = await tx.get<SubmissionState>(
    `select account_id as account, message_id as message, closed_at as "closedAt",
      case when send_at > created_at and left_modseq is null then 1 else 0 end as "isScheduled"
    from submission
    where agent_id = ? and submission_id = ?`,
    agent,
    submission,
  );
  if (row === undefined) throw new WaypostError("not_found", "There is no such submission");
  if (args.isOfDue === true && !(await isScheduledDue(tx, args, at)))
    return { isClosed: false, hasPaused: false, deliveries };
  // What is told of scheduled mail ends its time of waiting.
  if (row.isScheduled === 1)
    await leaveScheduled(mailOf(write), (await findSubmission(tx, agent, submission))!);
  const events = await openEvents(write, row.message);
  for (const outcome of args.outcomes) {
    const before = await findRecipient(tx, agent, submission, outcome.number);
    if (before === undefined || !isMove(before.state, outcome.state)) continue;
    const isDelayTold = outcome.state === "deferred" && args.isDelayTold && before.delayToldAt === null;
    await updateRecipient(tx, args, outcome, before, isDelayTold);
    const isAcceptance = outcome.state === "relayed" || outcome.state === "delivered";
    if (isAcceptance && before.state === "queued") events.tell("mail.sent", "sent", outcome, before);
    if (isAcceptance) await noteCorrespondent(tx, agent, before, at);
    if (outcome.state === "delivered") events.tell("mail.delivered", "delivered", outcome, before);
    if (outcome.state === "failed") events.tell("mail.bounced", "bounced", outcome, before);
    if (outcome.state === "cancelled") events.tell("mail.bounced", "cancelled", outcome, before);
    if (isDelayTold) events.tell("mail.delayed", "delayed", outcome, before);
    if (outcome.isSuppressed) await suppress(tx, row.account, before, at);
  }
  const hasFailed = args.outcomes.some(({ state }) => state === "failed");
  const hasPaused = args.breaker !== null && hasFailed && (await tripBreaker(write, args.breaker));
  if (args.claim !== undefined)
    await releaseDeliveries(tx, {
      daemon: args.claim.daemon,
      deliveries: [{ agent, submission, domain: args.claim.domain }],
    });
  const isClosed =
    row.closedAt !== null ||
    (await closeSubmissionIfDone(tx, { agent, account: row.account, submission }, at));
  await write.finish();
  return { isClosed, hasPaused, deliveries };
}

async function deliverLetters(tx: Transaction, args: ReportDelivery): Promise<Delivery[]> {
  if (args.letters.length === 0) return [];
  for (const { number } of args.outcomes)
    if ((await findRecipient(tx, args.agent, args.submission, number))?.state !== "queued")
      throw new WaypostError("precondition_failed", "The recipient is no longer waiting for this message");
  const deliveries: Delivery[] = [];
  for (const letter of args.letters) deliveries.push(...(await deliverMessage(tx, letter)).deliveries);
  return deliveries;
}

function isMove(before: RecipientState, outcome: ReportedOutcome["state"]): boolean {
  if (before === "queued") return true;
  return before === "relayed" && outcome !== "relayed" && outcome !== "cancelled";
}

function findRecipient(
  tx: Transaction,
  agent: AgentNumber,
  submission: number,
  number: number,
): Promise<RecipientBefore | undefined> {
  return tx.get(
    `select address, domain, state, delay_told_at as "delayToldAt"
    from submission_recipient
    where agent_id = ? and submission_id = ? and recipient_number = ?`,
    agent,
    submission,
    number,
  );
}

/** What is deferred stays where it is: in the queue, or with the server that said so. */
async function updateRecipient(
  tx: Transaction,
  { agent, submission, at }: ReportDelivery,
  outcome: ReportedOutcome,
  before: RecipientBefore,
  isDelayTold: boolean,
): Promise<void> {
  await tx.run(
    `update submission_recipient
    set state = ?, attempt_count = attempt_count + ?, next_attempt_at = ?, host = ?, status = ?, reply = ?,
      delay_told_at = ?, updated_at = ?
    where agent_id = ? and submission_id = ? and recipient_number = ?`,
    outcome.state === "deferred" ? before.state : outcome.state,
    before.state === "queued" && outcome.state !== "cancelled" ? 1 : 0,
    outcome.nextAttemptAt,
    outcome.host,
    outcome.status,
    outcome.reply,
    isDelayTold ? at : before.delayToldAt,
    at,
    agent,
    submission,
    outcome.number,
  );
}

/** Mail of this mailbox was taken there: the next one is no first contact. By the domain, and by the address for domains where
 *  anybody has a mailbox. */
async function noteCorrespondent(
  tx: Transaction,
  agent: AgentNumber,
  { address, domain }: RecipientBefore,
  at: number,
): Promise<void> {
  const ofAddress = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  await tx.run(
    "insert into correspondent (agent_id, name, since) values (?, ?, ?), (?, ?, ?) on conflict do nothing",
    agent,
    domain === "" ? ofAddress : domain,
    at,
    agent,
    address.toLowerCase(),
    at,
  );
}

async function suppress(
  tx: Transaction,
  account: AccountNumber,
  { address }: RecipientBefore,
  at: number,
): Promise<void> {
  await tx.run(
    `insert into suppression (account_id, address, reason, created_at)
    values (?, ?, 'bounced', ?)
    on conflict do nothing`,
    account,
    address.toLowerCase(),
    at,
  );
}

interface DeliveryEvents {
  tell(
    type: "mail.sent" | "mail.delivered" | "mail.bounced" | "mail.delayed",
    deliveryState: DeliveryState,
    outcome: ReportedOutcome,
    recipient: RecipientBefore,
  ): void;
}

/** Without a message in the mailbox there is nothing that an event could name. */
async function openEvents(write: AgentTransaction, message: MessageNumber): Promise<DeliveryEvents> {
  if (message === 0) return { tell() {} };
  const row = await write.tx.get<{ thread: number; agentPart: number; authenticated: number }>(
    `select thread_id as thread, agent_part as "agentPart", authenticated
    from message
    where agent_id = ? and message_id = ?`,
    write.agent,
    message,
  );
  const [place] = row === undefined ? [] : await selectMessageEntries(write.tx, write.agent, message);
  const known =
    row === undefined
      ? {}
      : {
          mailbox: place?.mailbox,
          thread: row.thread,
          authenticated: row.authenticated === 1,
          agentPart: row.agentPart === 1,
        };
  return {
    tell(type, deliveryState, { status }, { address }) {
      const outcome = { status: deliveryState, code: status };
      const reason = reasonOfState(deliveryState, status);
      write.tell(type, message, { ...known, reason, recipient: address, outcome });
    },
  };
}
