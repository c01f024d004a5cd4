import { expect, it } from "vitest";
import { Gate } from "#/src/fairness/gate.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
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

function openPool() {
  const gate = new Gate({
    what: "jobs",
    total: 1,
    share: 1,
    waiting: { total: 9, share: 9, waitMs: 60_000 },
  });
  const pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/greedy-thread.ts", heapMb: 32, isSilent: true },
    gate,
    timeLimitMs: 1000,
    wallLimitMs: 60_000,
    overLimit: "over",
  });
  return { gate, pool };
}

it("answers a caller that goes at once, and its job ends where it looks for the caller", async () => {
  const { pool } = openPool();
  await using _pool = pool;
  expect(await pool.run("last count")).toBe("last 1");
  const gone = new AbortController();
  const looking = forCaller(gone.signal, () => pool.run("look"));
  setTimeout(() => gone.abort(new CallerGone()), 50);
  await expect(looking).rejects.toThrow(CallerGone);
  // Of the same thread: it did not have to end.
  expect(await pool.run("last count")).toBe("last 3");
}, 60_000);

it("keeps the place of a job that does not look for its caller until its time is over", async () => {
  const { pool, gate } = openPool();
  await using _pool = pool;
  const gone = new AbortController();
  const hanging = forCaller(gone.signal, () => pool.run("hang"));
  setTimeout(() => gone.abort(new CallerGone()), 50);
  await expect(hanging).rejects.toThrow(CallerGone);
  expect(gate.taken).toBe(1);
  expect(await pool.run("last count")).toBe("last 1");
}, 60_000);
