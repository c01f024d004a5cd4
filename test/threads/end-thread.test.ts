import { expect, it } from "vitest";
import { endThread, startThread } from "#/src/threads/start-thread.ts";

it("does not end a thread during a call that must not be interrupted", async () => {
  const kind = { name: "calls", source: "test/support/threads/uninterrupted-thread.ts", heapMb: 16 };
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const worker = startThread(kind, counts);
  await Atomics.waitAsync(counts, 0, 0).value;
  await endThread(worker);
  const [begun, ended] = counts;
  expect(begun).toBeGreaterThan(0);
  expect(ended).toBe(begun);
});
