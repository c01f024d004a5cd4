/** The filter of an addressbook-query (RFC 6352 section 10.5), as values, and whether a card matches it. */
import { type Component, type Property, parameterValues } from "#/src/formats/content-lines/content-line.ts";
import { propertiesOf } from "#/src/formats/vcard/card.ts";
import { unescapeText } from "#/src/formats/vcard/values.ts";
import { matchesTextOf, type TextMatch, valuePart } from "./text-match.ts";

export type Test = "anyof" | "allof";

export interface AddressFilter {
  readonly test: Test;
  readonly props: readonly AddressPropFilter[];
}

export interface AddressPropFilter {
  /** In upper case. */
  readonly name: string;
  /** In upper case; section 10.5.1: without a group in the filter, the group of a property does not count. */
  readonly group: string | undefined;
  readonly test: Test;
  readonly isNotDefined: boolean;
  readonly textMatches: readonly TextMatch[];
  readonly params: readonly AddressParamFilter[];
}

export interface AddressParamFilter {
  readonly name: string;
  readonly isNotDefined: boolean;
  readonly textMatch: TextMatch | undefined;
}

/** A filter without conditions matches every card. */
export function matchesCard({ test, props }: AddressFilter, card: Component): boolean {
  if (props.length === 0) return true;
  const properties = propertiesOf(card);
  return holds(test, props, (prop) => matchesProp(prop, properties));
}

function holds<T>(test: Test, conditions: readonly T[], isMet: (condition: T) => boolean): boolean {
  return test === "allof" ? conditions.every(isMet) : conditions.some(isMet);
}

/** All conditions of one filter must match the same property. */
function matchesProp(filter: AddressPropFilter, properties: readonly Property[]): boolean {
  const named = properties.filter(
    ({ name, group }) =>
      name === filter.name && (filter.group === undefined || group?.toUpperCase() === filter.group),
  );
  if (filter.isNotDefined) return named.length === 0;
  const { textMatches, params, test } = filter;
  if (textMatches.length + params.length === 0) return named.length > 0;
  return named.some((property) => {
    const texts = () => [unescapeText(property.value)];
    const conditions = [
      ...textMatches.map((match) => () => matchesTextOf(match, property, valuePart, texts)),
      ...params.map((param) => () => matchesParam(param, property)),
    ];
    return holds(test, conditions, (isMet) => isMet());
  });
}

function matchesParam({ name, isNotDefined, textMatch }: AddressParamFilter, property: Property): boolean {
  const isThere = property.parameters.some((parameter) => parameter.name === name);
  if (isNotDefined) return !isThere;
  if (!isThere || textMatch === undefined) return isThere;
  return matchesTextOf(textMatch, property, name, () => parameterValues(property, name));
}
