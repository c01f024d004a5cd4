/** Properties and components that JSCalendar does not have, as jCal (RFC 7265 section 3.3 and 3.4): name, parameters, type, value;
 *  name, properties, components. A value of type `unknown` is the same as in the text. */
import {
  type Component,
  type Item,
  makeComponent,
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { formatText, parseText } from "../icalendar/text-value.ts";
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  put,
} from "../jscontact/json.ts";
import { leftOf } from "./unit.ts";

const textNames = new Set(["COMMENT", "CONTACT", "DESCRIPTION", "LOCATION", "NAME", "SUMMARY", "UID"]);

export function readJcalProperty({ name, value, parameters: given }: Property): Json {
  const parameters: OpenObject = {};
  for (const { name: parameter, values } of given)
    if (parameter !== "VALUE")
      put(parameters, parameter.toLowerCase(), values.length === 1 ? values[0]! : values);
  const type = given.find((parameter) => parameter.name === "VALUE")?.values[0]?.toLowerCase();
  if (type === "text" || (type === undefined && textNames.has(name)))
    return [name.toLowerCase(), parameters, "text", parseText(value)];
  return [name.toLowerCase(), parameters, type ?? "unknown", value];
}

/** undefined if the value is not a property. */
export function writeJcalProperty(json: Json): Property | undefined {
  if (!isArray(json)) return undefined;
  const [name, parameters, type, value] = json;
  if (typeof name !== "string" || typeof type !== "string" || typeof value !== "string") return undefined;
  const upper = name.toUpperCase();
  const written: Parameter[] = Object.entries(isObject(parameters) ? parameters : {}).map(
    ([parameter, values]) => ({
      name: parameter.toUpperCase(),
      values: [values].flat().filter((each): each is string => typeof each === "string"),
    }),
  );
  const isDefault = type === "unknown" || (type === "text" && textNames.has(upper));
  if (!isDefault) written.unshift({ name: "VALUE", values: [type.toUpperCase()] });
  return makeProperty(upper, type === "text" ? formatText(value) : value, written);
}

export function readJcalComponent({ name, items }: Component): Json {
  return [
    name.toLowerCase(),
    items.filter((item) => item.kind === "property").map(readJcalProperty),
    items.filter((item) => item.kind === "component").map(readJcalComponent),
  ];
}

export function writeJcalComponent(json: Json): Component | undefined {
  if (!isArray(json)) return undefined;
  const [name, properties, components] = json;
  if (typeof name !== "string" || !isArray(properties) || !isArray(components)) return undefined;
  return makeComponent(
    name,
    [...properties.map(writeJcalProperty), ...components.map(writeJcalComponent)].filter(
      (item) => item !== undefined,
    ),
  );
}

/** The items of an inner component (VALARM) that JSCalendar does not have; undefined if there are none. */
export function readLeft(component: Component, placed: ReadonlySet<Item>): JsonObject | undefined {
  const left = component.items.filter((item) => !placed.has(item));
  const properties = left.filter((item) => item.kind === "property").map(readJcalProperty);
  const components = left.filter((item) => item.kind === "component").map(readJcalComponent);
  return leftOf(component.name.toLowerCase(), properties, components);
}

export function writeLeft(entry: JsonObject): Item[] {
  const left = member(entry, "iCalendar");
  if (!isObject(left)) return [];
  const [properties, components] = [member(left, "properties"), member(left, "components")];
  return [
    ...(isArray(properties) ? properties.map(writeJcalProperty) : []),
    ...(isArray(components) ? components.map(writeJcalComponent) : []),
  ].filter((item) => item !== undefined);
}

/** The items; where an old item has the same meaning, the old one. */
export function keepItems(items: readonly Item[], old: readonly Item[]): Item[] {
  const free = new Map<string, Item[]>();
  for (const item of old) {
    const text = factsOf(item);
    free.set(text, [...(free.get(text) ?? []), item]);
  }
  return items.map((item) => free.get(factsOf(item))?.shift() ?? item);
}

/** A component of these items, each at the place of the old item with the same meaning or the same name. */
export function rebuilt(name: string, items: readonly Item[], before: Component | undefined): Component {
  if (before === undefined) return makeComponent(name, items);
  const kept = keepItems(items, before.items);
  const order = new Map<Item | string, number>();
  for (const [at, item] of before.items.entries()) {
    order.set(item, at);
    if (item.kind === "property" && !order.has(item.name)) order.set(item.name, at);
  }
  // A changed line takes the place of the old line with its name.
  const placeOf = (item: Item) =>
    order.get(item) ?? (item.kind === "property" ? order.get(item.name) : undefined) ?? before.items.length;
  return { ...before, items: kept.toSorted((one, other) => placeOf(one) - placeOf(other)) };
}

/** The meaning of an item, without its spelling, folds and order of parameters. */
function factsOf(item: Item): string {
  if (item.kind === "unread") return item.octets;
  if (item.kind === "component") return JSON.stringify([item.name, item.items.map(factsOf)]);
  const parameters = item.parameters.map(({ name, values }) => JSON.stringify([name, values])).sort();
  return JSON.stringify([item.name, parameters, item.value]);
}

/** The parameters of an old line that have no counterpart in JSCalendar. They are kept when the line is written again. */
export function otherParameters(old: Property | undefined, known: ReadonlySet<string>): Parameter[] {
  return old === undefined ? [] : old.parameters.filter(({ name }) => !known.has(name) && name !== "JSID");
}

export function isDerived(property: Property): boolean {
  return parameterValue(property, "DERIVED")?.toUpperCase() === "TRUE";
}
