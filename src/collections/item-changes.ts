import type { ItemNumber, Modseq } from "#/src/model/numbers.ts";

/** The net change of one item over a range of the log. An item whose href changed is removed at the old href, and changed. */
export interface ItemChange {
  readonly item: ItemNumber;
  readonly operation: "changed" | "removed";
  /** Of a removed one, what its href ended with, if the client chose it. */
  readonly segment: string | undefined;
}

export interface ItemChanges {
  readonly changes: readonly ItemChange[];
  /** Up to where the log is told in them. */
  readonly modseq: Modseq;
  /** Of the transaction `modseq` only so many changes are told; undefined: all. Goes into the next call with it. */
  readonly told?: number;
  readonly hasMore: boolean;
}
