import { afterEach, describe, expect, it, vi } from "vitest";
import { createFairness } from "#/src/fairness/fairness.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { createJobThreads, type JobThreads } from "#/src/threads/job-threads.ts";
import type { GreedyJob } from "../support/threads/greedy-jobs-thread.ts";

// Threads start and end many times here; on a busy machine each takes a second or more.

const limits = { quickThreads: 1, slowThreads: 2, slowMs: 50, jobMs: 200, jobMsPerMiB: 0, lookMs: 10 };
const quick = { bytes: 1, isSlow: false };
const slow = { bytes: 1, isSlow: true };
let threads: JobThreads<GreedyJob, string>;

function start(
  more: Partial<typeof limits> & { wallMs?: number; silentMs?: number; idleMs?: number } = {},
): void {
  threads = createJobThreads<undefined, GreedyJob, string>({
    thread: {
      name: "greedy",
      source: "test/support/threads/greedy-jobs-thread.ts",
      heapMb: 16,
      youngHeapMb: 4,
      isSilent: true,
    },
    settings: undefined,
    gate: createFairness().gate("preparers"),
    limits: { ...limits, ...more },
    cheaper: ({ task, text }) => (text === "cheaply" ? undefined : { task: tamed(task), text: "cheaply" }),
    refusal: () => new Error("too much"),
  });
}

/** What a job becomes in its cheaper way: one that hangs when it is told twice does so again. */
function tamed(task: GreedyJob["task"]): GreedyJob["task"] {
  return task === "hang later" ? task : "answer";
}

function run(task: GreedyJob["task"], text: string = task, size = quick): Promise<string> {
  return threads.run({ task, text }, size);
}

afterEach(() => threads.close());

describe("threads of many jobs", () => {
  it("answer each job with its own result, or with its own failure", async () => {
    start();
    const texts = Array.from({ length: 50 }, (_, at) => String(at));
    expect(await Promise.all(texts.map((text) => run("answer", text)))).toEqual(texts);
    await expect(run("fail")).rejects.toMatchObject({ code: "internal" });
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

  it("repeat a job that takes too much in a cheaper way, and refuse it when there is none", async () => {
    start();
    expect(await Promise.all([run("hang"), run("grow"), run("end"), run("answer")])).toEqual([
      "cheaply",
      "cheaply",
      "cheaply",
      "answer",
    ]);
    await expect(run("hang later")).rejects.toThrow("too much");
  });

  it("end when they had no job for a while, and start again with the next", async () => {
    start({ idleMs: 1 });
    const first = await run("name thread");
    await vi.waitFor(async () => expect(await run("name thread")).not.toBe(first), 60_000);
  });

  it("answer a quick job while one that was given before it still computes", async () => {
    start({ jobMs: 400 });
    const ended: string[] = [];
    const note = async (job: Promise<string>): Promise<void> => void ended.push(await job);
    await Promise.all([note(run("hang")), note(run("answer", "first")), note(run("answer", "second"))]);
    expect(ended).toEqual(["first", "second", "cheaply"]);
  });

  it("answer quick jobs while as many slow ones compute as there may be, and more wait", async () => {
    start();
    const ended: string[] = [];
    const note = async (job: Promise<string>): Promise<void> => void ended.push(await job);
    const hanging = [slow, slow, quick].map((size) => note(run("hang", "hang", size)));
    await note(run("answer", "small"));
    expect(ended).toEqual(["small"]);
    await Promise.all(hanging);
    expect(ended.slice(1)).toEqual(Array(3).fill("cheaply"));
  });

  it("run slow jobs of another owner before most jobs of an owner with many", async () => {
    start({ jobMs: 250 });
    const ended: string[] = [];
    const note = async (owner: string): Promise<void> => {
      await threads.run({ task: "hang", text: owner }, { ...slow, owner: { key: owner } });
      ended.push(owner);
    };
    await Promise.all([...Array.from({ length: 14 }, () => note("many")), note("one")]);
    // Two are under way when it comes, and each thread that is free next begins one of "many" at most before it.
    expect(ended.indexOf("one")).toBeLessThan(6);
  });

  it("lose no waiting job when its thread has to end because of another job", async () => {
    start();
    const waiting = Array.from({ length: 20 }, (_, at) => run("answer", String(at), at % 2 ? slow : quick));
    const greedy = [run("grow"), run("end"), run("hang later").catch(() => "refused")];
    const later = Array.from({ length: 20 }, (_, at) => run("answer", String(at), at % 2 ? slow : quick));
    expect(await Promise.all([...waiting, ...later])).toEqual([
      ...Array.from({ length: 20 }, (_, at) => String(at)),
      ...Array.from({ length: 20 }, (_, at) => String(at)),
    ]);
    expect(await Promise.all(greedy)).toEqual(["cheaply", "cheaply", "refused"]);
  });

  it("end a job that takes no processor time and never ends", async () => {
    start({ wallMs: 300 });
    expect(await run("wait")).toBe("cheaply");
  });

  it("refuse running jobs as temporary when they are closed", async () => {
    start();
    const refused = expect(run("wait")).rejects.toMatchObject({ code: "upstream_unavailable" });
    await threads.close();
    await refused;
    await expect(run("answer")).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  it("start no job whose caller has gone, and end a thread that computes for such a caller", async () => {
    start({ jobMs: 60_000, slowThreads: 1 });
    const gone = new AbortController();
    const hanging = forCaller(gone.signal, () => run("hang", "first", slow));
    const waiting = forCaller(gone.signal, () => run("answer", "second", slow));
    const other = run("answer", "third", slow);
    const refused = Promise.all([hanging, waiting].map((job) => expect(job).rejects.toThrow(CallerGone)));
    gone.abort(new CallerGone());
    await refused;
    expect(await other).toBe("third");
  });

  it("refuse jobs as temporary when thread after thread is silent", async () => {
    start({ silentMs: 0 });
    // One that answers may be faster than the first look at its thread.
    await expect(run("wait")).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  it("refuse jobs as temporary when their threads do not start", async () => {
    threads = createJobThreads<undefined, GreedyJob, string>({
      thread: { name: "none", source: "test/support/no-such-thread.ts", heapMb: 32, isSilent: true },
      settings: undefined,
      gate: createFairness().gate("preparers"),
      cheaper: () => undefined,
      refusal: () => new Error("too much"),
    });
    await expect(run("answer")).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
