/** The thread's side of `thread-pool.ts`: runs one job after the other. Called after all modules are loaded, because the time of a job
 *  begins then. */
import { parentPort, workerData } from "node:worker_threads";
import { inBackground } from "#/src/model/background.ts";
import { CallerGone, lookForCaller } from "#/src/model/caller.ts";

/** The first message of a thread. */
export const ready = "ready";

export interface EachThreadData {
  /** Shared: not 0 when the caller of the job has gone. */
  readonly gone: Int32Array;
}

/** Without a result if the job ended because its caller had gone. */
export interface EachAnswer<Result> {
  readonly result?: Result;
}

/** A job ends in `assertCallerThere` if its caller has gone. */
export function serveEach<Job, Result>(run: (job: Job) => Result | Promise<Result>): void {
  const { gone } = workerData as EachThreadData;
  lookForCaller(() => Atomics.load(gone, 0) === 0);
  const serve = async (job: Job): Promise<void> => {
    let answer: EachAnswer<Result>;
    try {
      answer = { result: await run(job) };
    } catch (error) {
      if (!(error instanceof CallerGone)) throw error;
      answer = {};
    }
    parentPort!.postMessage(answer);
  };
  parentPort!.on("message", (job: Job) => inBackground(() => serve(job)));
  parentPort!.postMessage(ready);
}
