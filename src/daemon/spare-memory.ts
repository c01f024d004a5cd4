/** Gives memory back to the system when work is over. V8 collects garbage when a heap grows, not when there is nothing to do, and the
 *  allocator of C keeps what was freed for what comes next. */
import type { Logger } from "pino";
import type { KeptDescriptions } from "#/src/render/kept-descriptions.ts";
import { collectGarbage } from "#/src/threads/collect-garbage.ts";
import type { Store } from "#/storage/store.ts";

const lookMs = 10_000;
/** Threads without work end after 30 s. What they had is given back then. */
const againMs = 35_000;
/** Of one processor: below this share the process has nothing to do. */
const quietShare = 0.05;
/** Processor time of work that is worth collecting after. */
const workMsMin = 1000;

export interface SparedRooms {
  readonly store: Pick<Store, "rest">;
  readonly descriptions: Pick<KeptDescriptions, "forgetAll">;
}

/** Looks again and again, and gives back when work is over: what is kept for who reads again, pages of the store, and garbage. */
export function spareMemory(
  { store, descriptions }: SparedRooms,
  log: Pick<Logger, "error">,
): { stop(): void } {
  const isOver = watchWork(performance.now());
  let again: NodeJS.Timeout | undefined;
  const giveAll = (): void => {
    descriptions.forgetAll();
    store
      .rest()
      .then(giveBack)
      .catch((error: unknown) => log.error({ err: error }, "memory could not be given back"));
  };
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (!isOver(performance.now(), (user + system) / 1000)) return;
    giveAll();
    clearTimeout(again);
    again = setTimeout(giveAll, againMs).unref();
  }, lookMs).unref();
  return {
    stop() {
      clearInterval(timer);
      clearTimeout(again);
    },
  };
}

/** Tells at each look, by the clock and the processor time of the process, both in milliseconds, whether work is over: there was
 *  some since it last was, and since the last look there was next to none. */
export function watchWork(startedAt: number): (now: number, cpuMs: number) => boolean {
  let lastAt = startedAt;
  let lastMs = 0;
  let workMs = 0;
  return (now, cpuMs) => {
    const addedMs = cpuMs - lastMs;
    const isQuiet = addedMs < (now - lastAt) * quietShare;
    lastAt = now;
    lastMs = cpuMs;
    workMs += addedMs;
    if (!isQuiet || workMs < workMsMin) return false;
    workMs = 0;
    return true;
  };
}

/** Holds this thread for some tens of milliseconds. */
export async function giveBack(): Promise<void> {
  collectGarbage();
  (await trimOfAllocator())?.();
}

/** `malloc_trim` of glibc, which other systems have not. */
async function trimOfAllocator(): Promise<(() => unknown) | undefined> {
  try {
    const ffi = await import("node:ffi");
    const { functions } = ffi.dlopen(null, { malloc_trim: { arguments: ["uint64"], return: "int32" } });
    return () => functions.malloc_trim(0n);
  } catch {
    return undefined;
  }
}
