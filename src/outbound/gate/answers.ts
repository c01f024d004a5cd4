/** What the gate answers for each recipient. `scheduling`, SCHEDULE-STATUS and the recipients in an answer are made of it alone. */
import type { HoldReason } from "#/src/model/holds.ts";
import type { DeliverySender } from "#/storage/transactions/mail/deliver-message.ts";

/** Why a recipient is not told. Words of `/v1`. */
export type RefusedReason =
  /** The credential may not send in the owner's name. */
  | "no_scope"
  | "recipient_blocked"
  | "recipient_suppressed"
  | "approval_needed"
  | "relay_refused"
  | "no_such_recipient"
  | "over_quota"
  /** The recipient has another event with the same UID. */
  | "no-uid-conflict";

/** What the rules say of recipients here, with the basis and the limits that the write checks. */
export interface Asked extends DeliverySender {
  readonly refused: ReadonlyMap<string, "recipient_blocked" | "recipient_suppressed">;
}

/** sent: as mail. delivered: into a calendar here. held: it waits for a person, why its hold says; `not_approved`: for the owner, a person
 *  in whose calendar an agent or a program has written it. superseded: only what had not left was taken back. */
export type GateAnswer =
  | { readonly state: "sent" | "delivered" | "superseded" }
  | { readonly state: "held"; readonly reason: HoldReason | "not_approved" }
  | { readonly state: "refused"; readonly reason: RefusedReason };

/** One word for all recipients: held, or else sent, or else refused; none if nobody had to be told. */
export function summaryOf(answers: Iterable<GateAnswer>): "none" | "sent" | "held" | "refused" {
  const states = new Set([...answers].map(({ state }) => state));
  if (states.has("held")) return "held";
  if (states.has("sent") || states.has("delivered")) return "sent";
  return states.has("refused") ? "refused" : "none";
}
