/** Runs scheduling jobs. A small object that does not repeat is computed at once, all others on a thread with a time limit, because a
 *  recurrence rule may cost a quarter of a second for each requested instance. */

import { needsRules } from "#/src/formats/icalendar/needs-rules.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import type { Reading } from "#/src/threads/reading.ts";
import { runJob, type SchedulingJob, type SchedulingResult } from "./jobs.ts";

export interface Schedulers {
  run(job: SchedulingJob): Promise<SchedulingResult>;
}

export function createSchedulers(reading: Reading): Schedulers {
  return {
    async run(job) {
      if (isQuick(job)) return runJob(job);
      const bytes = textsOf(job).reduce((sum, text) => sum + (text?.byteLength ?? 0), 0);
      const result = await reading.read<SchedulingResult>("scheduling", job, { bytes });
      return result ?? { outcome: "beyond_limits" };
    },
  };
}

export function isQuick(job: SchedulingJob): boolean {
  const told = "told" in job ? (job.told ?? []) : [];
  const toldBytes = told.reduce((sum, { bytes }) => sum + (bytes?.byteLength ?? 0), 0);
  return (
    toldBytes <= mainBytesMax &&
    textsOf(job).every((text) => text === undefined || (text.byteLength <= mainBytesMax && !needsRules(text)))
  );
}

function textsOf(job: SchedulingJob): readonly (Uint8Array | undefined)[] {
  switch (job.kind) {
    case "answer":
      return [job.stored, job.message, ...job.told.map(({ bytes }) => bytes)];
    case "apply":
    case "renew":
      return [job.stored, job.message];
    case "ask":
      return [job.message];
    case "note":
      return [job.stored];
    case "attach":
    case "attached":
    case "mailed":
    case "others":
    case "status":
      return [job.now];
    case "name":
      return job.texts;
    case "decide":
      return [job.old, job.now, ...(job.told ?? []).map(({ bytes }) => bytes)];
    case "show":
      return [job.stored, job.old, job.now];
  }
}

/** For commands that end soon: computes every job at once. */
export function createDirectSchedulers(): Schedulers {
  return { run: async (job) => runJob(job) };
}
