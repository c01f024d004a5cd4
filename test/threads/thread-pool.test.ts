import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Gate } from "#/src/fairness/gate.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { houseThreads, type ThreadKind } from "#/src/threads/house-threads.ts";
import type { JobSize } from "#/src/threads/task.ts";
import { onThreadEnd, type ThreadEnd, threadEnds } from "#/src/threads/thread-ends.ts";
import type { PoolLimits, ThreadPool } from "#/src/threads/thread-pool.ts";
import { openGreedyPool } from "../support/threads/greedy-pool.ts";
import type { GreedyJob } from "../support/threads/greedy-thread.ts";

// Threads start and end many times here; on a busy machine each takes a second or more.

const quick: JobSize = { bytes: 1 };
const slow: JobSize = { bytes: 1, isSlow: true };
let pool: ThreadPool<GreedyJob, string>;
let gate: Gate;

function start(limits: Partial<PoolLimits> = {}, kind: Partial<ThreadKind> = {}): void {
  ({ pool, gate } = openGreedyPool(limits, kind));
}

/** "over" if the job exceeded a limit. */
async function run(task: GreedyJob["task"], text: string = task, size = quick): Promise<string> {
  return (await pool.run({ task, text }, size)) ?? "over";
}

afterEach(() => pool[Symbol.asyncDispose]());

describe("threads of a pool", () => {
  it("answer each job with its own result, or with its own failure", async () => {
    start();
    const texts = Array.from({ length: 50 }, (_, at) => String(at));
    expect(await Promise.all(texts.map((text) => run("answer", text)))).toEqual(texts);
    await expect(run("fail")).rejects.toMatchObject({ code: "internal" });
  });

  it("answer a job that throws what has no text, and go on", async () => {
    start();
    await run("answer");
    const ends = { ...threadEnds().get("greedy") };
    await expect(run("fail without text")).rejects.toMatchObject({
      code: "internal",
      details: { cause: "[Object: null prototype] {}" },
    });
    expect({ ...threadEnds().get("greedy") }).toEqual(ends);
  });

  it("begin jobs in the order in which they were given, however many waited for the thread", async () => {
    start();
    await run("answer");
    const busy = run("compute");
    const counts: Promise<string>[] = [];
    for (let round = 0; round < 4; round++) {
      counts.push(run("count"), run("count"), run("count"));
      await new Promise(setImmediate);
    }
    await busy;
    const numbers = (await Promise.all(counts)).map((said) => Number(said.slice("job ".length)));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it("are not judged slow when they have done many jobs between two checks of the main thread", async () => {
    start({ slowMs: 100, lookMs: 25, jobMs: 5000 });
    await run("answer");
    const names = Array.from({ length: 40 }, () => run("compute"));
    await new Promise(setImmediate);
    // The main thread is busy: its looks come late.
    for (let round = 0; round < 2; round++) {
      const until = performance.now() + 150;
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(new Set(await Promise.all(names)).size).toBe(1);
  });

  it("count the time of each of many jobs that go on in turns as its own", async () => {
    start({ slowMs: 150, jobMs: 5000 });
    await run("answer");
    const names = await Promise.all(Array.from({ length: 10 }, () => run("compute in turns")));
    expect(new Set(names).size).toBe(1);
  });

  it("end a job that takes too long or too much memory, and go on with the others", async () => {
    start();
    const tasks = ["hang", "grow", "end", "answer", "hang later"] as const;
    expect(await Promise.all(tasks.map((task) => run(task)))).toEqual([
      ...["over", "over", "over", "answer", "over"],
    ]);
  });

  it.each([false, true])(
    "tell why they ended by themselves, in a process of their own: %s",
    async (hasOwnProcess) => {
      start({}, { hasOwnProcess });
      const ends: ThreadEnd[] = [];
      const former = onThreadEnd((end) => ends.push(end));
      onTestFinished(() => void onThreadEnd(former));
      const before = { ...threadEnds().get("greedy") };
      // A process that ends before it has said that it is there is taken to have ended without a job, and the job goes to another one.
      const end = async (...job: Parameters<typeof run>): Promise<void> => {
        expect(await run("answer", "there")).toBe("there");
        expect(await run(...job)).toBe("over");
      };
      await end("throw", "it".padEnd(100_000, "."));
      expect(ends).toMatchObject([{ thread: "greedy", why: "error" }]);
      expect(ends[0]!.cause).toMatch(/^TypeError: nobody catches it\.+/);
      expect(ends[0]!.cause.length).toBeLessThanOrEqual(4096);
      await end("end");
      await end("grow");
      expect(ends.map(({ why }) => why)).toEqual(["error", "exit", "memory"]);
      expect(threadEnds().get("greedy")).toEqual({
        error: (before.error ?? 0) + 1,
        exit: (before.exit ?? 0) + 1,
        memory: (before.memory ?? 0) + 1,
      });
      // One that is asked to end is no news.
      expect(await run("hang")).toBe("over");
      expect(await run("answer", "last")).toBe("last");
      expect(ends).toHaveLength(3);
    },
  );

  it.each([false, true])(
    "tell also what is no error and was thrown, in a process of their own: %s",
    async (hasOwnProcess) => {
      start({}, { hasOwnProcess });
      const ends: ThreadEnd[] = [];
      const former = onThreadEnd((end) => ends.push(end));
      onTestFinished(() => void onThreadEnd(former));
      expect(await run("throw no error", "of a library")).toBe("over");
      expect(await run("throw nothing")).toBe("over");
      expect(ends).toEqual([
        { thread: "greedy", why: "error", cause: "{ because: 'of a library' }" },
        { thread: "greedy", why: "error", cause: "null" },
      ]);
      expect(await run("answer", "still here")).toBe("still here");
    },
  );

  it("limit a job by the limit of its own", async () => {
    start({ jobMs: 600_000 });
    expect(await run("hang", "", { bytes: 1, limitMs: 100 })).toBe("over");
  });

  it("end when they had no job for a while, or have done their last one, and start again with the next", async () => {
    start({ idleMs: 1 });
    const first = await run("name thread");
    await vi.waitFor(async () => expect(await run("name thread")).not.toBe(first), 60_000);
    expect(await run("answer", "last")).toBe("last");
    expect(await run("count")).toBe("job 1");
  });

  it("answer a quick job while one that was given before it still computes", async () => {
    start({ jobMs: 1500 });
    const ended: string[] = [];
    const note = async (job: Promise<string>): Promise<void> => void ended.push(await job);
    await Promise.all([note(run("hang")), note(run("answer", "first")), note(run("answer", "second"))]);
    expect(ended).toEqual(["first", "second", "over"]);
  });

  it("answer quick jobs while as many slow ones compute as there may be, and more wait", async () => {
    // Longer than the start of a thread beside them takes.
    start({ jobMs: 1500 });
    const ended: string[] = [];
    const note = async (job: Promise<string>): Promise<void> => void ended.push(await job);
    const hanging = [slow, slow, quick].map((size) => note(run("hang", "hang", size)));
    await note(run("answer", "small"));
    expect(ended).toEqual(["small"]);
    await Promise.all(hanging);
    expect(ended.slice(1)).toEqual(Array(3).fill("over"));
  });

  it("run slow jobs of another owner before most jobs of an owner with many", async () => {
    start({ jobMs: 250 });
    const ended: string[] = [];
    const note = async (owner: string): Promise<void> => {
      await run("hang", owner, { ...slow, owner: { key: owner } });
      ended.push(owner);
    };
    await Promise.all([...Array.from({ length: 14 }, () => note("many")), note("one")]);
    // Two are under way when it comes, and each thread that is free next begins one of "many" at most before it.
    expect(ended.indexOf("one")).toBeLessThan(6);
  });

  it("lose no waiting job when its thread has to end because of another job", async () => {
    start();
    const waiting = Array.from({ length: 20 }, (_, at) => run("answer", String(at), at % 2 ? slow : quick));
    const greedy = [run("grow"), run("end"), run("hang later")];
    const later = Array.from({ length: 20 }, (_, at) => run("answer", String(at), at % 2 ? slow : quick));
    expect(await Promise.all([...waiting, ...later])).toEqual([
      ...Array.from({ length: 20 }, (_, at) => String(at)),
      ...Array.from({ length: 20 }, (_, at) => String(at)),
    ]);
    expect(await Promise.all(greedy)).toEqual(["over", "over", "over"]);
  });

  it("end a job that takes no processor time and never ends", async () => {
    start({ wallMs: 300 });
    expect(await run("wait")).toBe("over");
  });

  it("refuse a job as temporary that got too little processor time to know what it takes", async () => {
    start({ jobMs: 60_000, wallMs: 1000 });
    const refused = { code: "upstream_unavailable", details: { reason: "busy", retryAfterMs: 5000 } };
    await expect(run("sleep")).rejects.toMatchObject(refused);
    expect(await run("answer")).toBe("answer");
  });

  it("refuse running jobs as temporary when they are closed", async () => {
    start();
    const refused = expect(run("wait")).rejects.toMatchObject({ code: "upstream_unavailable" });
    await pool[Symbol.asyncDispose]();
    await refused;
    await expect(run("answer")).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  it("start no job whose caller has gone, and end a thread that computes for such a caller", async () => {
    start({ jobMs: 600_000, slowThreads: 1 });
    const gone = new AbortController();
    const hanging = forCaller(gone.signal, () => run("hang", "first", slow));
    const waiting = forCaller(gone.signal, () => run("answer", "second", slow));
    const other = run("answer", "third", slow);
    const refused = Promise.all([hanging, waiting].map((job) => expect(job).rejects.toThrow(CallerGone)));
    await expect.poll(() => gate.taken).toBe(3);
    gone.abort(new CallerGone());
    await refused;
    // The one that computes keeps its place until it ends: who leaves does not get more than a share.
    expect(gate.taken).toBe(2);
    expect(await other).toBe("third");
    expect(gate.taken).toBe(0);
  });

  it("refuse jobs as temporary when thread after thread is silent", async () => {
    start({ silentMs: 0, startMs: 0 });
    // One that answers may be faster than the first look at its thread.
    await expect(run("wait")).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  it("refuse jobs as temporary when their threads do not start", async () => {
    start({}, { source: "test/support/no-such-thread.ts" });
    await expect(run("answer")).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

describe("threads with a process of their own", () => {
  const open = (limits: Partial<PoolLimits> = {}): void =>
    start({ jobMs: 60_000, quickThreads: 0, slowThreads: 1, ...limits }, { hasOwnProcess: true });
  const isRunning = (pid: number): boolean => fs.existsSync(`/proc/${pid}`);
  const onLinux = it.runIf(process.platform === "linux");

  it("enforce the limit of time, and continue with the next job", async () => {
    open({ jobMs: 1000 });
    expect(await Promise.all([run("hang"), run("answer"), run("end"), run("answer")])).toEqual([
      ...["over", "answer", "over", "answer"],
    ]);
  });

  it("answer a job whose heap ends its process, and continue with the next", async () => {
    open();
    expect(Number(await run("name process"))).not.toBe(process.pid);
    expect(await Promise.all([run("grow in large pieces"), run("answer")])).toEqual(["over", "answer"]);
  });

  it("answer a job whose process is killed, and continue with the next", async () => {
    open();
    const pid = Number(await run("name process"));
    const hanging = run("hang");
    await new Promise(setImmediate);
    process.kill(pid, "SIGKILL");
    expect(await hanging).toBe("over");
    expect(Number(await run("name process"))).not.toBe(pid);
  });

  it("end when the caller of their job has gone", async () => {
    open({ jobMs: 600_000 });
    const pid = await run("name process");
    const gone = new AbortController();
    const hanging = forCaller(gone.signal, () => run("hang"));
    await expect.poll(() => gate.taken).toBe(1);
    gone.abort(new CallerGone());
    await expect(hanging).rejects.toThrow(CallerGone);
    expect(await run("name process")).not.toBe(pid);
  });

  it("may read their program alone where they are confined", async () => {
    open();
    expect(await run("escape")).toBe("read write start library net");
    await pool[Symbol.asyncDispose]();
    start({ jobMs: 60_000, quickThreads: 0 }, { hasOwnProcess: true, isConfined: true });
    expect(await run("escape")).toBe("");
  });

  it("confine what reads documents", () => {
    expect(houseThreads.documents.isConfined).toBe(true);
  });

  onLinux("end with the process that they work for, also while they compute", async () => {
    open();
    const owner = fork(fileURLToPath(new URL("../support/threads/pool-owner.ts", import.meta.url)));
    const [pid] = (await once(owner, "message")) as [number];
    expect(isRunning(pid)).toBe(true);
    owner.kill("SIGKILL");
    await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
  });

  onLinux("end when the pool is closed, and give their memory back after a large job", async () => {
    open();
    const first = Number(await run("name process"));
    expect(await run("answer", "last")).toBe("last");
    await expect.poll(() => isRunning(first)).toBe(false);
    const second = Number(await run("name process"));
    await pool[Symbol.asyncDispose]();
    expect(isRunning(second)).toBe(false);
  });
});
