/** Makes one uninterrupted call after another. Counts the calls that have begun and the calls that have ended. */
import { workerData } from "node:worker_threads";
import { uninterrupted } from "#/src/model/uninterrupted.ts";

const counts = workerData as Int32Array;
const still = new Int32Array(new SharedArrayBuffer(4));

for (;;)
  uninterrupted(() => {
    Atomics.add(counts, 0, 1);
    Atomics.notify(counts, 0);
    Atomics.wait(still, 0, 0, 20);
    Atomics.add(counts, 1, 1);
  });
