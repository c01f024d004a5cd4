/** `calendar_…` and `addressbook_…`: its properties, and its items as `search` lists them, or the coming events of a calendar (`agenda`).
 *  `uid` selects an event and `contact` a contact, by id or UID. */
import { calendarZoneName } from "#/src/collections/calendar-zone.ts";
import type { CollectionKind } from "#/src/collections/collection.ts";
import { dayMs } from "#/src/formats/icalendar/calendar-time.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import { agendaLine } from "#/src/render/events/event-text.ts";
import { collectionFacts, versionOf } from "../collections/container.ts";
import { listInstances } from "../collections/instances.ts";
import { listCollection } from "../collections/item-listing.ts";
import { type ReachedItem, reachCollection, reachItemIn } from "../collections/reach.ts";
import { listedContent } from "../listing.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { describeReachedContact } from "./contact.ts";
import { describeReachedEvent } from "./event.ts";
import { defaultCharacters, listedItems } from "./limits.ts";
import type { PartRequest } from "./part-request.ts";

interface DescribedKind {
  /** The field that selects an item. */
  readonly selector: "uid" | "contact";
  readonly item: string;
  readonly renders: readonly string[];
  describeItem(
    context: OperationContext,
    reached: ReachedItem,
    part: string,
    request: PartRequest,
  ): Promise<ReadResult>;
}

const kinds: Readonly<Record<CollectionKind, DescribedKind>> = {
  calendar: {
    selector: "uid",
    item: "an event",
    renders: ["json", "agenda"],
    describeItem: describeReachedEvent,
  },
  addressbook: {
    selector: "contact",
    item: "a contact",
    renders: ["json"],
    describeItem: describeReachedContact,
  },
};

/** How far ahead the agenda looks; the same as for one event. */
const agendaMs = 366 * dayMs;

export function describeCollection(kind: CollectionKind) {
  const { selector, item, renders, describeItem } = kinds[kind];
  return async (context: OperationContext, name: ObjectName, request: PartRequest): Promise<ReadResult> => {
    const collection = await reachCollection(
      context,
      kind,
      name.agent,
      name.object as CollectionNumber,
      "read",
    );
    const selected = selectorOf(request);
    if (selected !== undefined)
      return describeItem(context, await reachItemIn(context, collection, selected), "", request);
    assertRender(request.render, renders);
    const { cursor, content, text } =
      request.render === "agenda"
        ? await readAgenda(context, collection, request)
        : await readListing(context, collection, request);
    return {
      ref: request.id,
      kind,
      ...(text === undefined ? {} : { text }),
      content: { ...collectionFacts(context, collection), ...content },
      version: versionOf(collection),
      ...(cursor === undefined ? {} : { cursor }),
    };
  };

  /** The item named in its own field, or after the # of the id. */
  function selectorOf({ [selector]: named, part }: PartRequest): string | undefined {
    if (named === undefined || part === undefined || part === named) return named ?? part;
    throw new WaypostError("invalid", `The identifier already names ${item}.`, {
      field: `/${selector}`,
      hint: `Name ${item} in id or in ${selector}, not in both.`,
    });
  }
}

interface Reading {
  readonly content: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly cursor?: string | undefined;
}

async function readListing(
  context: OperationContext,
  collection: ReachedCollection,
  { cursor, max_chars: charactersMax = defaultCharacters }: PartRequest,
): Promise<Reading> {
  const listing = { limit: listedItems, cursor, charactersMax, scope: "described" };
  const listed = await listCollection(context, collection, listing);
  return { content: listedContent(listed), cursor: listed.cursor };
}

/** The events that are going on or begin within the next year, a line for each instance. */
async function readAgenda(
  context: OperationContext,
  collection: ReachedCollection,
  { cursor, max_chars: charactersMax = defaultCharacters }: PartRequest,
): Promise<Reading> {
  const now = context.rooms.collections.clock.now();
  const { items, cursor: next } = await listInstances(context, collection, {
    sinceMs: now,
    beforeMs: now + agendaMs,
    zone: calendarZoneName(collection.timeZone),
    scope: "agenda",
    cursor,
    charactersMax,
    lengthOf: (shown) => agendaLine(shown).length + 1,
  });
  return { content: {}, text: items.map(agendaLine).join("\n"), cursor: next };
}
