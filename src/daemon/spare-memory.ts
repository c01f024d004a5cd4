/** Returns memory to the system when work is over. V8 collects garbage when a heap grows, not when the process is idle, and the
 *  allocator of C keeps freed memory for later allocations. */
import type { Logger } from "pino";
import { after, every } from "#/src/model/background.ts";
import type { KeptDescriptions } from "#/src/render/kept-descriptions.ts";
import { collectGarbage } from "#/src/threads/collect-garbage.ts";
import { sharedMemory } from "#/src/threads/shared-memory.ts";
import type { Store } from "#/storage/store.ts";

const lookMs = 10_000;
/** Threads without work end after 30 s. After this time their memory is returned too. */
const againMs = 35_000;
/** A process that uses less than this share of one processor is idle. */
const quietShare = 0.05;
/** The least processor time of work after which garbage is collected. */
const workMsMin = 1000;
/** The least growth of resident memory after which it is collected however little the work was: a thousand streams that were opened and
 *  closed took 20 MB and less than a second. */
const grownBytesMin = 10e6;

export interface SparedRooms {
  readonly store: Pick<Store, "rest">;
  readonly descriptions: Pick<KeptDescriptions, "forgetAll">;
}

/** Checks regularly, and when work is over releases caches of readers, pages of the store, and garbage. */
export function spareMemory(
  { store, descriptions }: SparedRooms,
  log: Pick<Logger, "error">,
): { stop(): void } {
  const isOver = watchWork(performance.now());
  // The search index may be at work for long behind everybody else.
  const isOverHere = watchWork(performance.now());
  let again: NodeJS.Timeout | undefined;
  const giveAll = (): void => {
    descriptions.forgetAll();
    sharedMemory.dropAll();
    store
      .rest()
      .then(giveBack)
      .catch((error: unknown) => log.error({ err: error }, "memory could not be given back"));
  };
  const timer = every(lookMs, () => {
    sharedMemory.dropUnused();
    const now = performance.now();
    const resident = process.memoryUsage.rss();
    const isAllOver = isOver(now, millisecondsOf(process.cpuUsage()), resident);
    const isMainOver = isOverHere(now, millisecondsOf(process.threadCpuUsage()), resident);
    if (!isAllOver && !isMainOver) return;
    giveAll();
    clearTimeout(again);
    again = after(againMs, giveAll).unref();
  }).unref();
  return {
    stop() {
      clearInterval(timer);
      clearTimeout(again);
    },
  };
}

function millisecondsOf({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1000;
}

/** Answers a function that says at each check whether work is over: there was work since it was over last, or memory has grown, and almost
 *  no work since the last check. The function takes the clock and the processor time of the process or of a thread, both in milliseconds,
 *  and resident memory in bytes. */
export function watchWork(startedAt: number): (now: number, cpuMs: number, residentBytes: number) => boolean {
  let lastAt = startedAt;
  let lastMs = 0;
  let workMs = 0;
  /** The least resident memory of a check without work, since work was over last. */
  let restBytes = Number.POSITIVE_INFINITY;
  return (now, cpuMs, residentBytes) => {
    const addedMs = cpuMs - lastMs;
    const isQuiet = addedMs < (now - lastAt) * quietShare;
    lastAt = now;
    lastMs = cpuMs;
    workMs += addedMs;
    if (!isQuiet) return false;
    if (workMs < workMsMin && residentBytes < restBytes + grownBytesMin) {
      restBytes = Math.min(restBytes, residentBytes);
      return false;
    }
    workMs = 0;
    // What is in use is not given back: the next check tells what that is.
    restBytes = Number.POSITIVE_INFINITY;
    return true;
  };
}

/** Collects garbage and trims the allocator. Blocks this thread for some tens of milliseconds. */
export async function giveBack(): Promise<void> {
  collectGarbage();
  (await trimOfAllocator())?.();
}

/** `malloc_trim` of glibc; undefined on systems without it. */
async function trimOfAllocator(): Promise<(() => unknown) | undefined> {
  try {
    const ffi = await import("node:ffi");
    const { functions } = ffi.dlopen(null, { malloc_trim: { arguments: ["uint64"], return: "int32" } });
    return () => functions.malloc_trim(0n);
  } catch {
    return undefined;
  }
}
