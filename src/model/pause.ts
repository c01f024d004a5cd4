/** Paused mailboxes, which send nothing: paused by the operator, by their approver, or by the breaker, which stops an agent whose mail
 *  keeps failing. */
import { WaypostError } from "./errors.ts";

export const pauseReasons = ["operator", "breaker", "approver"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export interface Pause {
  readonly reason: PauseReason;
  /** undefined if the time was not recorded. */
  readonly since: number | undefined;
}

/** When the breaker pauses an agent: `bounces` of its last `sends` mails have failed for a recipient. */
export interface BreakerLimits {
  readonly bounces: number;
  readonly sends: number;
}

const hints = {
  operator: "Only the operator can resume it; mail still arrives.",
  approver: "Its approver or the operator can resume it; mail still arrives.",
  breaker:
    "Too many of its last mails failed. Read content.delivery of them with part.describe to see why, leave out those addresses, and ask the operator to resume it (waypost agent resume).",
} as const satisfies Record<PauseReason, string>;

/** The refusal to send. */
export function pausedError(reason: PauseReason): WaypostError {
  return new WaypostError("paused", `The mailbox is paused by the ${reason} and not sending.`, {
    hint: hints[reason],
  });
}
