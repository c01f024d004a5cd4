/** PROPPATCH (RFC 4918 section 9.2): all changes or none, in one write. A protected property gets 403, and the other properties of the
 *  request get 424. With return=minimal a success has no body (RFC 8144 section 2.2). */
import { nameWithoutOwner } from "#/src/reach/collection-reach.ts";
import { multistatus } from "../answer.ts";
import { defaultCalendarName, findDefaultCalendar } from "../collections/default-calendar.ts";
import { DavError } from "../dav-error.ts";
import { davErrorOf } from "../errors.ts";
import { changeFileProperties } from "../files/files.ts";
import { checkLocks } from "../locks/conditions.ts";
import type { Method } from "../method.ts";
import { preferenceApplied } from "../preferences.ts";
import { assertRight } from "../privileges.ts";
import { collectChanges, type PropertyChanges, refuseChange, writeOutcome } from "../property-changes.ts";
import { readXmlBody } from "../read-body.ts";
import type { DavRequest } from "../request.ts";
import { type CollectionResource, everyResource, isOfFiles } from "../resource.ts";
import { dav, isNamed } from "../xml/names.ts";
import { element, textElement } from "../xml/write-xml.ts";

export const proppatch = {
  name: "PROPPATCH",
  on: everyResource,
  async run(request) {
    const { resource, rooms, preferences } = request;
    const body = await readXmlBody(request);
    if (body === undefined || !isNamed(body, dav("propertyupdate")))
      throw new DavError(400, "The body is not a DAV:propertyupdate.");
    await checkLocks(request, [resource.href]);
    let changes = collectChanges(body, resource.kind, "change");
    if (changes.isPossible && isOfFiles(resource)) {
      await changeFileProperties(request, resource, changes);
      if (preferences.isMinimal) return { status: 200, headers: preferenceApplied("return=minimal") };
    } else if (changes.isPossible && resource.kind === "item") {
      const { collection } = resource.parent;
      assertRight(collection, "manage", resource.href, dav("write-properties"));
      const { agent } = collection;
      const { setDead: set, removeDead: remove } = changes;
      await rooms.collections.changeItemDeadProperties(request.login.author, agent, resource.item.number, {
        set,
        remove,
      });
      if (preferences.isMinimal) return { status: 200, headers: preferenceApplied("return=minimal") };
    } else if (changes.isPossible && "collection" in resource) {
      const { collection } = resource;
      assertRight(collection, "manage", resource.href, dav("write-properties"));
      changes = await changeCollection(request, resource, changes);
      if (changes.isPossible && preferences.isMinimal)
        return { status: 200, headers: preferenceApplied("return=minimal") };
    }
    return multistatus([
      element(dav("response"), textElement(dav("href"), resource.href), writeOutcome(changes)),
    ]);
  },
} as const satisfies Method;

/** Answers what it came to: the default calendar is looked up here. */
async function changeCollection(
  request: DavRequest,
  resource: CollectionResource,
  changes: PropertyChanges,
): Promise<PropertyChanges> {
  const { agent, number } = resource.collection;
  const { defaultCalendarHref, displayName, ...others } = changes.properties;
  const properties = {
    ...others,
    ...(displayName === undefined ? {} : { displayName: nameWithoutOwner(resource.collection, displayName) }),
  };
  try {
    const newDefault =
      defaultCalendarHref === undefined
        ? undefined
        : (await findDefaultCalendar(request, resource, defaultCalendarHref)).collection.number;
    await request.rooms.collections.updateCollection(request.login.author, agent, number, {
      ...changes,
      properties,
      newDefault,
    });
    return changes;
  } catch (error) {
    const refusal = davErrorOf(error);
    if (refusal?.details.condition?.name !== `valid-${defaultCalendarName.name}`) throw error;
    return refuseChange(changes, defaultCalendarName, refusal);
  }
}
