/** When a delivery is tried again, and when it has failed (RFC 5321 section 4.5.4.1). */
import type { DueDelivery } from "#/src/outbound/outbound.ts";
import { retryAt } from "#/src/outbound/queue.ts";
import type { AttemptOutcome } from "./outcomes.ts";

/** Sets the next time of deferred outcomes: up to a quarter earlier or later than the schedule, so that mails that failed together are
 *  not all tried together again; recipients of one mail are. A delivery whose time in the queue is over has failed. */
export function settleOutcomes(
  delivery: Pick<DueDelivery, "expiresAt" | "recipients">,
  outcomes: readonly AttemptOutcome[],
  now: number,
  random: () => number = Math.random,
): AttemptOutcome[] {
  const factor = 0.75 + random() / 2;
  return outcomes.map((outcome) => {
    if (outcome.state !== "deferred") return outcome;
    if (now >= delivery.expiresAt) return { ...outcome, state: "failed", status: "4.4.7" };
    const { attemptCount } = delivery.recipients.find(({ number }) => number === outcome.number)!;
    const wait = (retryAt(attemptCount, now) - now) * factor;
    const at = Math.round(outcome.retryAt ?? now + wait);
    return { ...outcome, retryAt: Math.min(at, delivery.expiresAt) };
  });
}
