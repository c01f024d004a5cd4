/** DELETE (RFC 4918 section 9.6): an item, or a collection with all its items. Default collections and the inbox stay. */
import { checkItemConditions, checkLocks } from "../conditions.ts";
import { DavError, unmet } from "../dav-error.ts";
import { deleteFile, isOfFiles } from "../files.ts";
import type { Method } from "../method.ts";
import { assertRight } from "../privileges.ts";
import { assertNoBody } from "../read-body.ts";
import { everyResource } from "../resource.ts";
import { caldav, dav } from "../xml/names.ts";

export const deleteMethod: Method = {
  name: "DELETE",
  on: everyResource,
  async run(request) {
    const { resource, rooms, depth, locks } = request;
    await assertNoBody(request);
    if (isOfFiles(resource)) return deleteFile(request, resource);
    const { collections } = rooms;
    if (resource.kind === "item") {
      const { parent, item } = resource;
      assertRight(parent.collection, "write", parent.href, dav("unbind"));
      const ofIf = await checkLocks(request, [resource.href, parent.href]);
      const { agent, actor } = parent.collection;
      // RFC 6638 section 8.1
      const isSilent = /^f$/i.test(request.context.koa.get("Schedule-Reply").trim());
      await rooms.scheduling.deleteItem(
        { agent, actor, principal: request.login },
        item.number,
        checkItemConditions(request, resource, ofIf),
        { isReplying: !isSilent },
      );
    } else if (resource.kind === "calendar" || resource.kind === "addressbook") {
      if (depth === "0" || depth === "1") throw new DavError(400, "A collection is deleted with its items.");
      const { collection } = resource;
      assertRight(collection, "manage", resource.href, dav("unbind"));
      await checkLocks(request, [resource.href, ...locks.listBelow(resource.href).map(({ place }) => place)]);
      if (collection.role === "default")
        throw unmet(
          403,
          resource.kind === "calendar" ? caldav("default-calendar-needed") : dav("unbind"),
          "The default collection stays.",
        );
      checkItemConditions(request, resource);
      await collections.deleteCollection(collection.agent, collection.actor, collection.number);
    } else throw new DavError(403, "This cannot be deleted.");
    locks.removeAt(resource.href);
    return { status: 204 };
  },
};
