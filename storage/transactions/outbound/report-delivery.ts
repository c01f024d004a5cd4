import { nobody } from "#/src/model/author.ts";
import { type DeliveryState, reasonOfState } from "#/src/model/delivery.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { BreakerLimits } from "#/src/model/pause.ts";
import { findSubmission } from "../../queries/outbound/submissions.ts";
import { insertion } from "../../schema/insertion.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Transaction } from "../../sql.ts";
import type { RecipientState } from "../../submission.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { lockRows } from "../../writing/lock-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { selectMessageEntries } from "../../writing/mail/message-entries.ts";
import { tripBreaker } from "../../writing/outbound/breaker.ts";
import { noteAddressOutcome } from "../../writing/outbound/failed-addresses.ts";
import { isScheduledDue, leaveScheduled } from "../../writing/outbound/scheduled.ts";
import { closeSubmissionIfDone } from "../../writing/outbound/submissions.ts";
import { releaseDeliveries } from "../daemons/release-deliveries.ts";
import { type DeliverMessage, type Delivery, deliverMessage } from "../mail/deliver-message.ts";

export interface ReportedOutcome {
  /** Number of the recipient. */
  readonly number: number;
  readonly state: "relayed" | "delivered" | "deferred" | "failed" | "cancelled";
  /** RFC 3463. */
  readonly status: string;
  readonly host: string | null;
  /** The reply of another server; stored for notifications, and not part of events. */
  readonly reply: string | null;
  /** For deferred recipients. */
  readonly nextAttemptAt: number;
  /** The account sends no more mail to the address. */
  readonly isSuppressed: boolean;
}

export interface ReportDelivery {
  readonly agent: AgentNumber;
  readonly submission: number;
  readonly outcomes: readonly ReportedOutcome[];
  /** Deferrals are reported as events now, once for each recipient. */
  readonly isDelayTold: boolean;
  /** Messages that are delivered in the same transaction: to mailboxes of this server, or a notification to the sender. The recipients
   *  of this report must still be waiting. */
  readonly letters: readonly DeliverMessage[];
  /** The claim under which the delivery was tried; it ends with this report. */
  readonly claim?: { readonly daemon: string; readonly domain: string } | undefined;
  /** When the sender is paused because of failures; null: never. */
  readonly breaker: BreakerLimits | null;
  /** The report is about scheduled mail that is due. If the mail was taken back or postponed in between, nothing is reported. */
  readonly isOfDue?: true;
  readonly at: number;
}

export interface DeliveryReport {
  /** No recipient is tried any more. */
  readonly isClosed: boolean;
  /** The sender was paused because too much of its mail failed. */
  readonly hasPaused: boolean;
  readonly deliveries: readonly Delivery[];
}

interface SubmissionState {
  readonly account: AccountNumber;
  readonly message: MessageNumber;
  readonly closedAt: number | null;
  /** 1: it was scheduled and is not sent yet. */
  readonly isScheduled: number;
}

interface RecipientBefore {
  readonly address: string;
  readonly domain: string;
  readonly state: RecipientState;
  readonly delayToldAt: number | null;
}

/** Stores the outcomes for some recipients of a submission: their rows, the events, and the facts about their addresses. A
 *  final state (failed, delivered) stays; the other server may still report about a relayed recipient. */
export async function reportDelivery(tx: Transaction, args: ReportDelivery): Promise<DeliveryReport> {
  const { agent, submission, at } = args;
  const reached = args.letters.flatMap(({ recipients }) => recipients);
  await lockRows(tx, {
    agents: [agent, ...reached.map((one) => one.agent)],
    // Each delivery locks its own accounts, in order.
    accounts: args.letters.length > 1 ? reached.map((one) => one.account) : [],
  });
  // Before the submission releases the bytes that they may share, and before the sender's own numbers are taken.
  const deliveries = await deliverLetters(tx, args);
  const write = await beginAgentTransaction(tx, agent, at, nobody);
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
  // A report about scheduled mail ends its scheduled state.
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
    await noteAddressOutcome(tx, agent, { ...outcome, address: before.address }, at);
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

const beforeColumns = selectList<RecipientBefore, "submission_recipient">({
  address: "submission_recipient.address",
  domain: "submission_recipient.domain",
  state: "submission_recipient.state",
  delayToldAt: "submission_recipient.delay_told_at",
});

function findRecipient(
  tx: Transaction,
  agent: AgentNumber,
  submission: number,
  number: number,
): Promise<RecipientBefore | undefined> {
  return tx.get(
    `select ${beforeColumns}
    from submission_recipient
    where agent_id = ? and submission_id = ? and recipient_number = ?`,
    agent,
    submission,
    number,
  );
}

/** A deferred recipient keeps its state: queued, or relayed to the server that reported the delay. */
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

/** Records that mail of this mailbox was accepted there, so the next one is not a first contact. It is recorded for the domain, and for
 *  the address at domains where anybody can have a mailbox. */
async function noteCorrespondent(
  tx: Transaction,
  agent: AgentNumber,
  { address, domain }: RecipientBefore,
  at: number,
): Promise<void> {
  const ofAddress = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  await tx.run(
    ...insertion(
      "correspondent",
      [domain === "" ? ofAddress : domain, address.toLowerCase()].map((name) => ({
        agent_id: agent,
        name,
        since: at,
      })),
      "on conflict do nothing",
    ),
  );
}

async function suppress(
  tx: Transaction,
  account: AccountNumber,
  { address }: RecipientBefore,
  at: number,
): Promise<void> {
  await tx.run(
    ...insertion(
      "suppression",
      { account_id: account, address: address.toLowerCase(), reason: "bounced", created_at: at },
      "on conflict do nothing",
    ),
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

/** Without a message in the mailbox there are no events, because an event names the message. */
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
      ? { mailbox: undefined }
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
