/** Loaded into the daemon under attack: notes what the turns of its main thread's loop take of a processor, which says the same on a
 *  busy machine as on a quiet one. Every line of the file is the longest of a quarter of a second, in milliseconds. */
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
  // A timer goes off once a turn: what was used since the last time is that of a turn, or of several short ones.
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
