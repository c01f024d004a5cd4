import { expect, test } from "vitest";
import { Pace, type Usage } from "#/src/render/indexing/pace.ts";

/** A thread on two processors. Each call lets time pass, of which others take a part of the processors, and then rests after 10 ms of work. */
function restingThread() {
  let usage: Usage = { at: 1000, othersMs: 500 };
  const pace = new Pace(2, () => usage);
  return (elapsedMs: number, othersMs: number): number => {
    usage = { at: usage.at + elapsedMs, othersMs: usage.othersMs + othersMs };
    return pace.restMs(10);
  };
}

test("the indexing thread rests as long as it worked while nothing else computes, and longer the more does", () => {
  const rest = restingThread();
  expect([0, 10, 20, 40].map((othersMs) => rest(20, othersMs))).toEqual([10, 30, 50, 90]);
});

test("a rest has bounds whatever the clocks say, and depends on what came since the last one", () => {
  const rest = restingThread();
  expect(rest(20, 4000)).toBe(90);
  expect(rest(20, -3)).toBe(10);
  expect(rest(0, 5)).toBe(10);
  expect(rest(40, 40)).toBe(50);
});

test("the process's own work counts, without that of the thread that asks", () => {
  const pace = new Pace(1);
  const until = process.threadCpuUsage().user + 50_000;
  while (process.threadCpuUsage().user < until);
  // Its own 50 ms would be nine times 10; others of the process may have computed a little.
  expect(pace.restMs(10)).toBeLessThan(50);
});

test("a rest ends when there is something that does not wait", async () => {
  const pace = new Pace();
  let isOver = false;
  const over = pace.rest(3_600_000).then(() => {
    isOver = true;
  });
  await Promise.resolve();
  expect(isOver).toBe(false);
  pace.endRest();
  await over;
  // Without a rest nothing ends.
  pace.endRest();
});
