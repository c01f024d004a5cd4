/** POST to DAV:add-member, which is the collection itself (RFC 5995 section 3): a new item whose name the server chooses. To the outbox: a
 *  request for busy time. To a calendar object: a change of its managed attachments (RFC 8607). XML to a collection: a program follows it
 *  (WebDAV-Push). */

import { DavError } from "../dav-error.ts";
import { changeAttachments } from "../files/attachments.ts";
import { checkLocks } from "../locks/conditions.ts";
import type { Method } from "../method.ts";
import { answerOutbox } from "../outbox.ts";
import { mediaTypeOf } from "../read-body.ts";
import { readItemBody, storeItem } from "../store-item.ts";

const xmlTypes = ["application/xml", "text/xml"];

export const post = {
  name: "POST",
  on: ["calendar", "addressbook", "inbox", "outbox", "item"],
  async run(request) {
    const { resource, context } = request;
    if (resource.kind === "outbox") return answerOutbox(request, resource);
    if (resource.kind === "item") return changeAttachments(request, resource);
    if (!("collection" in resource)) throw new DavError(405, "Nothing is posted here.");
    if (xmlTypes.includes(mediaTypeOf(context.koa.get("Content-Type")).type)) {
      const { registerPush } = await import("../push/registration.ts");
      return registerPush(request, resource);
    }
    if (resource.kind === "inbox") throw new DavError(403, "Nobody writes into an inbox.");
    const { querystring } = context.koa;
    if (querystring !== "") throw new DavError(400, "There is no such action.");
    await checkLocks(request, [resource.href]);
    const bytes = await readItemBody(request, resource);
    return storeItem(request, { parent: resource, bytes, expected: {} });
  },
} as const satisfies Method;
