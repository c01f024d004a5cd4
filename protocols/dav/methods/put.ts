/** PUT (RFC 9110 section 9.3.4, RFC 4791 section 5.3.2, RFC 6352 section 6.3.2): an item is stored as its octets are. 201 for a new
 *  one, 204 for one that is replaced; the ETag is in the answer because what was sent is what a GET answers. */
import type { ItemExpectation } from "#/src/collections/collections.ts";
import type { DavAnswer } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { findFilePlace, putFile } from "../files/files.ts";
import { etagOf } from "../item-content.ts";
import { checkItemConditions, checkLocks } from "../locks/conditions.ts";
import type { Method } from "../method.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource, ItemResource } from "../resource.ts";
import { readItemBody, representationFields, storeItem } from "../store-item.ts";

export const put = {
  name: "PUT",
  on: ["item", "file"],
  // RFC 4918 section 9.7.2 leaves it to the server; Apple's clients know this one.
  statusElsewhere: 403,
  makesResource: true,
  async run(request) {
    const inFolder = await findFilePlace(request, request.href);
    if (inFolder !== undefined) return putFile(request, inFolder);
    const { parent, segment } = await findPlace(request);
    const { target } = request;
    const existing = target?.kind === "item" ? target : undefined;
    const href = request.tree.hrefOf(parent, segment);
    const ofIf = await checkLocks(request, existing === undefined ? [href, parent.href] : [existing.href]);
    const expected = await checkItemOrTellIt(request, existing, ofIf);
    if ("status" in expected) return expected;
    const bytes = await readItemBody(request, parent);
    return storeItem(request, { parent, segment, bytes, expected });
  },
} as const satisfies Method;

/** RFC 8144 section 3.2: if the condition is not met, a client that prefers the representation gets the current one. */
async function checkItemOrTellIt(
  request: DavRequest,
  existing: ItemResource | undefined,
  ofIf: string | undefined,
): Promise<ItemExpectation | DavAnswer> {
  try {
    return checkItemConditions(request, existing, ofIf);
  } catch (error) {
    const isFailed = error instanceof DavError && error.status === 412;
    if (!isFailed || existing === undefined || !request.preferences.isRepresentation) throw error;
    const { agent, number } = existing.item;
    const [stored] = await request.rooms.collections.readItems(agent, [number]);
    if (stored === undefined) throw error;
    return {
      status: 412,
      headers: { ETag: etagOf(stored.modseq), ...representationFields(stored, existing.href) },
      body: stored.bytes,
    };
  }
}

/** The calendar or addressbook that the URL is in. */
async function findPlace({
  tree,
  href,
}: DavRequest): Promise<{ readonly parent: CollectionResource; readonly segment: string }> {
  const place = await tree.findParent(href);
  if (place === undefined) throw new DavError(409, "What should contain it is not there.");
  const { parent, segment } = place;
  if (parent.kind !== "calendar" && parent.kind !== "addressbook")
    throw new DavError(403, "Items are kept in calendars and addressbooks.");
  return { parent, segment };
}
