/** A clock that moves only when a test moves it. */
import type { Clock } from "#/src/model/clock.ts";

export interface FakeClock extends Clock {
  advance(ms: number): void;
  set(now: number): void;
}

export function fakeClock(start = Date.UTC(2026, 0, 5, 12)): FakeClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
    set(to) {
      now = to;
    },
  };
}
