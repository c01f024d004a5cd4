/** Counts refusals for each share, and logs them once a minute for each share and owner. */
import type { Owner } from "#/src/model/owner.ts";
import type { ShareName } from "./shares.ts";

/** The limit that was reached; `gave_way`: the place was taken back for others; `too_slow`: the transfer was below the minimum rate. */
export type RefusalReason = "total" | "share" | "account" | "gave_way" | "too_slow";

export interface RefusalLine {
  readonly share: ShareName;
  readonly what: string;
  readonly owner: string;
  readonly reason: RefusalReason;
}

export interface RefusalCount {
  readonly share: ShareName;
  readonly reason: RefusalReason;
  readonly count: number;
}

export interface Refusals {
  note(share: ShareName, what: string, owner: Owner, reason: RefusalReason): void;
  /** The counts since the start. */
  counts(): readonly RefusalCount[];
}

const quietMs = 60_000;
/** Bound on the owners that are remembered, and so on the log lines of a minute. */
const linesMax = 1000;

/** `now`: a monotonic time in milliseconds. */
export function createRefusals(
  write: (line: RefusalLine) => void,
  now: () => number = () => performance.now(),
): Refusals {
  /** When each owner was last logged, in the order of the log lines. */
  const saidAt = new Map<string, number>();
  const counted = new Map<string, { share: ShareName; reason: RefusalReason; count: number }>();

  function mayBeSaid(key: string): boolean {
    const at = now();
    for (const [known, said] of saidAt) {
      if (at - said < quietMs) break;
      saidAt.delete(known);
    }
    if (saidAt.has(key) || saidAt.size >= linesMax) return false;
    saidAt.set(key, at);
    return true;
  }

  return {
    note(share, what, owner, reason) {
      const kind = `${share} ${reason}`;
      const entry = counted.get(kind) ?? { share, reason, count: 0 };
      counted.set(kind, entry);
      entry.count++;
      if (mayBeSaid(`${share} ${owner.key}`)) write({ share, what, owner: owner.key, reason });
    },
    counts: () => [...counted.values()].map((entry) => ({ ...entry })),
  };
}
