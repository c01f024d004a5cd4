/** Checks an address object resource (RFC 6352 section 5.1 and 5.3.2.1): one vCard of version 3.0 or 4.0 with the properties that its
 *  version requires and one UID. The result names the failed precondition. */
import {
  type Component,
  type ContentStream,
  listComponents,
  listProperties,
} from "../content-lines/content-line.ts";
import { readContentLines } from "../content-lines/read-content-lines.ts";
import { findVersion } from "./card.ts";

/** Elements of the namespace `urn:ietf:params:xml:ns:carddav`. */
export type AddressPrecondition = "supported-address-data" | "valid-address-data";

export type CheckedAddressData =
  | {
      readonly stream: ContentStream;
      readonly card: Component;
      readonly version: "3.0" | "4.0";
      readonly uid: string;
    }
  | { readonly failed: AddressPrecondition; readonly why: string };

/** Throws the errors of `readContentLines` for a stream beyond the limits. */
export function checkAddressData(bytes: Uint8Array): CheckedAddressData {
  const stream = readContentLines(bytes);
  const [card, ...others] = listComponents(stream);
  if (card === undefined) return invalid("There is no BEGIN:VCARD.");
  if (card.name !== "VCARD") return invalid(`The text is a ${card.name.slice(0, 40)}, not a VCARD.`);
  if (others.length > 0) return invalid("There is more than one card; an address object has one.");
  if (card.end === "") return invalid("The card has no END:VCARD.");
  if (hasLinesOutside(stream)) return invalid("There are lines outside of the card.");
  return checkCard(stream, card);
}

function checkCard(stream: ContentStream, card: Component): CheckedAddressData {
  const versions = listProperties(card, "VERSION");
  if (versions.length !== 1) return invalid("A card has one VERSION.");
  const version = findVersion(card);
  if (version === undefined || version === "2.1")
    return {
      failed: "supported-address-data",
      why: `Cards of version 3.0 and 4.0 are stored, not of ${versions[0]!.value.slice(0, 20)}.`,
    };
  const fault = stream.faults.find(({ reason }) => unreadable.has(reason));
  if (fault !== undefined) return invalid(`Line ${fault.line} is not a content line: ${fault.reason}.`);
  if (listProperties(card, "FN").length === 0) return invalid("A card has an FN.");
  if (version === "3.0" && listProperties(card, "N").length === 0)
    return invalid("A card of version 3.0 has an N.");
  const [uid, ...otherUids] = listProperties(card, "UID").map(({ value }) => value.trim());
  if (uid === undefined || uid === "") return invalid("A stored card has a UID.");
  if (otherUids.length > 0) return invalid("A card has one UID.");
  return { stream, card, version, uid };
}

/** Lenient beyond these: bare LF and octets of other charsets are kept. Control characters are refused, because the XML of a
 *  report cannot contain them. */
const unreadable: ReadonlySet<string> = new Set([
  "no colon",
  "bad name",
  "control character",
  "END without BEGIN",
  "BEGIN without END",
]);

function hasLinesOutside({ items }: ContentStream): boolean {
  return items.some((item) => item.kind === "property");
}

function invalid(why: string): CheckedAddressData {
  return { failed: "valid-address-data", why };
}
