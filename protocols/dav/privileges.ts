/** The rights of a login as privileges of RFC 3744 section 3, RFC 4791 section 6.1 and RFC 6638 section 6. */
import { DavError } from "./dav-error.ts";
import type { DavResource } from "./resource.ts";
import type { CollectionRight, ReachedCollection } from "./rooms.ts";
import { caldav, dav, type XmlName } from "./xml/names.ts";
import { element, textElement } from "./xml/write-xml.ts";

const readPrivileges = [dav("read"), dav("read-current-user-privilege-set"), dav("read-acl")];
const freeBusy = caldav("read-free-busy");
const writeItems = [dav("write-content"), dav("bind"), dav("unbind"), dav("unlock")];
const everything = [dav("all"), ...readPrivileges, dav("write"), dav("write-properties"), ...writeItems];
const deliver = [
  "schedule-deliver",
  "schedule-deliver-invite",
  "schedule-deliver-reply",
  "schedule-query-freebusy",
];
const send = ["schedule-send", "schedule-send-invite", "schedule-send-reply", "schedule-send-freebusy"];

/** The privileges of the login on a resource. `mayChange`: a home of its own, or files. */
export function listPrivileges(resource: DavResource, mayChange: boolean): readonly XmlName[] {
  switch (resource.kind) {
    case "calendar":
    case "addressbook":
    case "inbox":
      return privilegesOf(resource.collection, resource.kind === "inbox");
    case "item":
      return privilegesOf(resource.parent.collection, resource.parent.kind === "inbox");
    case "outbox":
      return [...readPrivileges, ...send.map(caldav)];
    case "folder":
    case "file":
      return mayChange ? everything : readPrivileges;
    case "calendar-home":
    case "addressbook-home":
      return mayChange ? [...readPrivileges, dav("bind"), dav("unbind")] : readPrivileges;
    default:
      return readPrivileges;
  }
}

function privilegesOf({ rights, kind }: ReachedCollection, isInbox: boolean): readonly XmlName[] {
  const reading = kind === "calendar" ? [freeBusy] : [];
  if (isInbox && rights.has("manage")) return [...everything, ...reading, ...deliver.map(caldav)];
  if (rights.has("manage")) return [...everything, ...reading];
  if (rights.has("write")) return [...readPrivileges, ...reading, ...writeItems];
  if (rights.has("read")) return [...readPrivileges, ...reading];
  return [dav("read-current-user-privilege-set"), ...reading];
}

/** RFC 3744 section 7.1.1: the missing privilege, and the resource that requires it. */
export function needPrivileges(message: string, href?: string, privilege?: XmlName): DavError {
  if (href === undefined || privilege === undefined)
    return new DavError(403, message, { condition: dav("need-privileges") });
  return new DavError(403, message, {
    condition: dav("need-privileges"),
    content: element(
      dav("resource"),
      textElement(dav("href"), href),
      element(dav("privilege"), element(privilege)),
    ),
  });
}

const privilegeOfRight = {
  freebusy: freeBusy,
  read: dav("read"),
  write: dav("write-content"),
  manage: dav("write"),
} as const satisfies Record<CollectionRight, XmlName>;

/** Throws 403 when the login lacks a right on a collection. `href`: of the resource that is told of. */
export function assertRight(
  { rights }: ReachedCollection,
  right: CollectionRight,
  href: string,
  privilege: XmlName = privilegeOfRight[right],
): void {
  if (!rights.has(right)) throw needPrivileges("The login may not do this here.", href, privilege);
}
