/** What a program needs in order to follow a collection (WebDAV-Push, section "Push Properties"). Only who can follow it has them. */
import type { Principal } from "#/src/accounts/accounts.ts";
import { property } from "../property.ts";
import { type CollectionResource, type DavResource, followable } from "../resource.ts";
import type { DavRooms } from "../rooms.ts";
import { dav, push } from "../xml/names.ts";
import { element, elementWith, escapeText, join, textElement, type Xml } from "../xml/write-xml.ts";

/** Whether the login can follow a resource. Where it may not, the resource looks as if there were no push. */
export function canFollow(
  { collectionPushes }: Pick<DavRooms, "collectionPushes">,
  login: Principal,
  resource: DavResource,
): resource is CollectionResource {
  return "collection" in resource && resource.collection.rights.has("read") && collectionPushes.isFor(login);
}

const triggers = join([
  element(push("content-update"), textElement(dav("depth"), "1")),
  element(push("property-update"), textElement(dav("depth"), "0")),
]);

/** One that only has who can follow the collection. */
function pushProperty(name: string, read: (rooms: DavRooms, resource: CollectionResource) => Xml) {
  return property({
    name: push(name),
    on: followable,
    isHidden: true,
    read: (resource, { rooms, login }) =>
      canFollow(rooms, login, resource) ? read(rooms, resource) : undefined,
  });
}

export const pushProperties = [
  pushProperty("transports", ({ collectionPushes: { key } }) =>
    element(push("web-push"), elementWith(push("vapid-public-key"), { type: "p256ecdsa" }, escapeText(key))),
  ),
  pushProperty("topic", ({ collectionPushes }, { collection }) =>
    escapeText(collectionPushes.topicOf(collection)),
  ),
  pushProperty("supported-triggers", () => triggers),
];
