/** Properties of addressbooks (RFC 6352 section 6.2 and 7.1). */

import { itemBytesMax } from "#/src/model/limits.ts";
import { homeHref } from "../hrefs.ts";
import { property } from "../property.ts";
import { carddav, dav } from "../xml/names.ts";
import { elementWith, escapeText, join, textElement } from "../xml/write-xml.ts";
import { collations } from "./caldav.ts";

export const carddavProperties = [
  property({
    name: carddav("addressbook-home-set"),
    on: ["principal"],
    isHidden: true,
    read: ({ principal }) => textElement(dav("href"), homeHref("addressbook", principal.id)),
  }),
  property({
    name: carddav("addressbook-description"),
    on: ["addressbook"],
    isHidden: true,
    read: ({ collection: { description } }) =>
      description === undefined ? undefined : escapeText(description),
    write: (value) => ({ description: value?.text }),
  }),
  property({
    name: carddav("supported-address-data"),
    on: ["addressbook"],
    isHidden: true,
    read: () =>
      join(
        ["3.0", "4.0"].map((version) =>
          elementWith(carddav("address-data-type"), { "content-type": "text/vcard", version }),
        ),
      ),
  }),
  property({
    name: carddav("supported-collation-set"),
    on: ["addressbook"],
    isHidden: true,
    read: () => join(collations.map((name) => textElement(carddav("supported-collation"), name))),
  }),
  property({
    name: carddav("max-resource-size"),
    on: ["addressbook"],
    isHidden: true,
    read: () => escapeText(String(itemBytesMax)),
  }),
];
