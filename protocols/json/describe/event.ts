/** `event_…`: an event as text, agenda, JSCalendar or iCalendar; `event_…#<recurrence id>` is one instance of a series,
 *  `event_…#<pointer>` a text or attachment of it, which the event links to where it is long. */
import { calendarZoneName } from "#/src/collections/calendar-zone.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { cleanText } from "#/src/render/clean-text.ts";
import { createRemovalTally, type RemovalDetail } from "#/src/render/removal.ts";
import { itemProvenance } from "../collections/provenance.ts";
import { collectionId, itemId, type ReachedItem, reachItem } from "../collections/reach.ts";
import { unknownObject } from "../errors.ts";
import type { OperationContext } from "../operation.ts";
import type { PartRequest } from "../operations/part/describe.ts";
import { openContinuation, type ReadObject, sealContinuation } from "../part-cursor.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { type AttachedRender, describeAttached, findAttached, managedIdOf } from "./attached.ts";
import { assertRaw, describeLinkedPart, octetsOf } from "./linked-part.ts";
import { type Page, pageOf } from "./page.ts";

export async function describeEvent(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const reached = await reachItem(context, "calendar", name, "read");
  return describeReachedEvent(context, reached, request.part, request);
}

/** `part`: "" for the event itself, undefined for that of the cursor. */
export async function describeReachedEvent(
  context: OperationContext,
  { collection, item }: ReachedItem,
  part: string | undefined,
  request: PartRequest,
): Promise<ReadResult> {
  const [stored] = await context.rooms.collections.readItems(item.agent, [item.number]);
  if (stored === undefined || stored.collection !== collection.number) unknownObject();
  const version = String(stored.modseq);
  const { agent, number } = stored;
  const object: ReadObject = { kind: "event", agent, number, version, bytesVersion: version };
  const continued = openContinuation<Render>(context, object, { ...request, part });
  const read: Reading = {
    context,
    stored,
    id: itemId(context, stored),
    calendar: collectionId(context, collection),
    zone: calendarZoneName(collection.timeZone),
    part: part ?? continued?.part ?? "",
    render: request.render ?? continued?.render,
    from: continued?.from ?? 0,
    maxChars: request.max_chars,
  };
  const described = isWholeOrInstance(read.part) ? await describeWhole(read) : await describePart(read);
  const { page, kind, render, removed } = described;
  return {
    ref: read.part === "" ? read.id : `${read.id}#${read.part}`,
    kind,
    ...(page.text === undefined ? {} : { text: page.text }),
    content: { ...page.content },
    provenance: itemProvenance(stored, removed),
    version,
    ...(page.next === undefined
      ? {}
      : { cursor: sealContinuation(context, object, { part: read.part, render, from: page.next }) }),
  };
}

function isWholeOrInstance(part: string): boolean {
  return part === "" || /^\d{4}-/.test(part);
}

const renders = ["text", "agenda", "json", "ical", "source"] as const;
type Render = (typeof renders)[number] | AttachedRender;

interface Reading {
  readonly context: OperationContext;
  readonly stored: StoredItem;
  readonly id: string;
  readonly calendar: string;
  readonly zone: string | undefined;
  readonly part: string;
  readonly render: string | undefined;
  readonly from: number;
  readonly maxChars: number | undefined;
}

interface Described {
  readonly kind: ReadResult["kind"];
  readonly render: Render;
  readonly page: Page;
  readonly removed: readonly RemovalDetail[];
}

async function describeWhole(read: Reading): Promise<Described> {
  const { context, stored, id, calendar, zone, part, from, maxChars } = read;
  const isProjected = stored.component === "VEVENT" || stored.component === "VTODO";
  assertRender(read.render, isProjected ? renders : ["text", "ical", "source"]);
  const render = (read.render ?? "text") as (typeof renders)[number];
  if (render === "source") {
    await assertRaw(context, stored);
    const octets = octetsOf(stored.bytes);
    const content = { id, size: stored.size };
    return {
      kind: "event",
      render,
      page: await pageOf({ kind: "message", content, octets }, from, maxChars),
      removed: [],
    };
  }
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
  const { event, linked, recurrenceId, utcStart, utcEnd, text, removed } = described;
  const content = {
    ...(event === undefined ? {} : { event }),
    component: stored.component,
    uid: cleanText(stored.uid, "uid", createRemovalTally()),
    calendar,
    ...(recurrenceId === undefined ? {} : { recurrence_id: recurrenceId }),
    ...(utcStart === undefined ? {} : { utc_start: utcStart, utc_end: utcEnd }),
    ...(linked.length === 0 ? {} : { linked: [...linked] }),
  };
  const page = await pageOf({ kind: "message", content, text }, from, maxChars);
  return { kind: "event", render, page, removed };
}

async function describePart(read: Reading): Promise<Described> {
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
