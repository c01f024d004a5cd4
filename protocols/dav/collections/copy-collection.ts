/** COPY of a calendar or an addressbook into a home of the login (RFC 4918 section 9.8), with its items, or without them at Depth 0.
 *  While the items are copied, the new collection has only its id as the segment. When it is complete, one write gives it its URL and
 *  deletes the collection that it replaces. If a step fails, the new collection is deleted. */
import { collectionProperties } from "#/src/model/collection-properties.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { copiedItemsMax } from "#/src/model/limits.ts";
import { type DavAnswer, multistatus, statusResponse } from "../answer.ts";
import { DavError, unmet } from "../dav-error.ts";
import { checkItemConditions, checkLocks } from "../locks/conditions.ts";
import { assertRight, needPrivileges } from "../privileges.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource } from "../resource.ts";
import { caldav, dav } from "../xml/names.ts";
import { findCollectionDestination } from "./collection-destination.ts";

export async function copyCollection(
  request: DavRequest,
  resource: CollectionResource,
  destination: string,
  overwrite: boolean,
): Promise<DavAnswer> {
  const { rooms, locks, depth, login, tree, reach } = request;
  const { collections, scheduling } = rooms;
  const { collection, kind } = resource;
  if (depth === "1") throw new DavError(400, "A collection is copied with its items, or without any.");
  assertRight(collection, "read", resource.href);
  const { home, segment, href, existing, standing } = await findCollectionDestination(
    request,
    resource,
    destination,
    overwrite,
  );
  if (home.principal.agent !== login.agent)
    throw needPrivileges("Collections are copied into one's own home.", home.href, dav("bind"));
  const isItself = existing !== undefined && "collection" in existing && standing === undefined;
  if (isItself) throw new DavError(403, "The destination is the resource itself.");
  const { agent, actor } = await reach.place(collection.kind, login.agent);
  const to = existing?.href ?? href;
  await checkLocks(request, [to, ...locks.listBelow(to).map((lock) => lock.place)]);
  checkItemConditions(request, resource);
  const isDeep = depth !== "0";
  if (isDeep && collection.itemCount > copiedItemsMax)
    throw new DavError(507, `A collection of more than ${copiedItemsMax} items is not copied whole.`);
  const made = await collections.createCollection(login.author, agent, {
    kind: collection.kind,
    // Availability is of the scheduling inbox.
    properties: {
      ...collectionProperties.alone(collection),
      components: collection.components,
      availability: undefined,
    },
    deadProperties: await collections.listDeadProperties(collection.agent, collection.number),
  });
  const writer = { agent, actor, principal: login };
  try {
    const left = isDeep ? await scheduling.copyItems(collection, writer, made.collection) : [];
    // RFC 4918 section 9.8.4: the replaced collection is deleted, and attendees of its events get cancellations.
    if (standing !== undefined && kind === "calendar")
      await scheduling.deleteCalendar(writer, standing.number);
    const copy = { number: made.collection, kind: collection.kind };
    await collections.moveCollection(login.author, agent, copy, { segment, overwrite });
    if (existing !== undefined) locks.removeAt(existing.href);
    if (left.length === 0) return { status: standing === undefined ? 201 : 204, headers: { Location: href } };
    const unique = unmet(
      403,
      caldav("unique-scheduling-object-resource"),
      "The home has this event already.",
    );
    return multistatus(
      left.map((item) => statusResponse(tree.itemOf({ ...resource, href }, item).href, 403, unique)),
    );
  } catch (error) {
    await collections.deleteCollection(login.author, agent, made.collection);
    if (isWaypostError(error) && error.details.reason === "already_exists")
      throw new DavError(412, "There is something at the destination.", { cause: error });
    throw error;
  }
}
