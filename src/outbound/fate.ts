/** The delivery state of a sent mail, for each recipient ("What becomes of sent mail" of the interface). It is known as long as the
 *  message is kept. It has only status codes and the interface's own words, no text of other servers. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import {
  type DeliveryReason,
  type MailState,
  mailStateOf,
  type RecipientFate,
  reasonOfFate,
  recipientFateOf,
} from "#/src/model/delivery.ts";
import { isLiveHold } from "#/src/model/holds.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { neverAt } from "#/src/model/scheduled.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { findHoldOfMessage } from "#/storage/queries/holds.ts";
import {
  findSubmissionOfMessage,
  listRecipientFates,
  type RecipientFateRow,
} from "#/storage/queries/submissions.ts";
import type { Store } from "#/storage/store.ts";
import type { SubmissionRow } from "#/storage/submission.ts";

export interface MailFate {
  readonly state: MailState;
  /** For mail with a later time of sending than the request. */
  readonly sendAt?: number;
  readonly recipients: readonly FateOfRecipient[];
}

export interface FateOfRecipient {
  readonly address: string;
  readonly state: RecipientFate;
  /** Enhanced status code (RFC 3463) of the last attempt or report. */
  readonly code?: string;
  readonly reason?: DeliveryReason;
  /** When this state began. */
  readonly at: number;
  /** When the next attempt is. */
  readonly nextAt?: number;
}

/** Rows that are read at once. */
const pageRecipients = 500;

/** undefined for a message that was never sent or to be sent from this mailbox. */
export async function readMailFate(
  store: Store,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<MailFate | undefined> {
  const submission = await findSubmissionOfMessage(store, agent, message);
  if (submission !== undefined) return fateOfSubmission(store, submission);
  const hold = await findHoldOfMessage(store, agent, message);
  // If the mail was sent so long ago that only the hold is left, its state is not known.
  return hold === undefined || hold.state === "sent" ? undefined : fateOfHold(hold);
}

async function fateOfSubmission(store: Store, submission: SubmissionRow): Promise<MailFate> {
  const recipients: FateOfRecipient[] = [];
  let isScheduled = false;
  const turns = new LoopTurns();
  for (let after = 0; ; ) {
    const rows = await listRecipientFates(store, submission, after, pageRecipients);
    recipients.push(...rows.map(fateOfRecipient));
    isScheduled ||= rows.some(({ state }) => state === "scheduled");
    if (rows.length < pageRecipients) break;
    after = rows.at(-1)!.number;
    await turns.turn();
  }
  const { sendAt, createdAt } = submission;
  const states = recipients.map(({ state }) => state);
  return { state: mailStateOf(states, isScheduled), ...later(sendAt, createdAt), recipients };
}

function fateOfRecipient(row: RecipientFateRow): FateOfRecipient {
  const state = recipientFateOf(row);
  const reason = reasonOfFate(state, row.status);
  const isWaiting = row.state === "queued" || row.state === "scheduled";
  return {
    address: row.address,
    state,
    ...(row.status === null ? {} : { code: row.status }),
    ...(reason === undefined ? {} : { reason }),
    at: row.updatedAt,
    ...(isWaiting && row.nextAttemptAt !== neverAt ? { nextAt: row.nextAttemptAt } : {}),
  };
}

/** The state of mail that is only a hold: it waits, or it was never approved and is not sent. */
function fateOfHold({ state, envelope, decidedAt, createdAt, sendAt }: HoldRow): MailFate {
  const at = decidedAt ?? createdAt;
  const fate = isLiveHold(state)
    ? ({ state: "queued" } as const)
    : ({ state: "cancelled", reason: state === "withdrawn" ? "cancelled" : "declined" } as const);
  const recipients = envelope.recipients.map(({ address }) => ({ address, ...fate, at }));
  return { state: isLiveHold(state) ? "held" : "cancelled", ...later(sendAt, createdAt), recipients };
}

function later(sendAt: number, createdAt: number): { readonly sendAt?: number } {
  return sendAt > createdAt ? { sendAt } : {};
}
