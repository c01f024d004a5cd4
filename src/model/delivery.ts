/** Delivery states of sent mail ("What becomes of sent mail" of the interface): the words for a mail, for a recipient and for the
 *  reason. All of them are the interface's own; text of other servers is only in the queue, for the operator. */

/** States of a mail, the least finished first: if several apply, the first one is used. */
export const mailStates = [
  "held",
  "scheduled",
  "queued",
  "sent",
  "delivered",
  "bounced",
  "cancelled",
] as const;
export type MailState = (typeof mailStates)[number];

/** States of a recipient. `sent`: the server of the recipient has the mail; `delayed`: it was deferred and is tried again, by this
 *  server or the other one. */
export const deliveryStates = ["queued", "sent", "delivered", "delayed", "bounced", "cancelled"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why mail is delayed, bounced or cancelled. */
export const deliveryReasons = [
  "no_such_mailbox",
  "no_such_domain",
  "mail_not_accepted",
  "mailbox_full",
  "too_large",
  "too_many_recipients",
  "content_refused",
  "sender_refused",
  "not_authenticated",
  "policy_refused",
  "tls_required",
  "host_unreachable",
  "server_unavailable",
  "mail_loop",
  "protocol_error",
  "expired",
  "cancelled",
  "declined",
  "unspecified",
] as const;
export type DeliveryReason = (typeof deliveryReasons)[number];

/** Reasons by enhanced status code without its class, since the class only says whether it is tried again: RFC 3463 section 3, RFC 4954
 *  section 6, RFC 5248, RFC 7372 section 3, RFC 7505 section 4, RFC 8461 section 8.6. */
const reasonOfDetail: ReadonlyMap<string, DeliveryReason> = new Map([
  ["1.0", "no_such_mailbox"],
  ["1.1", "no_such_mailbox"],
  ["1.2", "no_such_domain"],
  ["1.3", "no_such_mailbox"],
  ["1.4", "no_such_mailbox"],
  ["1.6", "no_such_mailbox"],
  ["1.7", "sender_refused"],
  ["1.8", "sender_refused"],
  ["1.10", "mail_not_accepted"],
  ["2.0", "mail_not_accepted"],
  ["2.1", "mail_not_accepted"],
  ["2.2", "mailbox_full"],
  ["2.3", "too_large"],
  ["2.4", "mail_not_accepted"],
  ["3.2", "mail_not_accepted"],
  ["3.4", "too_large"],
  ["4.5", "server_unavailable"],
  ["4.6", "mail_loop"],
  ["4.7", "expired"],
  ["5.3", "too_many_recipients"],
  ["7.4", "tls_required"],
  ["7.5", "tls_required"],
  ["7.8", "not_authenticated"],
  ["7.9", "not_authenticated"],
  ["7.10", "tls_required"],
  ["7.11", "tls_required"],
  ["7.20", "not_authenticated"],
  ["7.21", "not_authenticated"],
  ["7.22", "not_authenticated"],
  ["7.23", "not_authenticated"],
  ["7.24", "not_authenticated"],
  ["7.25", "not_authenticated"],
  ["7.26", "not_authenticated"],
  ["7.27", "mail_not_accepted"],
]);

/** Reasons by the subject of the code, for details without their own reason. */
const reasonOfSubject: ReadonlyMap<string, DeliveryReason> = new Map([
  ["2", "mail_not_accepted"],
  ["3", "server_unavailable"],
  ["4", "host_unreachable"],
  ["5", "protocol_error"],
  ["6", "content_refused"],
  ["7", "policy_refused"],
]);

/** `status`: an enhanced status code. */
export function deliveryReasonOf(status: string): DeliveryReason {
  const [, subject = "", detail = ""] = status.split(".");
  return reasonOfDetail.get(`${subject}.${detail}`) ?? reasonOfSubject.get(subject) ?? "unspecified";
}

/** Reasons that are about the recipient's address, whatever the mail. */
const reasonsOfAddress: ReadonlySet<DeliveryReason> = new Set([
  "no_such_mailbox",
  "no_such_domain",
  "mail_not_accepted",
  "mailbox_full",
]);

/** Whether a failure with this code is of the address: the next mail to it may fail in the same way. */
export function isOfAddress(status: string): boolean {
  return reasonsOfAddress.has(deliveryReasonOf(status));
}

/** An address at which the mailbox's last mail failed for good. */
export interface AddressWarning {
  readonly address: string;
  readonly reason: DeliveryReason;
}

/** A recipient in the queue. */
export interface QueuedRecipient {
  readonly state: "scheduled" | "queued" | "relayed" | "delivered" | "failed" | "cancelled";
  /** Enhanced status code of the last attempt or report; null before the first one. */
  readonly status: string | null;
}

export function deliveryStateOf({ state, status }: QueuedRecipient): DeliveryState {
  switch (state) {
    case "scheduled":
    case "queued":
      return status === null ? "queued" : "delayed";
    // The server that has the mail has reported a delay.
    case "relayed":
      return status?.startsWith("4") === true ? "delayed" : "sent";
    case "delivered":
      return "delivered";
    case "failed":
      return "bounced";
    case "cancelled":
      return "cancelled";
  }
}

/** The reason of a state; undefined for states that are no failure or delay. */
export function reasonOfState(state: DeliveryState, status: string | null): DeliveryReason | undefined {
  if (state === "cancelled") return "cancelled";
  return state === "delayed" || state === "bounced" ? deliveryReasonOf(status ?? "") : undefined;
}

/** The state of a mail: the least finished state of its recipients, of which there is at least one. */
export function mailStateOf(states: Iterable<DeliveryState>, isScheduled: boolean): MailState {
  const found = new Set<MailState>();
  for (const state of states) found.add(state === "delayed" ? "queued" : state);
  if (isScheduled && found.has("queued")) return "scheduled";
  return mailStates.find((state) => found.has(state)) ?? "cancelled";
}
