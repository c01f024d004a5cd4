/** Threads that ended by themselves: counted by their name and why, and told, because whoever waited for their work is mostly told less. */

import { inspect } from "node:util";
import { readThrown } from "#/src/model/thrown.ts";

/** `memory`: the heap was full, or the machine. `error`: an exception that the thread did not catch. `exit`: anything else. */
export type ThreadEndCause = "memory" | "error" | "exit";

export interface ThreadEnd {
  readonly thread: string;
  readonly why: ThreadEndCause;
  /** The stack of the error, cut, or what is known. */
  readonly cause: string;
}

/** Characters of a stack. It may quote what the thread was reading. */
const causeLengthMax = 4096;

export const threadEndCauses = ["memory", "error", "exit"] as const satisfies readonly ThreadEndCause[];

const counts = new Map<string, Record<ThreadEndCause, number>>();
let tell: (end: ThreadEnd) => void = () => {};

export function noteThreadEnd(thread: string, isOutOfMemory: boolean, cause: unknown): void {
  const why = isOutOfMemory ? "memory" : cause instanceof Error ? "error" : "exit";
  const counted = counts.get(thread) ?? { memory: 0, error: 0, exit: 0 };
  counted[why]++;
  counts.set(thread, counted);
  tell({ thread, why, cause: describeCause(cause) });
}

/** What ended a thread, as text that is kept short. Libraries also throw what is no Error. */
export function describeCause(cause: unknown): string {
  if (typeof cause === "string") return cause.slice(0, causeLengthMax);
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause, { depth: 1 });
  return text.slice(0, causeLengthMax);
}

/** Of what a thread threw: its memory was full. */
export function wasOutOfMemory(thrown: unknown): boolean {
  return readThrown(thrown).code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** How many have ended since the start, by the names of the threads that had an end. */
export function threadEnds(): ReadonlyMap<string, Readonly<Record<ThreadEndCause, number>>> {
  return counts;
}

/** Tells ends to the listener from now on. Returns the former one. */
export function onThreadEnd(listener: (end: ThreadEnd) => void): (end: ThreadEnd) => void {
  const former = tell;
  tell = listener;
  return former;
}
