/** A card as CARDDAV:address-data asks for it (RFC 6352 section 10.4): a version, and a selection of properties. A request for
 *  neither gets the stored octets. */
import {
  type Component,
  changeItems,
  changeProperty,
  type Item,
} from "#/src/formats/content-lines/content-line.ts";
import { octetString } from "#/src/formats/mime/octets.ts";
import { findVersion } from "#/src/formats/vcard/card.ts";
import { convertCard } from "#/src/formats/vcard/convert-card.ts";

export interface AddressDataRequest {
  /** Undefined: as it is stored. */
  readonly version: "3.0" | "4.0" | undefined;
  /** By name in upper case, true where only the name is wanted (novalue). */
  readonly props: ReadonlyMap<string, boolean> | undefined;
}

/** The stored octets are the answer. Most cards say their version in their second line, so they are not parsed. */
export function isAnsweredByOctets({ version, props }: AddressDataRequest, bytes: Uint8Array): boolean {
  if (props !== undefined) return false;
  return version === undefined || version === versionInHead(bytes);
}

const headOctets = 40;

function versionInHead(bytes: Uint8Array): string | undefined {
  const head = octetString(bytes, 0, Math.min(bytes.length, headOctets));
  return /^BEGIN:VCARD\r?\nVERSION:([34]\.0)\r?\n/i.exec(head)?.[1];
}

export function selectAddressData({ version, props }: AddressDataRequest, card: Component): Component {
  const converted =
    version === undefined || findVersion(card) === version ? card : convertCard(card, version);
  if (props === undefined) return converted;
  return changeItems(
    converted,
    converted.items.flatMap((item): Item[] => {
      if (item.kind !== "property") return [];
      const hasNoValue = props.get(item.name);
      // Section 10.4.2: the client has to ask for required properties. VERSION is always sent, as a card is not valid without it.
      if (item.name === "VERSION") return [item];
      if (hasNoValue === undefined) return [];
      return [hasNoValue ? changeProperty(item, { value: "" }) : item];
    }),
  );
}
