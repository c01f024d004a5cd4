/** What was refused for a share: counted, and told in the log once a minute for each share and owner. */
import type { Owner } from "#/src/model/owner.ts";
import type { ShareName } from "./shares.ts";

/** The limit that was met; `gave_way`: it was taken away for others; `too_slow`: it came below the least rate. */
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
  /** Since the start. */
  counts(): readonly RefusalCount[];
}

const quietMs = 60_000;
/** Owners that are remembered, and so lines of a minute. */
const linesMax = 1000;

/** `now` in milliseconds, never going back. */
export function createRefusals(
  write: (line: RefusalLine) => void,
  now: () => number = () => performance.now(),
): Refusals {
  /** In the order of the lines. */
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
