/** Makes one call after the other that must not be interrupted, and counts those that it has begun and those that it has ended. */
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
