/** Ends a thread whose heap has grown too large before V8 sees its limit. At its limit V8 ends a thread alone only if what is made there
 *  is small: a table or an array that grows by more than 16 MiB, or `JSON.parse`, ends the whole process. So the limit of V8 lies
 *  above what a thread may have, and the main thread looks at the heap while the thread works. */
import v8 from "node:v8";
import type { Worker } from "node:worker_threads";
import type { ThreadKind } from "./house-threads.ts";

/** What a heap can grow by before a look that comes late, or in one call of a built-in function, which is not interrupted. Not more:
 *  when the main thread is busy the look may be so late that V8's limit is what bounds the memory of the thread. */
const reserveMb = 128;
const defaultLookMs = 25;
const mebibyte = 1024 * 1024;

// With a high limit V8 would first collect what is old at 256 MiB.
v8.setFlagsFromString("--initial-old-space-size=32");

/** The limit of V8 for a thread that is watched. */
export function limitWatchedMb(kind: ThreadKind): number {
  return watchedMb(kind) + reserveMb;
}

/** What is of no use any more counts until it is collected, which may be as much again. */
function watchedMb({ heapMb }: ThreadKind): number {
  return 2 * heapMb;
}

/** Whether the heap is larger than the thread may have. Rejects when the thread has ended. */
export async function isHeapOver(worker: Worker, kind: ThreadKind): Promise<boolean> {
  const { used_heap_size: bytes } = await worker.getHeapStatistics();
  return bytes >= watchedMb(kind) * mebibyte;
}

/** Calls `over` once, when the heap has grown too large. Answers what ends the watch. */
export function watchHeap(
  worker: Worker,
  kind: ThreadKind,
  over: (reason: string) => void,
  lookMs = defaultLookMs,
): () => void {
  let isAsked = false;
  let isEnded = false;
  const timer = setInterval(look, lookMs).unref();

  function look(): void {
    if (isAsked) return;
    isAsked = true;
    // A thread that has ended says so by itself.
    isHeapOver(worker, kind).then(judge, stop);
  }

  function judge(isOver: boolean): void {
    isAsked = false;
    if (!isOver || isEnded) return;
    stop();
    over(`The heap of the thread has more than ${watchedMb(kind)} MiB`);
  }

  function stop(): void {
    isEnded = true;
    clearInterval(timer);
  }

  return stop;
}
