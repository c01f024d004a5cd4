/** What clients set on a calendar or addressbook (`declared-properties.ts`). The doors show them by hand: each protocol has its own names. */
import {
  type Declarations,
  propertiesOf,
  type SettableProperties,
  type StoredProperties,
} from "./declared-properties.ts";

const declared = {
  displayName: { column: "display_name", form: "name" },
  description: { column: "description", form: "text" },
  /** `#rrggbb` or `#rrggbbaa` (calendar-color of Apple). */
  color: { column: "color", form: "text" },
  /** calendar-order of Apple. */
  order: { column: "position", form: "number" },
  /** IANA name, or the text of a VCALENDAR with one VTIMEZONE as the client wrote it (RFC 4791 section 5.2.2). */
  timeZone: { column: "time_zone", form: "text" },
  /** RFC 6638 section 9.1: events of this calendar do not make its owner busy. */
  isTransparent: { column: "is_transparent", form: "flag" },
  /** Of the scheduling inbox: a VCALENDAR with the VAVAILABILITY of its owner (RFC 7953 section 7.2.4). */
  availability: { column: "availability", form: "text" },
} as const satisfies Declarations;

export const collectionProperties = propertiesOf(declared);
/** As they are stored. */
export type CollectionSettings = StoredProperties<typeof declared>;
/** As they are read and set. */
export type SettableCollection = SettableProperties<typeof declared>;
