/** A cache of the results of readings that are expensive: those that exceeded a limit, and documents that could not be read or took
 *  long. A blob never changes, and its number is never used again; a process has one version of each reader. */
import { rememberedReadingCharactersMax, rememberedReadingsMax } from "#/src/model/limits.ts";
import type { RemovalCounts } from "#/src/model/removal.ts";

interface Reading {
  readonly text: string;
  readonly removed: RemovalCounts;
}

export interface ReadingMemory<Result extends Reading> {
  /** `isListed`: for a listing, which reads nothing twice. */
  recall(name: string, isListed: boolean): Result | undefined;
  /** `cpuMs`: what it took of a processor; undefined when its thread had to be ended. */
  keep(name: string, result: Result, cpuMs: number | undefined): void;
}

/** The time of a processor from which on a document is not read twice. */
const dearMs = 50;
/** A thread may have to be ended because the whole machine stood still: who asks for such a text gets it read again after so long. */
const endedMs = 3_600_000;

interface Kept<Result> {
  readonly result: Result;
  readonly until: number;
}

export function createReadingMemory<Result extends Reading>(
  now: () => number = () => performance.now(),
): ReadingMemory<Result> {
  /** What was asked for last is last. */
  const kept = new Map<string, Kept<Result>>();
  let characters = 0;

  function forget(name: string): void {
    const one = kept.get(name);
    if (one === undefined) return;
    kept.delete(name);
    characters -= one.result.text.length;
  }

  return {
    recall(name, isListed) {
      const one = kept.get(name);
      if (one === undefined || (!isListed && one.until <= now())) return undefined;
      kept.delete(name);
      kept.set(name, one);
      return one.result;
    },
    keep(name, result, cpuMs) {
      const isUnread = result.removed.some(([what]) => what === "over-limit" || what === "undecodable");
      if (!isUnread && cpuMs !== undefined && cpuMs < dearMs) return;
      forget(name);
      kept.set(name, { result, until: cpuMs === undefined ? now() + endedMs : Number.POSITIVE_INFINITY });
      characters += result.text.length;
      for (const [oldest] of kept) {
        if (kept.size <= rememberedReadingsMax && characters <= rememberedReadingCharactersMax) break;
        forget(oldest);
      }
    },
  };
}
