/** A thread of many jobs that does what they say: answer, fail, hang, grow, end, wait for another turn of the loop first,
 *  wait for nothing at all, or name their thread. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { serveJobs } from "#/src/threads/serve-jobs.ts";

export interface GreedyJob {
  readonly deed: "answer" | "fail" | "hang" | "hang later" | "grow" | "end" | "wait" | "name thread";
  readonly text: string;
}

serveJobs<undefined, GreedyJob, string>(() => async ({ deed, text }) => {
  if (deed === "wait") await new Promise(() => {});
  if (deed === "hang later") for (let turn = 0; turn < 3; turn++) await nextTurn();
  if (deed === "fail") throw new Error("as told");
  if (deed === "end") process.exit(1);
  const held: unknown[] = [];
  while (deed === "hang" || deed === "hang later" || deed === "grow")
    if (deed === "grow") held.push(new Array(1000).fill(held.length));
  return { result: deed === "name thread" ? String(threadId) : text, transfer: [] };
});
