/** Calls that a thread must not be ended in. Node makes a compressor in two steps, and ends the whole process when the thread is ended
 *  between them ("close before init" in node_zlib.cc). So whoever ends a thread (`endThread`) says so first and waits until the thread is out
 *  of such a call, and a thread that is told so begins none. */
import { getEnvironmentData } from "node:worker_threads";

/** Names the shared words among the data that a thread is started with. */
export const interruptionName = "waypost-interruption";
/** Not 0: the thread is being ended. */
export const wordOfEnd = 0;
/** Not 0: the thread is in such a call. */
export const wordOfCall = 1;
export const interruptionWords = 2;

let words: Int32Array | undefined;
let isRead = false;

export function uninterrupted<T>(call: () => T): T {
  if (!isRead) words = getEnvironmentData(interruptionName) as Int32Array | undefined;
  isRead = true;
  if (words === undefined) return call();
  Atomics.store(words, wordOfCall, 1);
  if (Atomics.load(words, wordOfEnd) !== 0) {
    Atomics.store(words, wordOfCall, 0);
    // Until the thread is ended.
    Atomics.wait(words, wordOfEnd, 1);
  }
  try {
    return call();
  } finally {
    Atomics.store(words, wordOfCall, 0);
  }
}
