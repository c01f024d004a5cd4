/** The side of a thread of `thread-pool.ts`: one job at a time, its answer, the next. Called when all is loaded: the time of a job
 *  begins then. */
import { parentPort } from "node:worker_threads";

/** The first message of a thread. */
export const ready = "ready";

export function serveEach<Job, Result>(run: (job: Job) => Result | Promise<Result>): void {
  parentPort!.on("message", async (job: Job) => {
    parentPort!.postMessage(await run(job));
  });
  parentPort!.postMessage(ready);
}
