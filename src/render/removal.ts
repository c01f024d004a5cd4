/** What was left out of a rendering, and where ("Read result" of the interface). */
import type { Doubt, Removal } from "#/src/model/removal.ts";

export interface RemovalDetail {
  readonly what: Removal;
  readonly count: number;
  /** A section number, a field, or part of a result. */
  readonly where: string;
  /** Of "doubtful" only. */
  readonly why?: Doubt;
}

export interface RemovalTally {
  add(what: Removal, where: string, count?: number, why?: Doubt): void;
  addAll(details: readonly RemovalDetail[]): void;
  list(): RemovalDetail[];
}

export function createRemovalTally(): RemovalTally {
  const details = new Map<string, { what: Removal; where: string; count: number; why?: Doubt }>();
  const tally: RemovalTally = {
    add(what, where, count = 1, why) {
      if (count === 0) return;
      const key = `${what} ${why ?? ""} ${where}`;
      const entry = details.get(key);
      if (entry === undefined)
        details.set(key, { what, where, count, ...(why === undefined ? {} : { why }) });
      else entry.count += count;
    },
    addAll(added) {
      for (const { what, where, count, why } of added) tally.add(what, where, count, why);
    },
    list: () =>
      [...details.values()].map(({ what, count, where, why }) =>
        why === undefined ? { what, count, where } : { what, count, where, why },
      ),
  };
  return tally;
}
