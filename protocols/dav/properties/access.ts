/** The properties of access control (RFC 3744) that clients read. Grants give access, so DAV:acl is protected. */
import { mayWriteFiles } from "../files/file-rights.ts";
import { principalHref, principalsHref, proxySegments } from "../hrefs.ts";
import { listPrivileges } from "../privileges.ts";
import { property } from "../property.ts";
import type { DavRequest } from "../request.ts";
import { type DavResource, everyResource, isOfFiles } from "../resource.ts";
import { caldav, dav, type XmlName } from "../xml/names.ts";
import { element, elementWith, escapeText, join, noXml, textElement, type Xml } from "../xml/write-xml.ts";

const owned = [
  "principal",
  "proxy-group",
  "calendar-home",
  "addressbook-home",
  "calendar",
  "addressbook",
  "inbox",
  "outbox",
  "item",
  "folder",
  "file",
] as const;

function hrefElement(href: string): Xml {
  return textElement(dav("href"), href);
}

function isOwn(resource: DavResource, { login }: DavRequest): boolean {
  return "principal" in resource && resource.principal.agent === login.agent;
}

function mayChange(resource: DavResource, request: DavRequest): boolean {
  return isOfFiles(resource) ? mayWriteFiles(request.login) : isOwn(resource, request);
}

/** The principal that owns the resource, also if it is shared with the login. */
function ownerHref(resource: DavResource, { rooms }: DavRequest): string | undefined {
  const { ids } = rooms.collections;
  if (resource.kind === "item") return principalHref(ids.encode("agent", resource.parent.collection.agent));
  if ("collection" in resource) return principalHref(ids.encode("agent", resource.collection.agent));
  return "principal" in resource ? principalHref(resource.principal.id) : undefined;
}

function privilege(name: XmlName): Xml {
  return element(dav("privilege"), element(name));
}

function supported(name: XmlName, description: string, ...below: readonly Xml[]): Xml {
  return element(
    dav("supported-privilege"),
    privilege(name),
    elementWith(dav("description"), { "xml:lang": "en" }, escapeText(description)),
    ...below,
  );
}

const scheduling = (kind: "deliver" | "send"): Xml =>
  kind === "deliver"
    ? supported(
        caldav("schedule-deliver"),
        "Deliver scheduling messages",
        supported(caldav("schedule-deliver-invite"), "Deliver invitations"),
        supported(caldav("schedule-deliver-reply"), "Deliver replies"),
        supported(caldav("schedule-query-freebusy"), "Ask for free-busy times"),
      )
    : supported(
        caldav("schedule-send"),
        "Send scheduling messages",
        supported(caldav("schedule-send-invite"), "Send invitations"),
        supported(caldav("schedule-send-reply"), "Send replies"),
        supported(caldav("schedule-send-freebusy"), "Send questions for free-busy times"),
      );

/** RFC 3744 section 5.3. */
function supportedPrivileges(kind: DavResource["kind"]): Xml {
  return supported(
    dav("all"),
    "Everything",
    supported(
      dav("read"),
      "Read",
      supported(dav("read-acl"), "Read the access rules"),
      supported(dav("read-current-user-privilege-set"), "Read one's own privileges"),
      supported(caldav("read-free-busy"), "Read free-busy times"),
    ),
    supported(
      dav("write"),
      "Write",
      supported(dav("write-content"), "Change items"),
      supported(dav("write-properties"), "Change properties"),
      supported(dav("bind"), "Add members"),
      supported(dav("unbind"), "Remove members"),
    ),
    supported(dav("unlock"), "Remove locks of others"),
    kind === "inbox" ? scheduling("deliver") : kind === "outbox" ? scheduling("send") : noXml,
  );
}

export const accessProperties = [
  property({
    name: dav("owner"),
    on: owned,
    isHidden: true,
    read: (resource, request) => {
      const href = ownerHref(resource, request);
      return href === undefined ? undefined : hrefElement(href);
    },
  }),
  property({
    name: dav("supported-privilege-set"),
    on: everyResource,
    isHidden: true,
    read: ({ kind }) => supportedPrivileges(kind),
  }),
  property({
    name: dav("current-user-privilege-set"),
    on: everyResource,
    isHidden: true,
    read: (resource, request) => join(listPrivileges(resource, mayChange(resource, request)).map(privilege)),
  }),
  property({
    name: dav("acl"),
    on: owned,
    isHidden: true,
    // The rules that concern the login: its own, which come from grants.
    read: (resource, request) =>
      element(
        dav("ace"),
        element(dav("principal"), hrefElement(principalHref(request.tree.own.id))),
        element(dav("grant"), ...listPrivileges(resource, mayChange(resource, request)).map(privilege)),
        element(dav("protected")),
      ),
  }),
  property({
    name: dav("acl-restrictions"),
    on: owned,
    isHidden: true,
    read: () => join([element(dav("grant-only")), element(dav("no-invert"))]),
  }),
  property({
    name: dav("inherited-acl-set"),
    on: owned,
    isHidden: true,
    read: () => noXml,
  }),
  property({
    name: dav("principal-collection-set"),
    on: everyResource,
    isHidden: true,
    read: () => hrefElement(principalsHref),
  }),
  // RFC 5397
  property({
    name: dav("current-user-principal"),
    on: everyResource,
    isHidden: true,
    read: (_, { tree }) => hrefElement(principalHref(tree.own.id)),
  }),
  property({
    name: dav("principal-URL"),
    on: ["principal", "proxy-group"],
    isHidden: true,
    read: ({ href }) => hrefElement(href),
  }),
  property({
    name: dav("alternate-URI-set"),
    on: ["principal", "proxy-group"],
    isHidden: true,
    read: () => noXml,
  }),
  property({
    name: dav("group-member-set"),
    on: ["principal", "proxy-group"],
    isHidden: true,
    // Only the operator sees who has grants. Apple's clients ask for this property to show delegates, and accept an empty answer.
    read: () => noXml,
  }),
  property({
    name: dav("group-membership"),
    on: ["principal", "proxy-group"],
    isHidden: true,
    read: async (resource, request) =>
      resource.kind === "principal" && isOwn(resource, request) ? listMemberships(request) : noXml,
  }),
];

/** The proxy groups of the principals who share calendars with the login. */
async function listMemberships({ reach, rooms }: DavRequest): Promise<Xml> {
  const rights = new Map<string, "read" | "write">();
  for (const { isOwn, agent, rights: own, role } of await reach.list("calendar")) {
    if (isOwn || role === "inbox" || !own.has("read")) continue;
    const id = rooms.collections.ids.encode("agent", agent);
    if (rights.get(id) !== "write") rights.set(id, own.has("write") ? "write" : "read");
  }
  return join([...rights].map(([id, right]) => hrefElement(`${principalHref(id)}${proxySegments[right]}/`)));
}
