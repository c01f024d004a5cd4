/** Loaded into the daemon by the benchmark of memory (`--import`): at SIGUSR2 writes the heaps of all threads, in bytes, to the file
 *  that HEAP_REPORT_FILE names. It collects no garbage: what is measured is what a user sees. */
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
  /** What V8 has of the system for it. */
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
      // A thread that ends now has none.
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
