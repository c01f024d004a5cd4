/** A process with a pool whose thread has a process of its own: says the number of that, and gives it a job without an end. */
import { Gate } from "#/src/fairness/gate.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";

const pool = createThreadPool<string, string>({
  thread: {
    ...{ name: "greedy", source: "test/support/threads/greedy-thread.ts", heapMb: 32 },
    ...{ isSilent: true, hasOwnProcess: true },
  },
  gate: new Gate({ what: "jobs", total: 1, share: 1 }),
  timeLimitMs: 600_000,
  overLimit: "over",
});
const pid = Number(await pool.run("process"));
void pool.run("hang");
process.send!(pid);
