import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Gate } from "#/src/fairness/gate.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";

it("ends a job that takes too long or too much memory, answers it, and continues with the next", async () => {
  await using pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/threads/greedy-thread.ts", heapMb: 32, isSilent: true },
    gate: new Gate({ what: "jobs", total: 1, share: 1, waiting: { total: 9, share: 9, waitMs: 60_000 } }),
    timeLimitMs: 200,
    wallLimitMs: 60_000,
    overLimit: "over",
  });
  const answers = await Promise.all(["hang", "echo", "grow", "throw", "echo"].map((job) => pool.run(job)));
  expect(answers).toEqual(["over", "echo", "over", "over", "echo"]);
});

it("distinguishes a job that got no processor time from one that took too much", async () => {
  await using pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/threads/greedy-thread.ts", heapMb: 32, isSilent: true },
    gate: new Gate({ what: "jobs", total: 1, share: 1, waiting: { total: 9, share: 9, waitMs: 60_000 } }),
    timeLimitMs: 60_000,
    wallLimitMs: 1000,
    overLimit: "over",
  });
  const refused = { code: "upstream_unavailable", details: { reason: "busy", retryAfterMs: 5000 } };
  await expect(pool.run("wait")).rejects.toMatchObject(refused);
  expect(await pool.run("echo")).toBe("echo");
});

it("ends a thread to release its memory, and a thread without a job", async () => {
  await using pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/threads/greedy-thread.ts", heapMb: 32, isSilent: true },
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

function openPool(timeLimitMs = 1000) {
  const gate = new Gate({
    what: "jobs",
    total: 1,
    share: 1,
    waiting: { total: 9, share: 9, waitMs: 60_000 },
  });
  const pool = createThreadPool<string, string>({
    thread: { name: "greedy", source: "test/support/threads/greedy-thread.ts", heapMb: 32, isSilent: true },
    gate,
    timeLimitMs,
    wallLimitMs: 10 * timeLimitMs + 60_000,
    overLimit: "over",
  });
  return { gate, pool };
}

it("answers a caller that leaves at once, and its job ends at the next check of the caller", async () => {
  const { pool } = openPool();
  await using _pool = pool;
  expect(await pool.run("last count")).toBe("last 1");
  const gone = new AbortController();
  const looking = forCaller(gone.signal, () => pool.run("look"));
  setTimeout(() => gone.abort(new CallerGone()), 50);
  await expect(looking).rejects.toThrow(CallerGone);
  // Of the same thread: it did not have to end.
  expect(await pool.run("last count")).toBe("last 3");
});

it("ends a job that does not check its caller soon after the caller has left, and then frees its place", async () => {
  const { pool, gate } = openPool(600_000);
  await using _pool = pool;
  const gone = new AbortController();
  const hanging = forCaller(gone.signal, () => pool.run("hang"));
  setTimeout(() => gone.abort(new CallerGone()), 50);
  await expect(hanging).rejects.toThrow(CallerGone);
  expect(gate.taken).toBe(1);
  expect(await pool.run("last count")).toBe("last 1");
});

describe("threads with a process of their own", () => {
  const open = (timeLimitMs: number) => {
    const gate = new Gate({
      ...{ what: "jobs", total: 1, share: 1 },
      waiting: { total: 9, share: 9, waitMs: 60_000 },
    });
    const pool = createThreadPool<string, string>({
      thread: {
        ...{ name: "greedy", source: "test/support/threads/greedy-thread.ts", heapMb: 32 },
        ...{ isSilent: true, hasOwnProcess: true },
      },
      gate,
      timeLimitMs,
      wallLimitMs: 60_000,
      overLimit: "over",
      isLast: (answer) => answer.startsWith("last"),
    });
    return { gate, pool };
  };
  const isRunning = (pid: number): boolean => fs.existsSync(`/proc/${pid}`);
  const onLinux = it.runIf(process.platform === "linux");

  it("enforces the limit of time, and continues with the next job", async () => {
    await using pool = open(1000).pool;
    const answers = await Promise.all(["hang", "echo", "throw", "echo"].map((job) => pool.run(job)));
    expect(answers).toEqual(["over", "echo", "over", "echo"]);
  });

  it("answers a job whose heap ends its process, and continues with the next", async () => {
    await using pool = open(60_000).pool;
    expect(Number(await pool.run("process"))).not.toBe(process.pid);
    const answers = await Promise.all(["grow in large pieces", "echo"].map((job) => pool.run(job)));
    expect(answers).toEqual(["over", "echo"]);
  });

  it("answers a job whose process is killed, and continues with the next", async () => {
    await using pool = open(60_000).pool;
    const pid = Number(await pool.run("process"));
    const hanging = pool.run("hang");
    process.kill(pid, "SIGKILL");
    expect(await hanging).toBe("over");
    expect(Number(await pool.run("process"))).not.toBe(pid);
  });

  it("notices that its caller has gone while it computes", async () => {
    await using pool = open(30_000).pool;
    const pid = await pool.run("process");
    const gone = new AbortController();
    const looking = forCaller(gone.signal, () => pool.run("look"));
    setTimeout(() => gone.abort(new CallerGone()), 50);
    await expect(looking).rejects.toThrow(CallerGone);
    expect(await pool.run("process")).toBe(pid);
  });

  onLinux(
    "ends with the process that it works for, also while it computes",
    async () => {
      const owner = fork(fileURLToPath(new URL("../support/threads/pool-owner.ts", import.meta.url)));
      const [pid] = (await once(owner, "message")) as [number];
      expect(isRunning(pid)).toBe(true);
      owner.kill("SIGKILL");
      await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
    },
    60_000,
  );

  onLinux(
    "ends when the pool is closed, and gives its memory back after a large job",
    async () => {
      const { pool } = open(30_000);
      const first = Number(await pool.run("process"));
      expect(await pool.run("last count")).toBe("last 2");
      await expect.poll(() => isRunning(first)).toBe(false);
      const second = Number(await pool.run("process"));
      await pool[Symbol.asyncDispose]();
      expect(isRunning(second)).toBe(false);
    },
    60_000,
  );
});
