/** Periods of times in a named zone depend on the offsets that the runtime had when they were written. The store has a digest of
 *  those offsets (`formats/icalendar/zones-digest.ts`). If the runtime has others now, the periods of all items with a zone are derived
 *  again, one by one; a process that ends before the last one begins again at its next start. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { digestZones } from "#/src/formats/icalendar/zones-digest.ts";
import { server } from "#/src/model/author.ts";
import { type RetoldRow, selectEventsAfter } from "#/storage/queries/collections/items.ts";
import { findZonesDigest } from "#/storage/queries/deployment.ts";
import type { Store } from "#/storage/store.ts";
import type { ItemPreparation } from "./preparing/preparation.ts";
import { type OnTrouble, retellPeriods } from "./retell-periods.ts";

/** Items in one page; most are below 2 KiB. */
const itemsPerPage = 50;

/** For one process, whose tz database does not change. Returns the number of items with changed periods. */
export function createZoneMaintenance(
  store: Store,
  preparation: ItemPreparation,
): (onTrouble: OnTrouble) => Promise<number> {
  let isDone = false;
  return async (onTrouble) => {
    if (isDone) return 0;
    const turns = new LoopTurns();
    const digest = await digestZones(() => turns.turn());
    const isKnown = (await findZonesDigest(store)) === digest;
    const changed = isKnown ? 0 : await retellAll(store, preparation, onTrouble);
    if (!isKnown) await store.write(server, "keepZonesDigest", { digest });
    isDone = true;
    return changed;
  };
}

async function retellAll(store: Store, preparation: ItemPreparation, onTrouble: OnTrouble): Promise<number> {
  const turns = new LoopTurns();
  let changed = 0;
  const pages = store.pages<RetoldRow>(
    selectEventsAfter,
    ({ agent, item }) => [agent, item],
    [0, 0],
    itemsPerPage,
  );
  for await (const rows of pages)
    for (const row of rows) {
      if (await retellPeriods(store, preparation, row, onTrouble, namesZone)) changed++;
      await turns.turn();
    }
  return changed;
}

/** Whether the octets have TZID in any case, also folded. Some matches may be wrong, which costs time; none is missed. */
function namesZone(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString("latin1")
    .replaceAll(/\r?\n[ \t]/g, "")
    .toUpperCase()
    .includes("TZID");
}
