/** In an endless series whose instances are far apart, each instance has its own period, up to a horizon (`preparing/list-periods.ts`).
 *  This maintenance derives the periods again, with a later horizon, before the horizon comes near. After the horizon the series is a
 *  candidate of every range: no instance is missed, but a range in the far future costs more. */
import { type RetoldRow, selectNearHorizons } from "#/storage/queries/collections/items.ts";
import type { Store } from "#/storage/store.ts";
import { horizonMarginMs } from "./preparing/list-periods.ts";
import type { ItemPreparation } from "./preparing/preparation.ts";
import { type OnTrouble, retellPeriods } from "./retell-periods.ts";

/** Items in one page; most are below 2 KiB. */
const itemsPerPage = 50;

/** Returns the number of changed horizons. */
export async function maintainHorizons(
  store: Store,
  preparation: ItemPreparation,
  onTrouble: OnTrouble,
): Promise<number> {
  const before = store.clock.now() + horizonMarginMs;
  let moved = 0;
  const pages = store.pages<RetoldRow>(
    selectNearHorizons,
    ({ horizonMs, agent, item }) => [before, horizonMs, agent, item],
    [before, 0, 0, 0],
    itemsPerPage,
  );
  for await (const rows of pages)
    for (const row of rows) if (await retellPeriods(store, preparation, row, onTrouble)) moved++;
  return moved;
}
