/** A thread that runs many jobs at a time. A job says what it does: answer, fail, hang at once or after three turns of the event
 *  loop, grow, end the thread, wait for ever, or return the thread's id, at once or after 10 ms of processor time. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { serveJobs } from "#/src/threads/serve-jobs.ts";

export interface GreedyJob {
  readonly task:
    | "answer"
    | "fail"
    | "hang"
    | "hang later"
    | "grow"
    | "end"
    | "wait"
    | "name thread"
    | "compute";
  readonly text: string;
}

serveJobs<undefined, GreedyJob, string>(() => async ({ task, text }) => {
  if (task === "wait") await new Promise(() => {});
  if (task === "hang later") for (let turn = 0; turn < 3; turn++) await nextTurn();
  if (task === "fail") throw new Error("as told");
  if (task === "end") process.exit(1);
  const held: unknown[] = [];
  while (task === "hang" || task === "hang later" || task === "grow")
    if (task === "grow") held.push(new Array(1000).fill(held.length));
  for (const begun = cpuMs(); task === "compute" && cpuMs() - begun < 10; );
  return { result: isNaming(task) ? String(threadId) : text, transfer: [] };
});

function isNaming(task: GreedyJob["task"]): boolean {
  return task === "name thread" || task === "compute";
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
