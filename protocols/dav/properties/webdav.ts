/** Live properties of RFC 4918 section 15. */
import type { Item } from "#/src/collections/item.ts";
import type { FileEntry } from "#/src/files/files.ts";
import { contentTypeOf, etagOf } from "../item-content.ts";
import { writeActiveLock } from "../locks/lock-element.ts";
import { property } from "../property.ts";
import {
  type CollectionResource,
  type DavResource,
  everyResource,
  type FileResource,
  type ItemResource,
} from "../resource.ts";
import { caldav, calendarserver, carddav, dav, type XmlName } from "../xml/names.ts";
import { element, escapeText, join, type Xml } from "../xml/write-xml.ts";

const collection = dav("collection");

function listTypes(resource: DavResource): readonly XmlName[] {
  switch (resource.kind) {
    case "item":
    case "file":
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

/** Apple's clients show from this that a calendar belongs to somebody else (calendarserver-sharing). */
function sharing({ collection: { isOwn } }: CollectionResource): readonly XmlName[] {
  return isOwn ? [] : [calendarserver("shared")];
}

const lockable = ["calendar", "addressbook", "inbox", "item", "folder", "file"] as const;

function lockEntry(scope: string): Xml {
  return element(
    dav("lockentry"),
    element(dav("lockscope"), element(dav(scope))),
    element(dav("locktype"), element(dav("write"))),
  );
}

const supportedLocks = join([lockEntry("exclusive"), lockEntry("shared")]);

function factsOf(resource: ItemResource | FileResource): Item | FileEntry {
  return resource.kind === "file" ? resource.entry : resource.item;
}

export const webdavProperties = [
  property({
    name: dav("resourcetype"),
    on: everyResource,
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
    // PROPPATCH takes it back with the owner's name behind it, and without.
    read: ({ collection: { shownName } }) => escapeText(shownName),
    write: (value) => ({ displayName: value?.text ?? "" }),
  }),
  property({
    name: dav("getetag"),
    on: ["item", "file"],
    read: (resource) => escapeText(etagOf(factsOf(resource).modseq)),
  }),
  property({
    name: dav("getcontenttype"),
    on: ["item", "file"],
    read: (resource) =>
      escapeText(resource.kind === "file" ? resource.entry.mediaType! : contentTypeOf(resource.item)),
  }),
  property({
    name: dav("getcontentlength"),
    on: ["item", "file"],
    read: (resource) => escapeText(String(factsOf(resource).size)),
  }),
  property({
    name: dav("getlastmodified"),
    on: ["item", "file"],
    read: (resource) => escapeText(new Date(factsOf(resource).updatedAt).toUTCString()),
  }),
  property({
    name: dav("getlastmodified"),
    on: ["calendar", "addressbook", "inbox"],
    read: ({ collection: { updatedAt, rights } }) =>
      rights.has("read") ? escapeText(new Date(updatedAt).toUTCString()) : undefined,
  }),
  property({
    name: dav("creationdate"),
    on: ["item", "file"],
    read: (resource) => escapeText(new Date(factsOf(resource).createdAt).toISOString()),
  }),
  property({
    name: dav("creationdate"),
    on: ["calendar", "addressbook"],
    read: ({ collection: { createdAt, rights } }) =>
      rights.has("read") ? escapeText(new Date(createdAt).toISOString()) : undefined,
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
