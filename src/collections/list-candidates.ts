/** Items that may have an instance in a range of time, from the index of occurrences: one range of the index for each class of
 *  lengths, all read in parallel. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { pageRows } from "#/src/model/limits.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { openSpanClass } from "#/storage/items.ts";
import { listPeriods, type PeriodRange, type PeriodRow } from "#/storage/queries/collections/items.ts";
import type { Store } from "#/storage/store.ts";
import type { Candidate } from "./item.ts";

/** Items in the order of their starts, each once. */
export async function* listCandidates(
  store: Store,
  range: PeriodRange,
): AsyncGenerator<readonly Candidate[]> {
  const walks = await Promise.all(
    Array.from({ length: openSpanClass + 1 }, (_, spanClass) => startWalk(store, range, spanClass)),
  );
  const told = new Set<ItemNumber>();
  const turns = new LoopTurns();
  let page: Candidate[] = [];
  for (;;) {
    let next: Walk | undefined;
    for (const walk of walks)
      if (walk.row !== undefined && (next === undefined || isBefore(walk.row, next.row!))) next = walk;
    if (next === undefined) break;
    const { item, startMs, endMs, isExact } = next.row!;
    if (!told.has(item)) {
      told.add(item);
      page.push({ item, startMs, endMs, isExact: isExact === 1 });
    }
    if (page.length === pageRows) {
      yield page;
      page = [];
      await turns.turn();
    }
    if (next.at + 1 < next.rows.length) next.row = next.rows[++next.at];
    else await readOn(store, range, next);
  }
  if (page.length > 0) yield page;
}

/** The rows of one class. */
interface Walk {
  readonly spanClass: number;
  rows: readonly PeriodRow[];
  at: number;
  row: PeriodRow | undefined;
}

async function startWalk(store: Store, range: PeriodRange, spanClass: number): Promise<Walk> {
  const walk: Walk = { spanClass, rows: [], at: 0, row: undefined };
  await readOn(store, range, walk);
  return walk;
}

async function readOn(store: Store, range: PeriodRange, walk: Walk): Promise<void> {
  const isWhole = walk.row !== undefined && walk.rows.length < pageRows;
  walk.rows = isWhole ? [] : await listPeriods(store, range, walk.spanClass, walk.row, pageRows);
  walk.at = 0;
  walk.row = walk.rows[0];
}

function isBefore(one: PeriodRow, other: PeriodRow): boolean {
  return one.startMs < other.startMs || (one.startMs === other.startMs && one.item < other.item);
}
