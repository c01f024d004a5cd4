/** The memory benchmark loads this into the daemon (`--import`). At SIGUSR2 it writes the heaps of all threads, in bytes, to the file
 *  that HEAP_REPORT_FILE names. It collects no garbage before, so the numbers are those that a user sees. */
import fs from "node:fs";
import { getHeapStatistics, type HeapInfo } from "node:v8";
import { isMainThread, type Worker } from "node:worker_threads";

export interface HeapReport {
  readonly count: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly threads: readonly ThreadHeap[];
}

export interface ThreadHeap {
  readonly name: string;
  readonly used: number;
  /** Memory that V8 has from the system for this heap. */
  readonly committed: number;
}

const file = process.env.HEAP_REPORT_FILE;

if (isMainThread && file !== undefined) {
  const workers = new Set<Worker>();
  let count = 0;
  process.on("worker", (worker: Worker) => {
    workers.add(worker);
    worker.once("exit", () => workers.delete(worker));
  });
  process.on("SIGUSR2", async () => {
    const threads = [heapOf("main", getHeapStatistics())];
    for (const worker of workers) {
      const name = worker.threadName ?? "";
      // A thread that is ending has no statistics.
      const heap = await worker.getHeapStatistics().catch(() => undefined);
      if (heap !== undefined) threads.push(heapOf(name, heap));
    }
    const { external, arrayBuffers } = process.memoryUsage();
    const report: HeapReport = { count: ++count, external, arrayBuffers, threads };
    fs.writeFileSync(`${file}.new`, JSON.stringify(report));
    fs.renameSync(`${file}.new`, file);
  });
}

function heapOf(name: string, heap: HeapInfo): ThreadHeap {
  return { name, used: heap.used_heap_size, committed: heap.total_physical_size };
}
