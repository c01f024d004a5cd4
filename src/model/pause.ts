/** A mailbox that sends nothing: by the operator, or by the breaker, which stops an agent whose mail keeps failing. */
import { WaypostError } from "./errors.ts";

export const pauseReasons = ["operator", "breaker"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export interface Pause {
  readonly reason: PauseReason;
  /** undefined for one that is older than the record of it. */
  readonly since: number | undefined;
}

/** When the breaker stops an agent: so many of its last mails have failed for somebody. */
export interface BreakerLimits {
  readonly bounces: number;
  readonly sends: number;
}

const hints = {
  operator: "Only the operator can resume it; mail still arrives.",
  breaker:
    "Too many of its last mails failed. Read content.delivery of them with part.describe to see why, leave out those addresses, and ask the operator to resume it (waypost agent resume).",
} as const satisfies Record<PauseReason, string>;

/** The refusal of what would be sent. */
export function pausedError(reason: PauseReason): WaypostError {
  const by = reason === "breaker" ? "by the breaker" : "by the operator";
  return new WaypostError("paused", `The mailbox is paused ${by} and not sending.`, { hint: hints[reason] });
}
