/** Gives what strangers wrote to the threads of the reading class (`classes.ts`). What reads it is in the table of the thread
 *  (`src/daemon/reading-thread.ts`). */
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { noteFailure } from "#/src/model/background.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { createClassPool } from "./classes.ts";
import type { JobSize } from "./task.ts";
import type { PoolLimits } from "./thread-pool.ts";

export type ReaderName =
  | "busy"
  | "contacts"
  | "events"
  | "headers"
  | "items"
  | "questions"
  | "scheduling"
  | "texts";

export interface ReadingJob {
  readonly reader: ReaderName;
  readonly job: unknown;
}

export interface Reading extends AsyncDisposable {
  /** The answer of a reader; undefined if it exceeds a limit or fails. Throws as `ThreadPool.run` does. */
  read<Answer>(reader: ReaderName, job: unknown, size: JobSize): Promise<Answer | undefined>;
}

export function createReading(
  fairness: Fairness = createFairness(),
  limits: Partial<PoolLimits> = {},
): Reading {
  const pool = createClassPool<undefined, ReadingJob, unknown>("reading", fairness, {
    settings: undefined,
    limits,
  });
  return {
    async read<Answer>(reader: ReaderName, job: unknown, size: JobSize) {
      try {
        return (await pool.run({ reader, job }, size)) as Answer | undefined;
      } catch (error) {
        if (!isWaypostError(error) || error.code !== "internal") throw error;
        // One text that a reader fails at does not end the listing that it is in.
        noteFailure(error);
        return undefined;
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
