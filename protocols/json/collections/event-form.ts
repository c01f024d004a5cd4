import { calendarZoneName } from "#/src/collections/calendar-zone.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import { cleanLine } from "#/src/render/clean-text.ts";
import type { EventForm } from "#/src/render/events/event-form.ts";
import { isoTime } from "#/src/render/iso-time.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import { authorFactsOf } from "../describe/author-facts.ts";
import type { OperationContext } from "../operation.ts";
import { itemId } from "./reach.ts";

/** An event in a listing. */
export async function eventShortForm(
  context: OperationContext,
  item: StoredItem,
  { timeZone }: Pick<ReachedCollection, "timeZone">,
) {
  const form = await context.rooms.events.run("list", {
    bytes: item.bytes,
    zone: calendarZoneName(timeZone),
  });
  return shownForm(item, form, itemId(context, item), await authorFactsOf(context, item));
}

/** `id`: the id of the event or of one instance. */
export function shownForm(
  item: StoredItem,
  form: EventForm,
  id: string,
  facts: Awaited<ReturnType<typeof authorFactsOf>>,
) {
  return {
    id,
    version: String(item.modseq),
    uid: cleanLine(item.uid, "uid", createRemovalTally()),
    ...form,
    updated_at: isoTime(item.updatedAt),
    size: item.size,
    authenticated: item.isAuthenticated,
    ...facts,
  };
}

/** Whether the event has an instance in the range. A task without times is in every range (RFC 4791 section 9.9). */
export async function eventOccursIn(
  context: OperationContext,
  item: StoredItem,
  { timeZone }: Pick<ReachedCollection, "timeZone">,
  sinceMs = firstMs,
  beforeMs = lastMs,
): Promise<boolean> {
  if (item.component !== "VEVENT" && item.component !== "VTODO" && item.component !== "VJOURNAL") return true;
  const zone = calendarZoneName(timeZone);
  const job = { bytes: item.bytes, zone, sinceMs, beforeMs: Math.min(beforeMs, lastMs), limit: 1 };
  const instances = await context.rooms.events.run("instances", job);
  if (instances === undefined || instances.length > 0) return true;
  const { utc_start: start } = await context.rooms.events.run("list", { bytes: item.bytes, zone });
  return start === undefined;
}

const firstMs = Date.UTC(1, 0);
const lastMs = Date.UTC(9999, 0);
