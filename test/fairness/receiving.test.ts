import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { createReceiving, type Receiving } from "#/src/fairness/receiving.ts";

const [a, b] = [{ key: "a" }, { key: "b" }];
let fairness: Fairness;
let receiving: Receiving;

beforeEach(() => {
  vi.useFakeTimers();
  fairness = createFairness();
  receiving = createReceiving(fairness, 1);
});
afterEach(() => void vi.useRealTimers());

function begin(owner: { key: string }, mebibytes: number, lost: string[] = []) {
  const received = receiving.tryBegin(owner, mebibytes * 1024 * 1024, (reason) => lost.push(reason));
  if (typeof received === "string") throw new Error(received);
  return received;
}

it("takes the memory from a message below the least rate, and counts the refusal", () => {
  const lost: string[] = [];
  begin(a, 50, lost);
  vi.advanceTimersByTime(61_000);
  expect(lost).toEqual(["too_slow"]);
  expect(fairness.gate("receiving").taken).toBe(0);
  expect(fairness.refused()).toEqual([{ share: "receiving", reason: "too_slow", count: 1 }]);
});

it("keeps the memory of a complete message until it is stored, whoever needs memory", () => {
  const lost: string[] = [];
  const received = begin(a, 128, lost);
  received.complete();
  const other = begin(b, 96, lost);
  other.complete();
  vi.advanceTimersByTime(3_600_000);
  expect(receiving.tryBegin({ key: "c" }, 40 * 1024 * 1024, () => {})).toBe("total");
  expect(lost).toEqual([]);
  received[Symbol.dispose]();
  other[Symbol.dispose]();
  expect(fairness.gate("receiving").taken).toBe(0);
});

it("takes memory from the owner with the most when a usual mail finds none", () => {
  const lost: string[] = [];
  for (const owner of ["1", "2", "3", "4"]) begin({ key: owner }, 50, lost);
  begin(a, 0.5);
  expect(lost).toEqual([]);
  for (const owner of ["5", "6"]) begin({ key: owner }, 10, lost);
  for (let count = 0; count < 40; count++) begin({ key: `small ${count}` }, 1, lost);
  expect(lost).toEqual(["gave_way"]);
});
