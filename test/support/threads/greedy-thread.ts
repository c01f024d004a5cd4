/** A thread of a pool. A job says what it does: answer, fail (with an error, or with what has no text), throw what nobody catches (an error, an object, null), hang at once or after three turns of the event loop, grow in small or in
 *  large pieces, end the thread, wait for ever, sleep so that it gets no processor time, return the id of its thread (at once or after
 *  10 ms of processor time, or 30 in turns) or of its process, or the number of jobs so far, or what it may do outside of its program. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { setImmediate as loopTurn } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { serveJobs } from "#/src/threads/serve-jobs.ts";

export interface GreedyJob {
  readonly task:
    | "answer"
    | "fail"
    | "fail without text"
    | "throw"
    | "throw no error"
    | "throw nothing"
    | "hang"
    | "hang later"
    | "grow"
    | "grow in large pieces"
    | "end"
    | "wait"
    | "sleep"
    | "name thread"
    | "name process"
    | "count"
    | "escape"
    | "compute"
    | "compute in turns";
  readonly text: string;
}

let jobs = 0;

serveJobs<undefined, GreedyJob, string>(() => async ({ task, text }) => {
  jobs++;
  if (task === "wait") await new Promise(() => {});
  if (task === "sleep") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (task === "hang later") for (let turn = 0; turn < 3; turn++) await loopTurn();
  if (task === "throw" || task === "throw no error" || task === "throw nothing") {
    queueMicrotask(() => {
      if (task === "throw nothing") throw null;
      throw task === "throw" ? new TypeError(`nobody catches ${text}`) : { because: text };
    });
    await new Promise(() => {});
  }
  if (task === "fail") throw new Error("as told");
  if (task === "fail without text") throw Object.create(null);
  if (task === "end") process.exit(1);
  const held: unknown[] = [];
  while (task === "hang" || task === "hang later" || task === "grow")
    if (task === "grow") held.push(new Array(1000).fill(held.length));
  // One call makes more objects than the reserve that V8 grants to a thread that reaches its heap limit.
  while (task === "grow in large pieces") held.push(JSON.parse(`[${'{"a":1},'.repeat(1_500_000)}1]`));
  if (task === "compute") compute(10);
  for (let piece = 0; task === "compute in turns" && piece < 30; piece++) {
    compute(1);
    await nextTurn();
  }
  return { result: task === "escape" ? listEscapes() : (nameOf(task) ?? text), transfer: [] };
});

/** What a document must not do. */
const ways: Readonly<Record<string, () => unknown>> = {
  read: () => fs.readFileSync("/etc/hostname"),
  write: () => fs.writeFileSync("/tmp/waypost-escaped", ""),
  start: () => spawnSync("true").error,
  library: () => process.dlopen({ exports: {} }, "/none.node"),
};

function listEscapes(): string {
  const done = Object.entries(ways).filter(([, go]) => {
    try {
      go();
      return true;
    } catch (error) {
      return !/ACCESS_DENIED|DLOPEN_DISABLED/.test((error as NodeJS.ErrnoException).code ?? "");
    }
  });
  const hasNet = (process as { permission?: { has(what: string): boolean } }).permission?.has("net") ?? true;
  return [...done.map(([name]) => name), ...(hasNet ? ["net"] : [])].join(" ");
}

function nameOf(task: GreedyJob["task"]): string | undefined {
  if (task === "count") return `job ${jobs}`;
  if (task === "name process") return String(process.pid);
  return task === "name thread" || task.startsWith("compute") ? String(threadId) : undefined;
}

function compute(ms: number): void {
  for (const begun = cpuMs(); cpuMs() - begun < ms; );
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
