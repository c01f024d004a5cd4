/** When a request to another server is made again, and when it is given up: for webhooks and pushes alike. */

import { leftUntil } from "#/src/model/clock.ts";

/** The result of a request. */
export interface RequestOutcome {
  /** The HTTP status; null when there was no response. */
  readonly status: number | null;
  /** Why the receiver did not accept the request; null when it did. */
  readonly error: string | null;
  /** The Retry-After of the receiver, bounded. */
  readonly retryAfterMs?: number;
  /** The receiver asks for no further requests. */
  readonly isGone?: boolean;
}

export interface FailureStanding {
  readonly failureCount: number;
  readonly failingSince: number | null;
  readonly nextAttemptAt: number;
}

export const unfailed: FailureStanding = { failureCount: 0, failingSince: null, nextAttemptAt: 0 };

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
/** Waits after each failure; the last one is repeated. */
const waitsMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
];
const longestWaitMs = 4 * hourMs;
/** After so long without an accepted request the receiver is given up. */
const patienceMs = 72 * hourMs;

/** Milliseconds until the next request. */
export function waitOf({ nextAttemptAt }: Pick<FailureStanding, "nextAttemptAt">, now: number): number {
  return leftUntil(nextAttemptAt, now, longestWaitMs);
}

export function afterFailure(
  before: Pick<FailureStanding, "failureCount" | "failingSince">,
  outcome: RequestOutcome,
  now: number,
): FailureStanding & { readonly isGivenUp: boolean } {
  const failingSince = before.failingSince ?? now;
  const waitMs = waitsMs[Math.min(before.failureCount, waitsMs.length - 1)]!;
  const askedMs = Math.min(outcome.retryAfterMs ?? 0, longestWaitMs);
  return {
    failureCount: before.failureCount + 1,
    failingSince,
    nextAttemptAt: now + Math.max(waitMs, askedMs),
    isGivenUp: outcome.isGone === true || now - failingSince >= patienceMs,
  };
}
