/** The daemon under attack loads this (`--import`). It records the processor time of the turns of the main thread's event loop; unlike
 *  elapsed time, that is the same on a busy machine. Each line of the file is the longest turn of a quarter of a second, in ms. */
import fs from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.ABUSE_LOOP_FILE;
const tickMs = 4;
const writeMs = 250;

if (isMainThread && file !== undefined) {
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = usedMs();
  let longest = 0;
  let writtenAt = performance.now();
  // A timer fires at most once a turn. The time since the last call is that of one turn, or of several short ones.
  setInterval(() => {
    const now = usedMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (performance.now() - writtenAt < writeMs) return;
    fs.appendFileSync(file, `${longest.toFixed(1)}\n`);
    writtenAt = performance.now();
    longest = 0;
  }, tickMs).unref();
}
