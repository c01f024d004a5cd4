/** `addressbook_…`: what it is called, and its contacts as `search` lists them; `contact` selects one by id or UID. */
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
import { describeReachedContact } from "./contact.ts";
import { defaultCharacters, listedItems } from "./limits.ts";

export async function describeAddressbook(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const number = name.object as CollectionNumber;
  const collection = await reachCollection(context, "addressbook", name.agent, number, "read");
  const selector = selectorOf(request);
  if (selector !== undefined) {
    const reached = await reachItemIn(context, collection, selector);
    return describeReachedContact(context, reached, "", request);
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
    kind: "addressbook",
    content: { ...collectionFacts(context, collection), items },
    version: versionOf(collection),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** In `contact`, or behind the # of the id. */
function selectorOf({ contact, part }: PartRequest): string | undefined {
  if (contact === undefined || part === undefined || part === contact) return contact ?? part;
  throw new WaypostError("invalid", "The identifier already names a contact.", {
    field: "/contact",
    hint: "Name the contact in id or in contact, not in both.",
  });
}
