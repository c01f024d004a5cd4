/** MOVE of a calendar or an addressbook (RFC 4918 section 9.9): it gets another last segment in its owner's home. */
import { isWaypostError } from "#/src/model/errors.ts";
import type { DavAnswer } from "./answer.ts";
import { checkItemConditions, checkLocks } from "./conditions.ts";
import { DavError, unmet } from "./dav-error.ts";
import { encodeSegment, inboxSegment, outboxSegment } from "./hrefs.ts";
import { assertRight, needPrivileges } from "./privileges.ts";
import type { DavRequest } from "./request.ts";
import type { CollectionResource } from "./resource.ts";
import { caldav, carddav, dav } from "./xml/names.ts";

/** `destination`: as the client wrote it. */
export async function moveCollection(
  request: DavRequest,
  resource: CollectionResource,
  destination: string,
  overwrite: boolean,
): Promise<DavAnswer> {
  const { rooms, tree, locks, depth } = request;
  const { collection, kind } = resource;
  if (depth === "0" || depth === "1") throw new DavError(400, "A collection is moved with its items.");
  assertRight(collection, "manage", resource.href, dav("unbind"));
  const place = await tree.findParent(destination);
  if (place === undefined) throw new DavError(409, "What should contain the destination is not there.");
  const { parent, segment } = place;
  if (parent.kind !== `${collection.kind}-home`)
    throw unmet(
      403,
      kind === "calendar"
        ? caldav("calendar-collection-location-ok")
        : carddav("addressbook-collection-location-ok"),
      "Calendars and addressbooks stand in their homes.",
    );
  if (!("principal" in parent) || parent.principal.agent !== collection.agent)
    throw needPrivileges("A collection stays in its owner's home.", parent.href, dav("bind"));
  if (collection.kind === "calendar" && (segment === inboxSegment || segment === outboxSegment))
    throw new DavError(403, "The name has a meaning of its own.");
  const existing = await tree.find(destination);
  const href = `${parent.href}${encodeSegment(segment)}/`;
  if (href === resource.href) throw new DavError(403, "The destination is the resource itself.");
  const standing = existing !== undefined && "collection" in existing ? existing.collection : undefined;
  if (standing !== undefined && standing.agent !== collection.agent)
    throw new DavError(403, "The name is that of a shared collection.");
  const isReplacing = standing !== undefined && standing.number !== collection.number;
  if (isReplacing && !overwrite) throw new DavError(412, "There is something at the destination.");
  if (isReplacing && standing.role === "default")
    throw unmet(
      403,
      kind === "calendar" ? caldav("default-calendar-needed") : dav("unbind"),
      "The default collection stays.",
    );
  const changed = [resource.href, ...(existing === undefined ? [href] : [existing.href])];
  await checkLocks(request, [
    ...changed,
    ...changed.flatMap((one) => locks.listBelow(one).map((lock) => lock.place)),
  ]);
  checkItemConditions(request, resource);
  const { agent, actor } = collection;
  // RFC 4918 section 9.9.3: what stands there is deleted, which its events say to others.
  if (isReplacing && kind === "calendar")
    await rooms.scheduling.deleteCalendar({ agent, actor, principal: request.login }, standing.number);
  try {
    await rooms.collections.moveCollection(agent, actor, collection, { segment, overwrite });
  } catch (error) {
    if (isWaypostError(error) && error.details.reason === "already_exists")
      throw new DavError(412, "There is something at the destination.", { cause: error });
    throw error;
  }
  locks.removeAt(resource.href);
  if (isReplacing) locks.removeAt(existing!.href);
  return { status: isReplacing ? 204 : 201, headers: { Location: href } };
}
