/** The delivery state of a sent mail, for each recipient ("What becomes of sent mail" of the interface). It is known as long as the
 *  message is kept. It has only status codes and the interface's own words, no text of other servers. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import {
  type DeliveryReason,
  type DeliveryState,
  deliveryStateOf,
  type MailState,
  mailStateOf,
  reasonOfState,
} from "#/src/model/delivery.ts";
import { isLiveHold } from "#/src/model/holds.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { neverAt } from "#/src/model/scheduled.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { findHoldOfMessage } from "#/storage/queries/outbound/holds.ts";
import {
  findSubmissionOfMessage,
  listRecipientDeliveries,
  type RecipientDeliveryRow,
} from "#/storage/queries/outbound/submissions.ts";
import type { Store } from "#/storage/store.ts";
import type { SubmissionRow } from "#/storage/submission.ts";

export interface MailDelivery {
  readonly state: MailState;
  /** For mail with a later time of sending than the request. */
  readonly sendAt?: number;
  readonly recipients: readonly RecipientDelivery[];
}

export interface RecipientDelivery {
  readonly address: string;
  readonly state: DeliveryState;
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
export async function readMailDelivery(
  store: Store,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<MailDelivery | undefined> {
  const submission = await findSubmissionOfMessage(store, agent, message);
  if (submission !== undefined) return deliveryOfSubmission(store, submission);
  const hold = await findHoldOfMessage(store, agent, message);
  // If the mail was sent so long ago that only the hold is left, its state is not known.
  return hold === undefined || hold.state === "sent" ? undefined : deliveryOfHold(hold);
}

async function deliveryOfSubmission(store: Store, submission: SubmissionRow): Promise<MailDelivery> {
  const recipients: RecipientDelivery[] = [];
  let isScheduled = false;
  const turns = new LoopTurns();
  for (let after = 0; ; ) {
    const rows = await listRecipientDeliveries(store, submission, after, pageRecipients);
    recipients.push(...rows.map(deliveryOfRecipient));
    isScheduled ||= rows.some(({ state }) => state === "scheduled");
    if (rows.length < pageRecipients) break;
    after = rows.at(-1)!.number;
    await turns.turn();
  }
  const { sendAt, createdAt } = submission;
  const states = recipients.map(({ state }) => state);
  return { state: mailStateOf(states, isScheduled), ...later(sendAt, createdAt), recipients };
}

function deliveryOfRecipient(row: RecipientDeliveryRow): RecipientDelivery {
  const state = deliveryStateOf(row);
  const reason = reasonOfState(state, row.status);
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
function deliveryOfHold({ state, envelope, decidedAt, createdAt, sendAt }: HoldRow): MailDelivery {
  const at = decidedAt ?? createdAt;
  const outcome = isLiveHold(state)
    ? ({ state: "queued" } as const)
    : ({ state: "cancelled", reason: state === "withdrawn" ? "cancelled" : "declined" } as const);
  const recipients = envelope.recipients.map(({ address }) => ({ address, ...outcome, at }));
  return { state: isLiveHold(state) ? "held" : "cancelled", ...later(sendAt, createdAt), recipients };
}

function later(sendAt: number, createdAt: number): { readonly sendAt?: number } {
  return sendAt > createdAt ? { sendAt } : {};
}
