import { expect, test } from "vitest";
import { SharedMemory, sharedMemorySize } from "#/src/threads/shared-memory.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

test("has few sizes", () => {
  for (const [octets, size] of [
    [1, 512 * kibibyte],
    [512 * kibibyte, 512 * kibibyte],
    [512 * kibibyte + 1, 2 * mebibyte],
    [3 * mebibyte, 8 * mebibyte],
    [8 * mebibyte + 1, 16 * mebibyte],
    [50 * mebibyte, 56 * mebibyte],
  ] as const)
    expect(sharedMemorySize(octets)).toBe(size);
});

test("gives returned memory again, and none twice", () => {
  const memory = new SharedMemory();
  const first = memory.take(300 * kibibyte);
  const second = memory.take(300 * kibibyte);
  expect(second.buffer).not.toBe(first.buffer);
  memory.giveBack(first);
  memory.giveBack(first);
  expect(memory.keptBytes).toBe(512 * kibibyte);
  const third = memory.take(400 * kibibyte);
  expect(third.buffer).toBe(first.buffer);
  expect(memory.take(400 * kibibyte).buffer).not.toBe(first.buffer);
});

test("keeps no more than its limit, and has the rest collected", () => {
  let collections = 0;
  const memory = new SharedMemory(8 * mebibyte, () => collections++);
  const taken = Array.from({ length: 12 }, () => memory.take(mebibyte));
  for (const [index, one] of taken.entries()) {
    memory.giveBack(one);
    expect(memory.keptBytes).toBeLessThanOrEqual(8 * mebibyte);
    expect(collections).toBe(index < 7 ? 0 : index < 11 ? 1 : 2);
  }
});

test("releases memory that was not used between two checks", () => {
  const memory = new SharedMemory(64 * mebibyte, () => {});
  const taken = [1, 2, 3, 4].map(() => memory.take(mebibyte));
  for (const one of taken) memory.giveBack(one);
  memory.dropUnused();
  expect(memory.keptBytes).toBe(8 * mebibyte);
  const [one, other] = [memory.take(mebibyte), memory.take(mebibyte)];
  memory.giveBack(one);
  memory.giveBack(other);
  memory.dropUnused();
  expect(memory.keptBytes).toBe(4 * mebibyte);
  memory.dropUnused();
  expect(memory.keptBytes).toBe(0);
});

test("releases all memory at once", () => {
  const memory = new SharedMemory();
  memory.giveBack(memory.take(10 * mebibyte));
  expect(memory.keptBytes).toBe(16 * mebibyte);
  memory.dropAll();
  expect(memory.keptBytes).toBe(0);
});
