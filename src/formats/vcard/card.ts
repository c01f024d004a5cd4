/** A vCard in a stream of content lines (RFC 6350 section 3, RFC 2426 section 4, vCard 2.1 section 2.1). */
import {
  type Component,
  findProperty,
  type Parameter,
  type Property,
} from "../content-lines/content-line.ts";

const vcardVersions = ["2.1", "3.0", "4.0"] as const;
export type VCardVersion = (typeof vcardVersions)[number];

/** undefined if the card has no known version. */
export function findVersion(card: Component): VCardVersion | undefined {
  const value = findProperty(card, "VERSION")?.value.trim();
  return vcardVersions.find((version) => version === value);
}

/** The card's own properties. */
export function propertiesOf(card: Component): Property[] {
  return card.items.filter((item): item is Property => item.kind === "property");
}

/** All values of the TYPE parameters in lower case. A quoted list is several values (`TYPE="voice,home"`, RFC 6350
 *  section 5.6), and words without a name are types (vCard 2.1). */
export function typesOf(property: Property): string[] {
  return property.parameters.flatMap(({ name, values }) =>
    name === "TYPE" ? values.flatMap((value) => value.toLowerCase().split(",")) : [],
  );
}

/** The parameters whose names are not among `names`. */
export function withoutParameters(
  parameters: readonly Parameter[],
  ...names: readonly string[]
): readonly Parameter[] {
  return parameters.some(({ name }) => names.includes(name))
    ? parameters.filter(({ name }) => !names.includes(name))
    : parameters;
}
