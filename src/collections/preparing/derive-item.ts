/** Everything that is derived of an item's octets before they are written: UID, component, periods, text that is searched. Refuses
 *  octets that break a precondition of RFC 4791 section 5.3.2.1 or RFC 6352 section 6.3.2.1, by its name. */
import { normalAddress } from "#/src/accounts/address-key.ts";
import { type Component, findProperty, listProperties } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { type CalendarObject, checkCalendarObject } from "#/src/formats/icalendar/check-calendar-object.ts";
import { listManagedIds } from "#/src/formats/icalendar/managed-attachments.ts";
import { checkAddressData } from "#/src/formats/vcard/address-data.ts";
import { searchText } from "#/src/formats/vcard/search-text.ts";
import { unescapeText } from "#/src/formats/vcard/values.ts";
import type { CollectionKind } from "#/src/model/collections.ts";
import { type ErrorReason, isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { nameKey } from "#/src/model/likeness.ts";
import { contactAddressesMax, itemBytesMax, uidBytesMax } from "#/src/model/limits.ts";
import { encodeItem, type ItemFacts } from "#/storage/items.ts";
import { listPeriods } from "./list-periods.ts";
import { foldSearchText, searchTextOfCalendar } from "./search-text.ts";

export interface DerivedItem {
  readonly kind: CollectionKind;
  /** In the scheduling inbox, where a METHOD is allowed (RFC 6638 section 2.2). */
  readonly isMessage: boolean;
  readonly at: number;
}

/** A parsed item. Its periods are computed in a separate step, which may be much work. */
export type ReadItem =
  | { readonly kind: "calendar"; readonly object: CalendarObject; readonly uid: string }
  | { readonly kind: "addressbook"; readonly card: Component; readonly uid: string };

/** The precondition that is broken by octets which are not a valid item of the kind. */
export const dataReasons = {
  calendar: "valid-calendar-data",
  addressbook: "valid-address-data",
} as const satisfies Record<CollectionKind, ErrorReason>;

const readers: Readonly<Record<CollectionKind, (bytes: Uint8Array, isMessage: boolean) => ReadItem>> = {
  calendar: readCalendar,
  addressbook: readCard,
};

/** Throws `invalid` with the name of the precondition. */
export function readItem(bytes: Uint8Array, { kind, isMessage }: Omit<DerivedItem, "at">): ReadItem {
  if (bytes.length > itemBytesMax)
    throw refused("max-resource-size", `An item has at most ${itemBytesMax} octets.`);
  const dataReason = dataReasons[kind];
  try {
    const read = readers[kind](bytes, isMessage);
    const { uid } = read;
    if (uid.includes("\0") || Buffer.byteLength(uid) > uidBytesMax)
      throw refused(dataReason, `The UID has a NUL, or more than ${uidBytesMax} octets.`);
    return read;
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    if (error.details.reason !== "too_large" && error.details.reason !== "limit_reached") throw error;
    throw refused(dataReason, error.message);
  }
}

/** Derives the facts of a parsed item. */
export async function deriveItem(bytes: Uint8Array, read: ReadItem, at: number): Promise<ItemFacts> {
  const stored = await encodeItem(bytes);
  if (read.kind === "addressbook")
    return {
      ...stored,
      uid: read.uid,
      component: "VCARD",
      searchText: foldSearchText(searchText(read.card, () => {}).map(({ text }) => text)),
      periods: [],
      addresses: listAddresses(read.card),
      nameKeys: listNameKeys(read.card),
      horizonMs: null,
      isSchedulingObject: false,
      managedIds: [],
    };
  const { object } = read;
  return {
    ...stored,
    uid: object.uid,
    component: object.kind,
    searchText: foldSearchText(searchTextOfCalendar(object.components)),
    ...listPeriods(object, at),
    addresses: [],
    nameKeys: [],
    isSchedulingObject: object.components.some(isScheduled),
    managedIds: listManagedIds(object.components),
  };
}

/** The addresses of a contact, in the form that recipients of outgoing mail have. Other texts are left out. */
function listAddresses(card: Component): string[] {
  const found = new Set<string>();
  for (const { value } of listProperties(card, "EMAIL").slice(0, contactAddressesMax)) {
    const address = normalAddress(
      unescapeText(value)
        .trim()
        .replace(/^mailto:/i, ""),
    );
    if (address !== undefined) found.add(address.toLowerCase());
  }
  return [...found];
}

/** Names of the card under which somebody may write. */
function listNameKeys(card: Component): string[] {
  const names = listProperties(card, "FN").slice(0, namesMax);
  const keys = names.map(({ value }) => nameKey(unescapeText(value.slice(0, nameCharactersMax))));
  return [...new Set(keys.filter((key) => key !== undefined))];
}

const namesMax = 5;
const nameCharactersMax = 400;

/** RFC 6638 section 3.1: with an organizer and an attendee. */
function isScheduled(component: Component): boolean {
  return (
    findProperty(component, "ORGANIZER") !== undefined && findProperty(component, "ATTENDEE") !== undefined
  );
}

function readCalendar(bytes: Uint8Array, isMessage: boolean): ReadItem {
  const checked = checkCalendarObject(readContentLines(bytes), isMessage);
  if ("precondition" in checked) throw refused(checked.precondition, checked.explanation);
  return { kind: "calendar", object: checked, uid: checked.uid };
}

function readCard(bytes: Uint8Array): ReadItem {
  const checked = checkAddressData(bytes);
  if ("failed" in checked) throw refused(checked.failed, checked.why);
  return { kind: "addressbook", card: checked.card, uid: checked.uid };
}

function refused(reason: ErrorReason, explanation: string): WaypostError {
  return new WaypostError("invalid", explanation, { reason });
}
