/** Live properties of RFC 4918 section 15. */
import { contentTypeOf, etagOf } from "../item-content.ts";
import { writeActiveLock } from "../lock-element.ts";
import { property } from "../property.ts";
import type { CollectionResource, DavResource } from "../resource.ts";
import { caldav, calendarserver, carddav, dav, type XmlName } from "../xml/names.ts";
import { element, escapeText, join, type Xml } from "../xml/write-xml.ts";

const collection = dav("collection");

function listTypes(resource: DavResource): readonly XmlName[] {
  switch (resource.kind) {
    case "item":
      return [];
    case "principal":
      return [collection, dav("principal")];
    case "proxy-group":
      return [collection, dav("principal"), calendarserver(`calendar-proxy-${resource.right}`)];
    case "calendar":
      return [collection, caldav("calendar"), ...sharing(resource)];
    case "addressbook":
      return [collection, carddav("addressbook"), ...sharing(resource)];
    case "inbox":
      return [collection, caldav("schedule-inbox")];
    case "outbox":
      return [collection, caldav("schedule-outbox")];
    default:
      return [collection];
  }
}

/** Apple's clients show a calendar of somebody else as such (calendarserver-sharing). */
function sharing({ collection: { isOwn } }: CollectionResource): readonly XmlName[] {
  return isOwn ? [] : [calendarserver("shared")];
}

const lockable = ["calendar", "addressbook", "inbox", "item"] as const;

function lockEntry(scope: string): Xml {
  return element(
    dav("lockentry"),
    element(dav("lockscope"), element(dav(scope))),
    element(dav("locktype"), element(dav("write"))),
  );
}

const supportedLocks = join([lockEntry("exclusive"), lockEntry("shared")]);

export const webdavProperties = [
  property({
    name: dav("resourcetype"),
    on: [
      "root",
      "principals",
      "calendar-homes",
      "addressbook-homes",
      "principal",
      "proxy-group",
      "calendar-home",
      "addressbook-home",
      "calendar",
      "addressbook",
      "inbox",
      "outbox",
      "item",
    ],
    read: (resource) => join(listTypes(resource).map((name) => element(name))),
  }),
  property({
    name: dav("displayname"),
    on: ["principal", "calendar-home", "addressbook-home"],
    read: ({ principal }) => escapeText(principal.name === "" ? principal.address : principal.name),
  }),
  property({
    name: dav("displayname"),
    on: ["calendar", "addressbook", "inbox"],
    // Whoever may set it reads it as it was set.
    read: ({ collection: { displayName, shownName, rights } }) =>
      escapeText(rights.has("manage") ? displayName : shownName),
    write: (value) => ({ displayName: value?.text ?? "" }),
  }),
  property({
    name: dav("getetag"),
    on: ["item"],
    read: ({ item }) => escapeText(etagOf(item.modseq)),
  }),
  property({
    name: dav("getcontenttype"),
    on: ["item"],
    read: ({ item }) => escapeText(contentTypeOf(item)),
  }),
  property({
    name: dav("getcontentlength"),
    on: ["item"],
    read: ({ item }) => escapeText(String(item.size)),
  }),
  property({
    name: dav("getlastmodified"),
    on: ["item"],
    read: ({ item }) => escapeText(new Date(item.updatedAt).toUTCString()),
  }),
  property({
    name: dav("creationdate"),
    on: ["item"],
    read: ({ item }) => escapeText(new Date(item.createdAt).toISOString()),
  }),
  property({
    name: dav("supportedlock"),
    on: lockable,
    read: () => supportedLocks,
  }),
  property({
    name: dav("lockdiscovery"),
    on: lockable,
    read: ({ href }, { locks, rooms }) =>
      join(locks.listOn(href).map((lock) => writeActiveLock(lock, rooms.collections.clock.now()))),
  }),
];
