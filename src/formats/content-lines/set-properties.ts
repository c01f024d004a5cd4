/** Changes single properties and keeps everything else: unknown properties, order, octets. */
import {
  type Component,
  changeItems,
  type Item,
  listProperties,
  type Parameter,
  type Property,
} from "./content-line.ts";

/** The component with these as its only properties of their name. They take the places of the old properties of that name; further
 *  ones follow the last of them, or are put before the inner components if there was none. A property equal to the old one at its
 *  place keeps the old octets. */
export function setProperties(
  component: Component,
  name: string,
  properties: readonly Property[],
): Component {
  const places = listProperties(component, name);
  const waiting = properties.map((property, at) => keepSame(places[at], property));
  const last = places.at(-1);
  const items: Item[] = [];
  for (const item of component.items) {
    if (item.kind !== "property" || item.name !== name) items.push(item);
    else items.push(...waiting.splice(0, item === last ? waiting.length : 1));
  }
  if (last === undefined) {
    const inner = items.findIndex(({ kind }) => kind === "component");
    items.splice(inner < 0 ? items.length : inner, 0, ...waiting);
  }
  return changeItems(component, items);
}

function keepSame(old: Property | undefined, property: Property): Property {
  const isSame =
    old !== undefined &&
    old.value === property.value &&
    old.group === property.group &&
    old.parameters.length === property.parameters.length &&
    old.parameters.every((parameter, at) => isSameParameter(parameter, property.parameters[at]!));
  return isSame ? old : property;
}

function isSameParameter(one: Parameter, other: Parameter): boolean {
  return (
    one.name === other.name &&
    one.values.length === other.values.length &&
    one.values.every((value, at) => value === other.values[at])
  );
}

/** The tree with one item replaced, or removed. */
export function replaceItem(parent: Component, item: Item, replacement: Item | undefined): Component {
  return changeItems(
    parent,
    parent.items.flatMap((one) => (one === item ? (replacement === undefined ? [] : [replacement]) : [one])),
  );
}
