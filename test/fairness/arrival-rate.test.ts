import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchArrival } from "#/src/fairness/arrival-rate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rate = { graceMs: 1000, octetsPerSecond: 100 };

it("ends a message that falls behind the rate, and none that keeps it", () => {
  let ends = 0;
  const slow = watchArrival(rate, () => ends++);
  const steady = watchArrival(rate, () => expect.unreachable());
  for (let second = 0; second < 60; second++) {
    slow.add(50);
    steady.add(100);
    vi.advanceTimersByTime(1000);
    // A second at the beginning, and half a second for each second since.
    expect(ends).toBe(second >= 1 ? 1 : 0);
  }
  steady[Symbol.dispose]();
  vi.advanceTimersByTime(100_000);
  expect(ends).toBe(1);
  slow[Symbol.dispose]();
});
