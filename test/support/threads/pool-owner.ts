/** A process with a pool whose thread runs in its own process. It reports the id of that process and gives it a job that never ends. */
import { openGreedyPool } from "./greedy-pool.ts";

const { pool } = openGreedyPool({ jobMs: 600_000 }, { hasOwnProcess: true });
const pid = Number(await pool.run({ task: "name process", text: "" }, { bytes: 1 }));
void pool.run({ task: "hang", text: "" }, { bytes: 1 });
process.send!(pid);
