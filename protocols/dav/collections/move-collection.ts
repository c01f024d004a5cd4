/** MOVE of a calendar or an addressbook (RFC 4918 section 9.9): a new last segment in its owner's home. */
import { isWaypostError } from "#/src/model/errors.ts";
import type { DavAnswer } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { checkItemConditions, checkLocks } from "../locks/conditions.ts";
import { assertRight, needPrivileges } from "../privileges.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource } from "../resource.ts";
import { dav } from "../xml/names.ts";
import { findCollectionDestination } from "./collection-destination.ts";

/** `destination`: as the client wrote it. */
export async function moveCollection(
  request: DavRequest,
  resource: CollectionResource,
  destination: string,
  overwrite: boolean,
): Promise<DavAnswer> {
  const { rooms, locks, depth } = request;
  const { collection, kind } = resource;
  if (depth === "0" || depth === "1") throw new DavError(400, "A collection is moved with its items.");
  assertRight(collection, "manage", resource.href, dav("unbind"));
  const { home, segment, href, existing, standing } = await findCollectionDestination(
    request,
    resource,
    destination,
    overwrite,
  );
  if (home.principal.agent !== collection.agent)
    throw needPrivileges("A collection stays in its owner's home.", home.href, dav("bind"));
  const isReplacing = standing !== undefined;
  const changed = [resource.href, ...(existing === undefined ? [href] : [existing.href])];
  await checkLocks(request, [
    ...changed,
    ...changed.flatMap((one) => locks.listBelow(one).map((lock) => lock.place)),
  ]);
  checkItemConditions(request, resource);
  const { agent, actor } = collection;
  // RFC 4918 section 9.9.3: the replaced collection is deleted, and attendees of its events get cancellations.
  if (isReplacing && kind === "calendar")
    await rooms.scheduling.deleteCalendar({ agent, actor, principal: request.login }, standing.number);
  try {
    await rooms.collections.moveCollection(request.login.author, agent, collection, { segment, overwrite });
  } catch (error) {
    if (isWaypostError(error) && error.details.reason === "already_exists")
      throw new DavError(412, "There is something at the destination.", { cause: error });
    throw error;
  }
  locks.removeAt(resource.href);
  if (isReplacing) locks.removeAt(existing!.href);
  return { status: isReplacing ? 204 : 201, headers: { Location: href } };
}
