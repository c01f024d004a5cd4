/** PUT (RFC 9110 section 9.3.4, RFC 4791 section 5.3.2, RFC 6352 section 6.3.2): an item is stored as its octets are. 201 for a new
 *  one, 204 for one that is replaced; the ETag is in the answer because what was sent is what a GET answers. */
import { checkItemConditions, checkLocks } from "../conditions.ts";
import { DavError } from "../dav-error.ts";
import { findFilePlace, putFile } from "../files.ts";
import type { Method } from "../method.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource } from "../resource.ts";
import { readItemBody, storeItem } from "../store-item.ts";

export const put: Method = {
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
    const expected = checkItemConditions(request, existing, ofIf);
    const bytes = await readItemBody(request, parent);
    return storeItem(request, { parent, segment, bytes, expected });
  },
};

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
