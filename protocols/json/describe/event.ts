/** `event_…`: an event as text, agenda, JSCalendar or iCalendar. `event_…#<recurrence id>` is one instance of a series.
 *  `event_…#<pointer>` is a long text or an attachment of the event, which has a link in its place. */
import { calendarZoneName } from "#/src/collections/calendar-zone.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { cleanText } from "#/src/render/clean-text.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import { instanceName } from "../collections/instance-name.ts";
import { overlapsOf } from "../collections/overlaps.ts";
import { collectionId, type ReachedItem, reachItem } from "../collections/reach.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { describeAttached, findAttached, managedIdOf } from "./attached.ts";
import { authorFactsOf } from "./author-facts.ts";
import { type DescribedItem, describeItem, describeSource, type ItemReading } from "./item.ts";
import { describeLinkedPart } from "./linked-part.ts";
import { pageOf } from "./page.ts";
import type { PartRequest } from "./part-request.ts";

export async function describeEvent(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const reached = await reachItem(context, "calendar", name, "read");
  const { part } = request;
  return describeReachedEvent(context, reached, part === undefined ? part : instanceName(part), request);
}

/** `part`: "" for the event itself, undefined for the part in the cursor. */
export function describeReachedEvent(
  context: OperationContext,
  reached: ReachedItem,
  part: string | undefined,
  request: PartRequest,
): Promise<ReadResult> {
  return describeItem(context, reached, part, request, (read) =>
    isWholeOrInstance(read.part) ? describeWhole(read) : describePart(read),
  );
}

function isWholeOrInstance(part: string): boolean {
  return part === "" || /^\d{4}-/.test(part);
}

const renders = ["text", "agenda", "json", "ical", "source"] as const;

async function describeWhole(read: ItemReading): Promise<DescribedItem> {
  const { context, stored, collection, id, part, from, maxChars } = read;
  const zone = calendarZoneName(collection.timeZone);
  const isProjected = stored.component === "VEVENT" || stored.component === "VTODO";
  assertRender(read.render, isProjected ? renders : ["text", "ical", "source"]);
  const render = (read.render ?? "text") as (typeof renders)[number];
  if (render === "source") return describeSource(read);
  const described = await context.rooms.events.run("describe", {
    bytes: stored.bytes,
    id,
    render,
    zone,
    instance: part === "" ? undefined : part,
    at: context.rooms.collections.clock.now(),
  });
  if (described === undefined)
    throw new WaypostError("not_found", "The event has no such instance.", {
      hint: "calendarMonth.list has the recurrence ids of a month: 2026-03-02T10:00:00.",
    });
  const { event, linked, recurrenceId, times, utcStart, utcEnd, text, signs, removed } = described;
  const content = {
    ...(event === undefined ? {} : { event }),
    component: stored.component,
    uid: cleanText(stored.uid, "uid", createRemovalTally()),
    calendar: collectionId(context, collection),
    ...(recurrenceId === undefined ? {} : { recurrence_id: recurrenceId }),
    ...times,
    ...(utcStart === undefined ? {} : { utc_start: utcStart, utc_end: utcEnd }),
    ...(await overlapsOf(context, { stored, recurrenceId, utcStart, utcEnd })),
    ...(linked.length === 0 ? {} : { linked: [...linked] }),
    ...(signs.length === 0 ? {} : { signs }),
    ...(await authorFactsOf(context, stored)),
  };
  const page = await pageOf({ kind: "message", content, text }, from, maxChars);
  return { kind: "event", render, page, removed };
}

async function describePart(read: ItemReading): Promise<DescribedItem> {
  const { context, stored, part } = read;
  const found = await context.rooms.events.run("part", { bytes: stored.bytes, part });
  if (found === undefined)
    throw new WaypostError("not_found", "The event has no such text.", {
      hint: "content.linked has the parts that can be read, such as links/a1/href.",
    });
  const managedId = found.kind === "text" ? managedIdOf(found.text) : undefined;
  const attached = managedId === undefined ? undefined : await findAttached(context, managedId);
  return attached === undefined ? describeLinkedPart(read, found) : describeAttached(read, attached);
}
