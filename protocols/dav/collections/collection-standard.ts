/** What the standard of each kind of collection says: CalDAV (RFC 4791) for calendars, CardDAV (RFC 6352) for addressbooks. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import { caldav, carddav, dav, type XmlName } from "../xml/names.ts";

export interface CollectionStandard {
  /** A name in the namespace of the standard. */
  name(name: string): XmlName;
  readonly conditions: {
    /** The media type of an item is not one that the collection takes. */
    readonly supportedData: XmlName;
    /** The octets of an item are not valid. */
    readonly validData: XmlName;
    /** A collection of this kind cannot be at this URL. */
    readonly location: XmlName;
    /** The default collection cannot be deleted. */
    readonly defaultNeeded: XmlName;
  };
  /** Media types that a PUT can have. The first one is that of the answers. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** The component that the octets of an item are. */
  readonly component: "VCALENDAR" | "VCARD";
}

export const collectionStandards: Readonly<Record<CollectionKind, CollectionStandard>> = {
  calendar: {
    name: caldav,
    conditions: {
      supportedData: caldav("supported-calendar-data"),
      validData: caldav("valid-calendar-data"),
      location: caldav("calendar-collection-location-ok"),
      defaultNeeded: caldav("default-calendar-needed"),
    },
    mediaTypes: ["text/calendar"],
    component: "VCALENDAR",
  },
  addressbook: {
    name: carddav,
    conditions: {
      supportedData: carddav("supported-address-data"),
      validData: carddav("valid-address-data"),
      location: carddav("addressbook-collection-location-ok"),
      defaultNeeded: dav("unbind"),
    },
    // vCard 3.0 was text/x-vcard and text/directory before RFC 6350 section 10.1.
    mediaTypes: ["text/vcard", "text/x-vcard", "text/directory"],
    component: "VCARD",
  },
};
