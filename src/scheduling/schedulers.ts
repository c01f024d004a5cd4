/** Runs scheduling jobs. A small object that does not repeat is computed at once, all others on a thread with a time limit, because a
 *  recurrence rule may cost a quarter of a second for each requested instance. */

import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import { unfoldedOctets } from "#/src/formats/content-lines/unfold.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";
import { runJob, type SchedulingJob, type SchedulingResult } from "./jobs.ts";

export interface Schedulers extends AsyncDisposable {
  run(job: SchedulingJob): Promise<SchedulingResult>;
}

const timeLimitMs = 5000;
const repeating = /^(?:RRULE|RDATE|EXRULE)[;:]/im;

export function createSchedulers(fairness: Fairness = createFairness()): Schedulers {
  const threads = createThreadPool<SchedulingJob, SchedulingResult>({
    thread: houseThreads.scheduler,
    gate: fairness.gate("scheduler", jobsOf(1)),
    timeLimitMs,
    overLimit: { outcome: "beyond_limits" },
  });
  return {
    async run(job) {
      return isQuick(job) ? runJob(job) : threads.run(job);
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}

/** Searches for property names in unfolded lines. */
export function isQuick(job: SchedulingJob): boolean {
  return textsOf(job).every(
    (text) =>
      text === undefined || (text.byteLength <= mainBytesMax && !repeating.test(unfoldedOctets(text))),
  );
}

function textsOf(job: SchedulingJob): readonly (Uint8Array | undefined)[] {
  switch (job.kind) {
    case "apply":
    case "answer":
    case "renew":
      return [job.stored, job.message];
    case "ask":
      return [job.message];
    case "note":
      return [job.stored];
    case "attach":
      return [job.now];
    default:
      return [job.old, job.now];
  }
}

/** For commands that end soon: computes every job at once. */
export function createDirectSchedulers(): Schedulers {
  return {
    run: async (job) => runJob(job),
    async [Symbol.asyncDispose]() {},
  };
}
