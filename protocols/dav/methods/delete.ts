/** DELETE (RFC 4918 section 9.6): an item, or a collection with all its items. Default collections and the inbox stay. */
import type { CollectionKind } from "#/src/model/collections.ts";
import type { SchedulingOptions } from "#/src/scheduling/scheduling.ts";
import { collectionStandards } from "../collections/collection-standard.ts";
import { DavError, unmet } from "../dav-error.ts";
import { deleteFile } from "../files/files.ts";
import { checkItemConditions, checkLocks } from "../locks/conditions.ts";
import type { Method } from "../method.ts";
import { assertRight } from "../privileges.ts";
import { assertNoBody } from "../read-body.ts";
import type { DavRequest } from "../request.ts";
import { everyResource, isOfFiles } from "../resource.ts";
import type { ReachedCollection } from "../rooms.ts";
import { dav } from "../xml/names.ts";

export const deleteMethod = {
  name: "DELETE",
  on: [...everyResource, "push"],
  async run(request) {
    const { resource, rooms, depth, locks } = request;
    await assertNoBody(request);
    if (isOfFiles(resource)) return deleteFile(request, resource);
    if (resource.kind === "push") {
      await rooms.collectionPushes.end(request.login, resource.subscription);
      return { status: 204 };
    }
    if (resource.kind === "item") {
      const { parent, item } = resource;
      assertRight(parent.collection, "write", parent.href, dav("unbind"));
      const ofIf = await checkLocks(request, [resource.href, parent.href]);
      const { agent, actor } = parent.collection;
      await rooms.scheduling.deleteItem(
        { agent, actor, principal: request.login },
        item.number,
        checkItemConditions(request, resource, ofIf),
        repliesOf(request),
      );
    } else if (resource.kind === "calendar" || resource.kind === "addressbook") {
      if (depth === "0" || depth === "1") throw new DavError(400, "A collection is deleted with its items.");
      const { collection } = resource;
      assertRight(collection, "manage", resource.href, dav("unbind"));
      await checkLocks(request, [resource.href, ...locks.listBelow(resource.href).map(({ place }) => place)]);
      if (collection.role === "default")
        throw unmet(
          403,
          collectionStandards[resource.kind].conditions.defaultNeeded,
          "The default collection stays.",
        );
      checkItemConditions(request, resource);
      await deleteByKind[resource.kind](request, collection);
    } else throw new DavError(403, "This cannot be deleted.");
    locks.removeAt(resource.href);
    return { status: 204 };
  },
} as const satisfies Method;

/** RFC 6638 section 8.1. */
function repliesOf({ context: { koa } }: DavRequest): SchedulingOptions {
  return { isReplying: !/^f$/i.test(koa.get("Schedule-Reply").trim()) };
}

/** A calendar is deleted with the cancellations and replies that follow (RFC 6638 section 3.2). */
const deleteByKind: Readonly<
  Record<CollectionKind, (request: DavRequest, collection: ReachedCollection) => Promise<unknown>>
> = {
  addressbook: ({ rooms, login }, { agent, number }) =>
    rooms.collections.deleteCollection(login.author, agent, number),
  calendar: (request, { agent, actor, number }) =>
    request.rooms.scheduling.deleteCalendar(
      { agent, actor, principal: request.login },
      number,
      undefined,
      repliesOf(request),
    ),
};
