/** What a program needs in order to follow a collection (WebDAV-Push, section "Push Properties"). Only who can follow it has them. */
import { property } from "../property.ts";
import { canFollow } from "../push/registration.ts";
import { followable } from "../resource.ts";
import { dav, push } from "../xml/names.ts";
import { element, elementWith, escapeText, join, textElement } from "../xml/write-xml.ts";

const triggers = join([
  element(push("content-update"), textElement(dav("depth"), "1")),
  element(push("property-update"), textElement(dav("depth"), "0")),
]);

export const pushProperties = [
  property({
    name: push("transports"),
    on: followable,
    isHidden: true,
    read: (resource, { rooms, login }) =>
      canFollow(rooms, login, resource)
        ? element(
            push("web-push"),
            elementWith(
              push("vapid-public-key"),
              { type: "p256ecdsa" },
              escapeText(rooms.collectionPushes.key),
            ),
          )
        : undefined,
  }),
  property({
    name: push("topic"),
    on: followable,
    isHidden: true,
    read: (resource, { rooms, login }) =>
      canFollow(rooms, login, resource)
        ? escapeText(rooms.collectionPushes.topicOf(resource.collection))
        : undefined,
  }),
  property({
    name: push("supported-triggers"),
    on: followable,
    isHidden: true,
    read: (resource, { rooms, login }) => (canFollow(rooms, login, resource) ? triggers : undefined),
  }),
];
