import { expect, it } from "vitest";
import { Gate } from "#/src/fairness/gate.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";

it("ends a job that takes too long or too much memory, answers for it, and goes on with the next", async () => {
  await using pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/greedy-thread.ts", heapMb: 32, isSilent: true },
    gate: new Gate({ what: "jobs", total: 1, share: 1, waiting: { total: 9, share: 9, waitMs: 60_000 } }),
    timeLimitMs: 1000,
    overLimit: "over",
  });
  const answers = await Promise.all(["hang", "echo", "grow", "throw", "echo"].map((job) => pool.run(job)));
  expect(answers).toEqual(["over", "echo", "over", "over", "echo"]);
});
