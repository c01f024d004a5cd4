import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import type { RecipientState } from "../submission.ts";
import { type AgentWrite, beginAgentWrite } from "../writing/agent-write.ts";
import { tripBreaker } from "../writing/breaker.ts";
import { selectMessageEntries } from "../writing/message-entries.ts";
import { closeSubmissionIfDone } from "../writing/submissions.ts";
import { type DeliverMessage, type Delivery, deliverMessage } from "./deliver-message.ts";

export interface ReportedOutcome {
  /** Of the recipient. */
  readonly number: number;
  readonly state: "relayed" | "delivered" | "deferred" | "failed";
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
  /** What is deferred is told now, once for all of them. */
  readonly isDelayTold: boolean;
  /** What is stored with it: the message in mailboxes of this server, a notification to the sender. Its recipients of this
   *  report have to be those that were still waiting. */
  readonly letters: readonly DeliverMessage[];
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
  readonly delayToldAt: number | null;
  readonly closedAt: number | null;
}

interface RecipientBefore {
  readonly address: string;
  readonly domain: string;
  readonly state: RecipientState;
}

/** What became of some recipients of a submission: their rows, the events, what is known of their addresses from now on. A
 *  recipient that has failed or been delivered stays so; one that another server has may still be told of by that. */
export async function reportDelivery(tx: Transaction, args: ReportDelivery): Promise<DeliveryReport> {
  const { agent, submission, at } = args;
  await lockAgents(tx, [
    agent,
    ...args.letters.flatMap(({ recipients }) => recipients.map((one) => one.agent)),
  ]);
  // While the submission still keeps the bytes that they may share, and before the sender's own numbers are taken.
  const deliveries = await deliverLetters(tx, args);
  const write = await beginAgentWrite(tx, agent, at);
  const row = await tx.get<SubmissionState>(
    `select account_id as account, message_id as message, delay_told_at as "delayToldAt", closed_at as "closedAt"
    from submission
    where agent_id = ? and submission_id = ?`,
    agent,
    submission,
  );
  if (row === undefined) throw new WaypostError("not_found", "There is no such submission");
  const events = await openEvents(write, row.message);
  let wasAccepted = await isAccepted(tx, agent, submission);
  for (const outcome of args.outcomes) {
    const before = await findRecipient(tx, agent, submission, outcome.number);
    if (before === undefined || !isMove(before.state, outcome.state)) continue;
    await updateRecipient(tx, args, outcome, before.state);
    const isAcceptance = outcome.state === "relayed" || outcome.state === "delivered";
    if (isAcceptance && !wasAccepted) {
      events.tell("mail.sent", outcome, before);
      wasAccepted = true;
    }
    if (isAcceptance) await noteCorrespondent(tx, agent, before, at);
    if (outcome.state === "delivered") events.tell("mail.delivered", outcome, before);
    if (outcome.state === "failed") events.tell("mail.bounced", outcome, before);
    if (outcome.state === "deferred" && args.isDelayTold && row.delayToldAt === null)
      events.tell("mail.delayed", outcome, before);
    if (outcome.isSuppressed) await suppress(tx, row.account, before, at);
  }
  const hasFailed = args.outcomes.some(({ state }) => state === "failed");
  const hasPaused = hasFailed && (await tripBreaker(tx, agent));
  if (args.isDelayTold && row.delayToldAt === null)
    await tx.run(
      "update submission set delay_told_at = ? where agent_id = ? and submission_id = ?",
      at,
      agent,
      submission,
    );
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

/** In one order everywhere, so that two transactions never wait for each other. */
async function lockAgents(tx: Transaction, agents: readonly AgentNumber[]): Promise<void> {
  for (const agent of [...new Set(agents)].sort((a, b) => a - b))
    await tx.run("update agent set modseq = modseq where agent_id = ?", agent);
}

function isMove(before: RecipientState, outcome: ReportedOutcome["state"]): boolean {
  if (before === "queued") return true;
  return before === "relayed" && outcome !== "relayed";
}

async function isAccepted(tx: Transaction, agent: AgentNumber, submission: number): Promise<boolean> {
  const row = await tx.get(
    `select 1 as found
    from submission_recipient
    where agent_id = ? and submission_id = ? and state in ('relayed', 'delivered')
    limit 1`,
    agent,
    submission,
  );
  return row !== undefined;
}

function findRecipient(
  tx: Transaction,
  agent: AgentNumber,
  submission: number,
  number: number,
): Promise<RecipientBefore | undefined> {
  return tx.get(
    `select address, domain, state
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
  before: RecipientState,
): Promise<void> {
  await tx.run(
    `update submission_recipient
    set state = ?, attempt_count = attempt_count + ?, next_attempt_at = ?, host = ?, status = ?, reply = ?,
      updated_at = ?
    where agent_id = ? and submission_id = ? and recipient_number = ?`,
    outcome.state === "deferred" ? before : outcome.state,
    before === "queued" ? 1 : 0,
    outcome.nextAttemptAt,
    outcome.host,
    outcome.status,
    outcome.reply,
    at,
    agent,
    submission,
    outcome.number,
  );
}

/** Mail of this mailbox was taken there: the next one is no first contact. */
async function noteCorrespondent(
  tx: Transaction,
  agent: AgentNumber,
  { address, domain }: RecipientBefore,
  at: number,
): Promise<void> {
  await tx.run(
    "insert into correspondent_domain (agent_id, domain, since) values (?, ?, ?) on conflict do nothing",
    agent,
    domain === "" ? address.slice(address.lastIndexOf("@") + 1).toLowerCase() : domain,
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
    outcome: ReportedOutcome,
    recipient: RecipientBefore,
  ): void;
}

/** Without a message in the mailbox there is nothing that an event could name. */
async function openEvents(write: AgentWrite, message: MessageNumber): Promise<DeliveryEvents> {
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
    tell(type, { state, status }, { address }) {
      const outcome = { status: state, code: status };
      write.tell(type, message, JSON.stringify({ ...known, recipient: address, outcome }));
    },
  };
}
