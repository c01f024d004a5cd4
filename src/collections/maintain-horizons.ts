/** Endless series whose instances lie far apart have a period each, up to a horizon (`preparing/list-periods.ts`). As time goes on,
 *  the horizon moves on: the periods are told anew before it comes near. Behind it such a series is a candidate of every range, so
 *  nothing is ever missed, and a range in the far future only costs more. */
import { WaypostError } from "#/src/model/errors.ts";
import { decodeItem } from "#/storage/items.ts";
import { type HorizonRow, selectNearHorizons } from "#/storage/queries/items.ts";
import type { Store } from "#/storage/store.ts";
import type { Item } from "./item.ts";
import { horizonMarginMs } from "./preparing/list-periods.ts";
import type { ItemPreparation } from "./preparing/preparation.ts";

/** Items in one page; most are below 2 KiB. */
const itemsPerPage = 50;

/** Answers how many horizons have moved. `onTrouble` is told of items that can no longer be read, which stay as they are. */
export async function maintainHorizons(
  store: Store,
  preparation: ItemPreparation,
  onTrouble: (item: Pick<Item, "agent" | "number">, cause: unknown) => void,
): Promise<number> {
  const at = store.clock.now();
  let moved = 0;
  const pages = store.pages<HorizonRow>(
    selectNearHorizons,
    ({ horizonMs, agent, item }) => [at + horizonMarginMs, horizonMs, agent, item],
    [at + horizonMarginMs, 0, 0, 0],
    itemsPerPage,
  );
  for await (const rows of pages)
    for (const row of rows)
      try {
        const facts = await preparation.prepare(await decodeItem(row), {
          kind: row.kind,
          isMessage: row.isInbox === 1,
          at,
        });
        const { agent, item, modseq } = row;
        const { periods, horizonMs } = facts;
        const { isMoved } = await store.write("moveHorizon", { agent, item, modseq, periods, horizonMs });
        if (isMoved) moved++;
      } catch (error) {
        if (error instanceof WaypostError && error.code === "upstream_unavailable") throw error;
        onTrouble({ agent: row.agent, number: row.item }, error);
      }
  return moved;
}
