/** The three classes of threads that compute for others. A message that arrives never waits behind what is read, and a document has a
 *  process of its own. */
import { availableParallelism } from "node:os";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Gate } from "#/src/fairness/gate.ts";
import { houseThreads, type ThreadKind } from "./house-threads.ts";
import { createThreadPool, type PoolLimits, type ThreadPool, type ThreadPoolOptions } from "./thread-pool.ts";

const bounds = { silentMs: 5000, startMs: 60_000, lookMs: 25, idleMs: 30_000, jobMsPerMiB: 100 };

interface PoolClass {
  readonly thread: ThreadKind;
  gate(fairness: Fairness): Gate;
  readonly limits: PoolLimits;
}

const classes = {
  arrival: {
    thread: houseThreads.preparer,
    gate: (fairness) => fairness.gate("arrival"),
    limits: {
      ...bounds,
      // Beside the main thread and the writer.
      quickThreads: Math.max(1, Math.min(4, availableParallelism() - 2)),
      slowThreads: 2,
      slowMs: 100,
      jobMs: 2000,
      // A job waits for answers of DNS.
      wallMs: 60_000,
    },
  },
  reading: {
    thread: houseThreads.reading,
    gate: (fairness) => fairness.gate("reading"),
    limits: {
      ...bounds,
      quickThreads: Math.max(1, Math.min(3, availableParallelism() - 1)),
      slowThreads: 2,
      slowMs: 150,
      jobMs: 5000,
      jobMsPerMiB: 0,
      // The machine may be busy.
      wallMs: 20_000,
    },
  },
  documents: {
    thread: houseThreads.documents,
    gate: (fairness) => fairness.gate("documents"),
    // One for each owner at work, so that a document that takes long keeps its own owner waiting.
    limits: {
      ...{ ...bounds, quickThreads: 0, slowThreads: 3, slowMs: 250 },
      ...{ jobMs: 3000, jobMsPerMiB: 0, wallMs: 12_000 },
    },
  },
} as const satisfies Record<string, PoolClass>;

export function createClassPool<Settings, Job, Result>(
  name: keyof typeof classes,
  fairness: Fairness,
  options: Omit<ThreadPoolOptions<Settings, Job, Result>, "thread" | "gate" | "limits"> & {
    readonly limits?: Partial<PoolLimits>;
  },
): ThreadPool<Job, Result> {
  const { thread, gate, limits } = classes[name];
  return createThreadPool<Settings, Job, Result>({
    ...options,
    ...{ thread, gate: gate(fairness), limits: { ...limits, ...options.limits } },
  });
}
