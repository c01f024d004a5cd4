import { Gate } from "#/src/fairness/gate.ts";
import type { ThreadKind } from "#/src/threads/house-threads.ts";
import { createThreadPool, type PoolLimits } from "#/src/threads/thread-pool.ts";
import type { GreedyJob } from "./greedy-thread.ts";

const limits: PoolLimits = {
  ...{ quickThreads: 1, slowThreads: 2, slowMs: 50, jobMs: 200, jobMsPerMiB: 0 },
  ...{ wallMs: 60_000, silentMs: 5000, startMs: 60_000, lookMs: 10, idleMs: 30_000 },
};

export function openGreedyPool(more: Partial<PoolLimits> = {}, kind: Partial<ThreadKind> = {}) {
  const gate = new Gate({
    ...{ what: "jobs", total: 512, share: 512 },
    waiting: { total: 9, share: 9, waitMs: 60_000 },
  });
  const pool = createThreadPool<undefined, GreedyJob, string>({
    thread: {
      ...{ name: "greedy", source: "test/support/threads/greedy-thread.ts", isSilent: true },
      ...{ heapMb: 16, youngHeapMb: 4, ...kind },
    },
    settings: undefined,
    gate,
    limits: { ...limits, ...more },
    isLast: (answer) => answer === "last",
  });
  return { gate, pool };
}
