/** Copies the items of a collection into a new one. A scheduling object may exist only once in a home (RFC 6638 section 3.2.4.1), so
 *  scheduling objects that the home has already are not copied. No messages are sent. */

import type { ItemAction, PutItem } from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { readPortions } from "#/src/collections/portions.ts";
import { itemSegment } from "#/src/collections/rows.ts";
import { findsLetters } from "#/src/formats/content-lines/unfold.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import type { Scheduling, SchedulingRooms } from "./scheduling.ts";

/** Items of one transaction. Other requests are answered between two transactions. */
const itemsPerWrite = 100;

const hasAttendee = findsLetters("ATTENDEE");

export function createCopies(
  rooms: SchedulingRooms,
  { putItem }: Pick<Scheduling, "putItem">,
): Pick<Scheduling, "copyItems"> {
  const { collections } = rooms;
  return {
    async copyItems(from, to, target) {
      const left: StoredItem[] = [];
      const withDead = await collections.listItemsWithDeadProperties(from.agent);
      for await (const page of collections.listItems(from.agent, from.number))
        for await (const portion of readPortions(collections, from.agent, page)) {
          const plain: ItemAction[] = [];
          for (const item of portion) {
            const put = await putOf(item, withDead.has(item.number));
            if (item.scheduleTag === undefined && !hasAttendee(item.bytes))
              plain.push({ kind: "put", ...put });
            else if (!(await putScheduled(put))) left.push(item);
          }
          for (let first = 0; first < plain.length; first += itemsPerWrite) {
            const actions = plain.slice(first, first + itemsPerWrite);
            await collections.changeItems(to.actor, [{ agent: to.agent, actor: to.actor, actions }]);
          }
        }
      return left;

      async function putOf(item: StoredItem, hasDead: boolean): Promise<PutItem> {
        const { bytes, provenance, isAuthenticated } = item;
        return {
          collection: target,
          segment: itemSegment(collections.ids, item),
          bytes,
          provenance,
          isAuthenticated,
          expected: { version: "absent" },
          deadProperties: hasDead ? await readDead(item.number) : [],
          attachments: { attachmentsOf: [from.agent] },
        };
      }

      function readDead(item: ItemNumber) {
        return collections.listItemDeadProperties(from.agent, item);
      }

      async function putScheduled(put: PutItem): Promise<boolean> {
        try {
          await putItem(to, put, { messages: "none", copiedFrom: from.agent });
          return true;
        } catch (error) {
          if (isWaypostError(error) && error.details.reason === "unique-scheduling-object-resource")
            return false;
          throw error;
        }
      }
    },
  };
}
