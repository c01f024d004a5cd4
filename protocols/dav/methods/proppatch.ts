/** PROPPATCH (RFC 4918 section 9.2): all or nothing, in one write. Protected properties are 403, and what would have been done
 *  beside them 424. With return=minimal a success has no body (RFC 8144 section 2.2). */
import { multistatus } from "../answer.ts";
import { checkLocks } from "../conditions.ts";
import { DavError } from "../dav-error.ts";
import { changeFileProperties, isOfFiles } from "../files.ts";
import type { Method } from "../method.ts";
import { preferenceApplied } from "../preferences.ts";
import { assertRight } from "../privileges.ts";
import { collectChanges, writeOutcome } from "../property-changes.ts";
import { readXmlBody } from "../read-body.ts";
import { everyResource } from "../resource.ts";
import { dav, isNamed } from "../xml/names.ts";
import { element, textElement } from "../xml/write-xml.ts";

export const proppatch: Method = {
  name: "PROPPATCH",
  on: everyResource,
  async run(request) {
    const { resource, rooms, preferences } = request;
    const body = await readXmlBody(request);
    if (body === undefined || !isNamed(body, dav("propertyupdate")))
      throw new DavError(400, "The body is not a DAV:propertyupdate.");
    await checkLocks(request, [resource.href]);
    const changes = collectChanges(body, resource.kind, "change");
    if (changes.isPossible && isOfFiles(resource)) {
      await changeFileProperties(request, resource, changes);
      if (preferences.isMinimal) return { status: 200, headers: preferenceApplied("return=minimal") };
    } else if (changes.isPossible && "collection" in resource) {
      const { collection } = resource;
      assertRight(collection, "manage", resource.href, dav("write-properties"));
      const { agent, number, actor } = collection;
      await rooms.collections.updateCollection(agent, actor, number, changes);
      if (preferences.isMinimal) return { status: 200, headers: preferenceApplied("return=minimal") };
    }
    return multistatus([
      element(dav("response"), textElement(dav("href"), resource.href), writeOutcome(changes)),
    ]);
  },
};
