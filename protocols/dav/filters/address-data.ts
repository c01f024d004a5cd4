/** A card as CARDDAV:address-data asks for it (RFC 6352 section 10.4): its version, and of its properties a selection. What asks
 *  for nothing of this gets the stored octets. */
import {
  type Component,
  changeItems,
  changeProperty,
  type Item,
} from "#/src/formats/content-lines/content-line.ts";
import { findVersion } from "#/src/formats/vcard/card.ts";
import { convertCard } from "#/src/formats/vcard/convert-card.ts";

export interface AddressDataRequest {
  /** Undefined: as it is stored. */
  readonly version: "3.0" | "4.0" | undefined;
  /** By name in upper case, true where only the name is wanted (novalue). */
  readonly props: ReadonlyMap<string, boolean> | undefined;
}

/** Nothing has to be looked at: the stored octets are the answer. */
export function isWholeCard({ version, props }: AddressDataRequest): boolean {
  return version === undefined && props === undefined;
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
      // Section 10.4.2: VERSION, and what a card must have, is the client's to ask for; without VERSION it is no card.
      if (item.name === "VERSION") return [item];
      if (hasNoValue === undefined) return [];
      return [hasNoValue ? changeProperty(item, { value: "" }) : item];
    }),
  );
}
