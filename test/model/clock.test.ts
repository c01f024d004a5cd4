/** Waits that end although the clock was set back: logins, tokens and limits of sending have theirs in their own tests. */
import { expect, test } from "vitest";
import { createHostBackoff } from "#/protocols/delivery/host-backoff.ts";
import { afterFailure, unfailed, waitOf } from "#/src/feed/retries.ts";
import { leftUntil } from "#/src/model/clock.ts";

const dayMs = 86_400_000;

test.each([
  [5, 0],
  [10, 0],
  [15, 5],
  [20, 10],
  [21, 0],
])("of a wait until %i at 10, of 10 at most, %i are left", (at, left) => {
  expect(leftUntil(at, 10, 10)).toBe(left);
});

/** What begins a wait now, and says whether it goes on. */
const waits: Readonly<Record<string, (clock: { now(): number }) => () => boolean>> = {
  "an address that could not be reached": (clock) => {
    const backoff = createHostBackoff(clock);
    for (let count = 0; count < 12; count++) backoff.noteFailure("192.0.2.1");
    return () => backoff.isResting("192.0.2.1");
  },
  "a webhook or push that failed": (clock) => {
    const standing = afterFailure(
      { ...unfailed, failureCount: 100 },
      { status: 503, error: "503" },
      clock.now(),
    );
    return () => waitOf(standing, clock.now()) > 0;
  },
};

test.each(Object.keys(waits))("%s waits, and no longer when the clock was set back by a day", (name) => {
  let now = 10 * dayMs;
  const isWaiting = waits[name]!({ now: () => now });
  expect(isWaiting()).toBe(true);
  now -= dayMs;
  expect(isWaiting()).toBe(false);
});
