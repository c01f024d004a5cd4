/** Makes collections: MKCALENDAR (RFC 4791 section 5.3.1), and MKCOL with properties (RFC 5689), whose resource type says what
 *  is made. If a property cannot be set, nothing is made. A plain MKCOL makes a folder of files. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { DavAnswer } from "../answer.ts";
import { multistatus, xmlAnswer } from "../answer.ts";
import { collectionStandards } from "../collections/collection-standard.ts";
import { DavError, unmet } from "../dav-error.ts";
import { type FilePlace, findFilePlace, makeFolder } from "../files/files.ts";
import { encodeSegment, inboxSegment, outboxSegment } from "../hrefs.ts";
import { checkLocks } from "../locks/conditions.ts";
import type { Method } from "../method.ts";
import { needPrivileges } from "../privileges.ts";
import { collectChanges, writeOutcome } from "../property-changes.ts";
import { readXmlBody } from "../read-body.ts";
import type { DavRequest } from "../request.ts";
import { everyResource, kindInHome } from "../resource.ts";
import { listChildren, type XmlElement } from "../xml/element.ts";
import { caldav, carddav, dav, isNamed, type XmlName } from "../xml/names.ts";
import { element, textElement } from "../xml/write-xml.ts";

export const mkcalendar = {
  name: "MKCALENDAR",
  on: everyResource,
  makesResource: true,
  async run(request) {
    const body = await readXmlBody(request);
    if (body !== undefined && !isNamed(body, caldav("mkcalendar")))
      throw new DavError(400, "The body is not a CALDAV:mkcalendar.");
    if (request.target !== undefined)
      throw unmet(403, dav("resource-must-be-null"), "There is something at this URL already.");
    return make(request, "calendar", body, undefined);
  },
} as const satisfies Method;

export const mkcol = {
  name: "MKCOL",
  on: everyResource,
  makesResource: true,
  async run(request) {
    const body = await readXmlBody(request);
    if (body !== undefined && !isNamed(body, dav("mkcol")))
      throw new DavError(415, "The body is not a DAV:mkcol.");
    if (request.target !== undefined) throw new DavError(405, "There is something at this URL already.");
    const inFolder = await findFilePlace(request, request.href);
    return inFolder === undefined
      ? make(request, kindOf(body), body, dav("mkcol-response"))
      : makeIn(request, inFolder, body);
  },
} as const satisfies Method;

/** In a folder only folders are made. */
async function makeIn(
  request: DavRequest,
  place: FilePlace,
  body: XmlElement | undefined,
): Promise<DavAnswer> {
  if (listTypes(body).some((type) => !isNamed(type, dav("collection"))))
    throw unmet(403, dav("valid-resourcetype"), "Calendars and addressbooks are made in their homes.");
  const changes = collectChanges(body ?? nothing, "folder", "create");
  if (!changes.isPossible) return xmlAnswer(403, dav("mkcol-response"), writeOutcome(changes));
  return makeFolder(request, place, changes);
}

/** The kind that DAV:resourcetype asks for (RFC 5689 section 3). undefined for other or several types. */
function kindOf(body: XmlElement | undefined): CollectionKind | undefined {
  const others = listTypes(body).filter((type) => !isNamed(type, dav("collection")));
  if (others.length !== 1) return undefined;
  if (isNamed(others[0]!, caldav("calendar"))) return "calendar";
  return isNamed(others[0]!, carddav("addressbook")) ? "addressbook" : undefined;
}

function listTypes(body: XmlElement | undefined): readonly XmlElement[] {
  return listChildren(body ?? nothing, dav("set"))
    .flatMap((set) => listChildren(set, dav("prop")))
    .flatMap((prop) => listChildren(prop, dav("resourcetype")))
    .flatMap(({ children }) => children);
}

const nothing: XmlElement = { ...dav("mkcol"), attributes: [], content: [], children: [], text: "" };

async function make(
  request: DavRequest,
  kind: CollectionKind | undefined,
  body: XmlElement | undefined,
  /** RFC 5689 section 3.1; RFC 4791 section 5.3.1 answers a multistatus. */
  responseName: XmlName | undefined,
): Promise<DavAnswer> {
  const { tree, login, rooms } = request;
  const place = await tree.findParent(request.href);
  // RFC 4918 section 9.3.1: the collections above have to be there.
  if (place === undefined) throw new DavError(409, "What should contain it is not there.");
  const { parent, segment } = place;
  if (parent.kind !== "calendar-home" && parent.kind !== "addressbook-home")
    throw kind === undefined
      ? new DavError(403, "Nothing can be made here.")
      : unmet(
          403,
          collectionStandards[kind].conditions.location,
          "Calendars and addressbooks are made in their homes.",
        );
  if (kind === undefined)
    throw unmet(403, dav("valid-resourcetype"), "Calendars and addressbooks are what can be made.");
  if (kindInHome[parent.kind] !== kind)
    throw unmet(
      403,
      collectionStandards[kind].conditions.location,
      "This home is for collections of the other kind.",
    );
  if (parent.principal.agent !== login.agent)
    throw needPrivileges("Collections are made in one's own home.", parent.href, dav("bind"));
  if (segment === inboxSegment || segment === outboxSegment)
    throw new DavError(403, "The name has a meaning of its own.");
  await checkLocks(request, [request.href]);
  const changes = collectChanges(body ?? nothing, kind, "create");
  if (!changes.isPossible) {
    const outcome = writeOutcome(changes);
    if (responseName !== undefined) return xmlAnswer(403, responseName, outcome);
    return multistatus([element(dav("response"), textElement(dav("href"), request.href), outcome)]);
  }
  const { properties, setDead } = changes;
  await rooms.collections.createCollection(login.author, login.agent, {
    kind,
    segment,
    properties: { ...properties, displayName: properties.displayName ?? segment },
    deadProperties: setDead,
  });
  return {
    status: 201,
    headers: { Location: `${parent.href}${encodeSegment(segment)}/`, "Cache-Control": "no-cache" },
  };
}
