/** What a rendering left out and where ("Read result" of the interface). */
import type { Removal } from "#/src/model/removal.ts";

export interface RemovalDetail {
  readonly what: Removal;
  readonly count: number;
  /** A section number, a field, or part of a result. */
  readonly where: string;
}

export interface RemovalTally {
  add(what: Removal, where: string, count?: number): void;
  addAll(details: readonly RemovalDetail[]): void;
  list(): RemovalDetail[];
}

export function createRemovalTally(): RemovalTally {
  const counts = new Map<string, { what: Removal; where: string; count: number }>();
  const tally: RemovalTally = {
    add(what, where, count = 1) {
      if (count === 0) return;
      const key = `${what} ${where}`;
      const entry = counts.get(key);
      if (entry === undefined) counts.set(key, { what, where, count });
      else entry.count += count;
    },
    addAll(details) {
      for (const { what, where, count } of details) tally.add(what, where, count);
    },
    list: () => [...counts.values()].map(({ what, count, where }) => ({ what, count, where })),
  };
  return tally;
}
