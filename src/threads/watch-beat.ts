/** Watches a thread that works on its own and has no jobs that could be limited one by one. */
import type { Worker } from "node:worker_threads";

/** Looks at each thread take no time worth counting. */
const lookMs = 250;

/** Calls `over` once, when the thread has taken `turnMsMax` of a processor without a turn of its loop, which counts `beat` up.
 *  Answers what ends the watch. */
export function watchBeat(
  thread: Worker,
  beat: Int32Array,
  turnMsMax: number,
  over: (reason: string) => void,
): () => void {
  let seen = -1;
  let turnBegan = 0;
  const timer = setInterval(look, Math.min(lookMs, turnMsMax / 4)).unref();

  async function look(): Promise<void> {
    const beats = Atomics.load(beat, 0);
    const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    const cpuMs = (user + system) / 1000;
    if (beats !== seen) {
      seen = beats;
      turnBegan = cpuMs;
    } else if (cpuMs - turnBegan >= turnMsMax) {
      clearInterval(timer);
      over(`The thread took ${turnMsMax} ms of a processor in one turn`);
    }
  }

  return () => clearInterval(timer);
}
