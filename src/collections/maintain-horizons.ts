/** Endless series whose instances lie far apart have a period each, up to a horizon (`preparing/list-periods.ts`). As time goes on,
 *  the horizon moves on: the periods are told anew before it comes near. Behind it such a series is a candidate of every range, so
 *  nothing is ever missed, and a range in the far future only costs more. */
import { type RetoldRow, selectNearHorizons } from "#/storage/queries/items.ts";
import type { Store } from "#/storage/store.ts";
import { horizonMarginMs } from "./preparing/list-periods.ts";
import type { ItemPreparation } from "./preparing/preparation.ts";
import { type OnTrouble, retellPeriods } from "./retell-periods.ts";

/** Items in one page; most are below 2 KiB. */
const itemsPerPage = 50;

/** Answers how many horizons have moved. */
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
