/** Deletion of a whole calendar (RFC 6638 section 3.2.3.2). First each event with attendees is deleted by itself, with the messages
 *  that this sends. Then the calendar is deleted with the remaining items. */
import type { Collection } from "#/src/collections/collection.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { changeInTurn, deleteObject, isDeletionHeard } from "./change-plan.ts";
import type { CalendarWriter, Scheduling, SchedulingOptions, SchedulingRooms } from "./scheduling.ts";

export function createCalendarDeletion(rooms: SchedulingRooms): Pick<Scheduling, "deleteCalendar"> {
  const { collections } = rooms;
  return {
    async deleteCalendar(writer, number, version, options = {}) {
      const { agent } = writer;
      const { idempotency } = options;
      const repeat = await collections.findCollectionRepeat(idempotency);
      if (repeat !== undefined) return repeat;
      const calendar = await collections.findCollection(agent, number);
      // The write refuses a collection that is not a calendar, one that cannot be deleted, and another version.
      const isLeaving =
        calendar?.kind === "calendar" &&
        calendar.role === undefined &&
        (version === undefined || version === String(calendar.propertiesModseq));
      if (isLeaving) await tellAll(rooms, writer, calendar, options);
      return collections.deleteCollection(writer.actor, agent, number, version, idempotency);
    },
  };
}

async function tellAll(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  calendar: Collection,
  options: SchedulingOptions,
): Promise<void> {
  const { collections } = rooms;
  const { agent } = writer;
  for await (const page of collections.listItems(agent, calendar.number))
    for (const { number, uid, scheduleTag } of page)
      if (scheduleTag !== undefined)
        await changeInTurn(rooms, { agent, uid }, async () => {
          const [held] = await collections.readItems(agent, [number]);
          if (held?.collection === calendar.number) await tellOne(rooms, writer, held, options);
        });
}

/** Events whose deletion sends no message and takes none back are deleted with the calendar. */
async function tellOne(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  held: StoredItem,
  options: SchedulingOptions,
): Promise<void> {
  if (!(await isDeletionHeard(rooms, writer, held, options))) return;
  // The key against repeats belongs to the whole deletion.
  await deleteObject(rooms, writer, held, { ...options, idempotency: undefined });
}
