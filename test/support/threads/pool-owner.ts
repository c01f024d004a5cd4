/** A process with a pool whose thread runs in its own process. It reports the id of that process and gives it a job that never ends. */
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
