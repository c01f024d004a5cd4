/** What takes the same time as one event, or one instance of a series: of the calendars of the same owner that the caller reads. The index
 *  of occurrences names the events that may; each is looked at within the time of the one event alone. */
import { calendarZoneName } from "#/src/collections/calendar-zone.ts";
import type { ListedInstance } from "#/src/collections/events/event-jobs.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { createCollectionReach, type ReachedCollection } from "#/src/reach/collection-reach.ts";
import type { OperationContext } from "../operation.ts";
import { itemId } from "./reach.ts";

/** Of one event, in a listing too. */
export const overlapsMax = 5;
/** Events that are looked at in one calendar: most of those that stand at a time do not overlap only where somebody fills a day with them. */
const lookedAtMax = 100;

export interface OneEvent {
  readonly stored: StoredItem;
  /** Of the instance; undefined for an event without a series. */
  readonly recurrenceId: string | undefined;
  readonly utcStart: string | undefined;
  readonly utcEnd: string | undefined;
}

interface Found {
  readonly startMs: number;
  readonly id: string;
}

export async function overlapsOf(
  context: OperationContext,
  { stored, recurrenceId, utcStart = "", utcEnd = "" }: OneEvent,
): Promise<{ readonly overlaps?: readonly string[] }> {
  const sinceMs = Date.parse(utcStart);
  const beforeMs = Date.parse(utcEnd);
  if (stored.component !== "VEVENT" || !(beforeMs > sinceMs)) return {};
  const calendars = (await createCollectionReach(context).list("calendar", stored.agent)).filter(
    ({ role, rights }) => role !== "inbox" && rights.has("read"),
  );
  const own = ((await context.rooms.accounts.findAgentFacts(stored.agent))?.addresses ?? []).map(
    (address) => `mailto:${address}`,
  );
  const instancesOf = async (item: StoredItem, calendar: ReachedCollection) => {
    const zone = calendarZoneName(calendar.timeZone);
    const job = { bytes: item.bytes, zone, sinceMs, beforeMs, own };
    return (await context.rooms.events.run("instances", job)) ?? [];
  };
  const home = calendars.find(({ number }) => number === stored.collection);
  const itself = home === undefined ? [] : await instancesOf(stored, home);
  if (!itself.some((one) => one.isBusy && one.recurrenceId === recurrenceId)) return {};
  const found: Found[] = [];
  for (const calendar of calendars) found.push(...(await listIn(calendar)));
  found.sort((one, other) => one.startMs - other.startMs);
  return found.length === 0 ? {} : { overlaps: found.slice(0, overlapsMax).map(({ id }) => id) };

  /** The first ones of a calendar. */
  async function listIn(calendar: ReachedCollection): Promise<Found[]> {
    const inCalendar: Found[] = [];
    const turns = new LoopTurns();
    let lookedAt = 0;
    const { agent, number } = calendar;
    for await (const page of context.rooms.collections.listCandidates(agent, number, sinceMs, beforeMs))
      for (const { item } of page) {
        if (inCalendar.length >= overlapsMax || ++lookedAt > lookedAtMax) return inCalendar;
        inCalendar.push(...(await overlappingOf(calendar, item)));
        await turns.turn();
      }
    return inCalendar;
  }

  async function overlappingOf(calendar: ReachedCollection, number: ItemNumber): Promise<Found[]> {
    const [item] = await context.rooms.collections.readItems(calendar.agent, [number]);
    if (item === undefined || item.collection !== calendar.number) return [];
    const id = itemId(context, item);
    const takesTime = ({ isBusy, startMs, endMs, recurrenceId: of }: ListedInstance): boolean =>
      isBusy &&
      startMs < beforeMs &&
      endMs > sinceMs &&
      endMs > startMs &&
      !(item.number === stored.number && of === recurrenceId);
    return (await instancesOf(item, calendar)).filter(takesTime).map(({ startMs, recurrenceId: of }) => ({
      startMs,
      id: of === undefined ? id : `${id}#${of}`,
    }));
  }
}
