/** `calendar_…`: what it is called, and its events as `search` lists them; `uid` selects one by id or UID. */
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { collectionFacts, versionOf } from "../collections/container.ts";
import { listCollection } from "../collections/item-listing.ts";
import { reachCollection, reachItemIn } from "../collections/reach.ts";
import type { OperationContext } from "../operation.ts";
import type { PartRequest } from "../operations/part/describe.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { describeReachedEvent } from "./event.ts";
import { defaultCharacters, listedItems } from "./limits.ts";

export async function describeCalendar(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const number = name.object as CollectionNumber;
  const collection = await reachCollection(context, "calendar", name.agent, number, "read");
  const selector = selectorOf(request);
  if (selector !== undefined) {
    const reached = await reachItemIn(context, collection, selector);
    return describeReachedEvent(context, reached, "", request);
  }
  assertRender(request.render, ["json"]);
  const { items, cursor } = await listCollection(context, collection, {
    limit: listedItems,
    cursor: request.cursor,
    charactersMax: request.max_chars ?? defaultCharacters,
    scope: "described",
  });
  return {
    ref: request.id,
    kind: "calendar",
    content: { ...collectionFacts(context, collection), items },
    version: versionOf(collection),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** In `uid`, or behind the # of the id. */
function selectorOf({ uid, part }: PartRequest): string | undefined {
  if (uid === undefined || part === undefined || part === uid) return uid ?? part;
  throw new WaypostError("invalid", "The identifier already names an event.", {
    field: "/uid",
    hint: "Name the event in id or in uid, not in both.",
  });
}
