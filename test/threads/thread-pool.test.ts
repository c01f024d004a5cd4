import { expect, it } from "vitest";
import { Gate } from "#/src/fairness/gate.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";

it("ends a job that takes too long or too much memory, answers for it, and goes on with the next", async () => {
  await using pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/greedy-thread.ts", heapMb: 32, isSilent: true },
    gate: new Gate({ what: "jobs", total: 1, share: 1, waiting: { total: 9, share: 9, waitMs: 60_000 } }),
    timeLimitMs: 200,
    wallLimitMs: 60_000,
    overLimit: "over",
  });
  const answers = await Promise.all(["hang", "echo", "grow", "throw", "echo"].map((job) => pool.run(job)));
  expect(answers).toEqual(["over", "echo", "over", "over", "echo"]);
}, 60_000);

it("tells a job that had no processor from one that took too much", async () => {
  await using pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/greedy-thread.ts", heapMb: 32, isSilent: true },
    gate: new Gate({ what: "jobs", total: 1, share: 1, waiting: { total: 9, share: 9, waitMs: 60_000 } }),
    timeLimitMs: 60_000,
    wallLimitMs: 1000,
    overLimit: "over",
  });
  const refused = { code: "upstream_unavailable", details: { reason: "busy", retryAfterMs: 5000 } };
  await expect(pool.run("wait")).rejects.toMatchObject(refused);
  expect(await pool.run("echo")).toBe("echo");
});

it("ends a thread whose memory is to come back, and one without a job", async () => {
  await using pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/greedy-thread.ts", heapMb: 32, isSilent: true },
    gate: new Gate({ what: "jobs", total: 1, share: 1, waiting: { total: 9, share: 9, waitMs: 60_000 } }),
    timeLimitMs: 5000,
    wallLimitMs: 60_000,
    overLimit: "over",
    isLast: (answer) => answer.startsWith("last"),
    idleMs: 1,
  });
  const [one, two] = [await pool.run("last count"), await pool.run("last count")];
  expect([one, two]).toEqual(["last 1", "last 1"]);
});
