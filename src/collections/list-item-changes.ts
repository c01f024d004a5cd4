/** What changed in one collection, folded from the log (RFC 6578 section 3.2): there is no table for it.
 *
 *  A page ends before it would tell more than its limit, also in the middle of a transaction. A reader that goes on from page to
 *  page has what there is, whatever is written meanwhile: each page is applied as a whole, what is gone and what changed. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { pageRows } from "#/src/model/limits.ts";
import { numbersIn, parseNumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import { findPosition } from "#/storage/queries/accounts/agents.ts";
import { findCollection } from "#/storage/queries/collections/collections.ts";
import {
  type ItemChangeRow,
  listItemChangeRows,
  listItemsOfNumbers,
} from "#/storage/queries/collections/items.ts";
import type { Store } from "#/storage/store.ts";
import type { ItemChange, ItemChanges } from "./item-changes.ts";

export interface ItemPosition {
  readonly modseq: Modseq;
  /** Of that transaction only so many changes are told; undefined: all. */
  readonly told?: number | undefined;
}

export async function listItemChanges(
  store: Store,
  agent: AgentNumber,
  collection: CollectionNumber,
  since: ItemPosition,
  limit: number,
): Promise<ItemChanges | undefined> {
  const place = await findCollection(store, agent, collection);
  if (place === undefined || !(await isInLog(store, agent, since, place.modseq))) return undefined;
  const upTo = place.modseq;
  const folded = await fold(store, agent, collection, since, upTo, Math.max(1, limit));
  // Rows may have been pruned while they were read.
  if (!(await isInLog(store, agent, since, upTo))) return undefined;
  return { ...folded, changes: await shown(store, agent, collection, folded.changes) };
}

/** Below the floor of the log nothing is known, unless nothing has changed. A place that the log has not reached is of a store
 *  that was replaced by its backup since. */
async function isInLog(
  store: Store,
  agent: AgentNumber,
  { modseq, told }: ItemPosition,
  upTo: Modseq,
): Promise<boolean> {
  const log = await findPosition(store, agent);
  if (log === undefined || modseq > log.modseq) return false;
  const needed = told === undefined ? modseq : modseq - 1;
  return needed >= log.logFloor || (told === undefined && modseq >= upTo);
}

async function fold(
  store: Store,
  agent: AgentNumber,
  collection: CollectionNumber,
  since: ItemPosition,
  upTo: Modseq,
  limit: number,
): Promise<ItemChanges> {
  const changes = new Map<string, ItemChange>();
  const turns = new LoopTurns();
  let modseq = since.told === undefined ? since.modseq : ((since.modseq - 1) as Modseq);
  let behind: Pick<ItemChangeRow, "modseq" | "ordinal"> = { modseq, ordinal: Number.MAX_SAFE_INTEGER };
  let told = 0;
  for (;;) {
    const rows = await listItemChangeRows(store, agent, collection, behind, upTo, pageRows);
    for (const row of rows) {
      // All of the transaction before is told.
      if (row.modseq !== behind.modseq) {
        modseq = behind.modseq;
        told = 0;
      }
      behind = row;
      for (const change of changesOf(row)) {
        told++;
        if (row.modseq === since.modseq && told <= (since.told ?? 0)) continue;
        apply(changes, change);
        if (changes.size > limit) {
          changes.delete(keyOf(change));
          const place = told === 1 ? { modseq } : { modseq: row.modseq, told: told - 1 };
          return { changes: [...changes.values()], ...place, hasMore: true };
        }
      }
      await turns.turn();
    }
    if (rows.length < pageRows) break;
  }
  // A reader that is ahead of the collection stays there.
  const end = Math.max(upTo, since.modseq) as Modseq;
  return { changes: [...changes.values()], modseq: end, hasMore: false };
}

function* changesOf({ operation, ids, data }: ItemChangeRow): Generator<ItemChange> {
  const segments = data === null ? {} : (JSON.parse(data) as Record<string, string>);
  for (const number of numbersIn(parseNumberSet(ids)))
    yield {
      item: number as ItemNumber,
      operation: operation === "remove" ? "removed" : "changed",
      segment: operation === "remove" ? segments[number] : undefined,
    };
}

/** A removed href, or an item that exists. */
function keyOf({ operation, item, segment }: ItemChange): string {
  if (operation === "changed") return `item ${item}`;
  return segment === undefined ? `gone ${item}` : `gone at ${segment}`;
}

function apply(changes: Map<string, ItemChange>, change: ItemChange): void {
  const key = keyOf(change);
  if (change.operation === "removed") changes.delete(`item ${change.item}`);
  // The latest change of an item is told in its place of the order.
  changes.delete(key);
  changes.set(key, change);
}

/** Without items that have gone by now, which a later page tells, and without hrefs that are in use again. */
async function shown(
  store: Store,
  agent: AgentNumber,
  collection: CollectionNumber,
  changes: readonly ItemChange[],
): Promise<readonly ItemChange[]> {
  const numbers = changes.filter(({ operation }) => operation === "changed").map(({ item }) => item);
  const there = new Set<ItemNumber>();
  const hrefs = new Set<string>();
  for (let first = 0; first < numbers.length; first += pageRows) {
    for (const row of await listItemsOfNumbers(store, agent, numbers.slice(first, first + pageRows)))
      if (row.collection === collection) {
        there.add(row.item);
        hrefs.add(keyOf({ operation: "removed", item: row.item, segment: row.segment ?? undefined }));
      }
    await new LoopTurns().turn();
  }
  return changes.filter((change) =>
    change.operation === "changed" ? there.has(change.item) : !hrefs.has(keyOf(change)),
  );
}
