/** Watches a thread that works without jobs, so that no limit for each job is possible. */
import type { Worker } from "node:worker_threads";
import { every } from "#/src/model/background.ts";

/** A reading of the processor time costs almost nothing. */
const lookMs = 250;

/** Calls `over` once, when the thread has used `turnMsMax` of processor time without a turn of its event loop. Each turn
 *  increments `beat`. Returns the function that ends the watch. */
export function watchBeat(
  thread: Worker,
  beat: Int32Array,
  turnMsMax: number,
  over: (reason: string) => void,
): () => void {
  let seen = -1;
  let turnBegan = 0;
  const timer = every(Math.min(lookMs, turnMsMax / 4), look).unref();

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
