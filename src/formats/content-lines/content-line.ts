/** The tree that iCalendar and vCard text is read into (RFC 5545 section 3.1 and 3.6, RFC 6350 section 3.2 and 3.3).
 *  Everything is immutable. An item that was read keeps its own octets (an octet string: one character is one octet) and is written
 *  with exactly these; an item that was made or changed has none and is formatted when it is written. */

export interface Parameter {
  /** In upper case. */
  readonly name: string;
  /** Without quotes, RFC 6868 decoded. None for the bare words of vCard 2.1 (`TEL;HOME:`). */
  readonly values: readonly string[];
}

export interface Property {
  readonly kind: "property";
  /** The group of a vCard property as it was written: `item1` in `item1.TEL`. */
  readonly group: string | undefined;
  /** In upper case; `writtenName` as it was written. */
  readonly name: string;
  readonly writtenName: string;
  readonly parameters: readonly Parameter[];
  /** Unfolded text with its escapes: everything after the colon. Read as UTF-8 if it is valid UTF-8, else as windows-1252.
   *  Soft line ends of quoted-printable (vCard 2.1) are kept in it. */
  readonly value: string;
  /** With line ends and folds. Absent if the property was made or changed. */
  readonly octets: string | undefined;
}

/** A line that is not a property: blank, without a colon, or an END without BEGIN. */
export interface UnreadLine {
  readonly kind: "unread";
  readonly octets: string;
}

export interface Component {
  readonly kind: "component";
  /** In upper case. */
  readonly name: string;
  readonly items: readonly Item[];
  /** The line BEGIN, and the line END (empty if the text ends before it). Absent if the component was made. */
  readonly begin: string | undefined;
  readonly end: string | undefined;
}

export type Item = Property | Component | UnreadLine;

/** A fault in a stream that was read nevertheless. */
export interface Fault {
  /** Number of the physical line, from 1. */
  readonly line: number;
  readonly reason: FaultReason;
}
export type FaultReason =
  | "no colon"
  | "bad name"
  | "bad parameter"
  | "bare LF"
  | "not UTF-8"
  | "control character"
  | "END without BEGIN"
  | "BEGIN without END"
  | "property outside of a component";

export interface ContentStream {
  readonly items: readonly Item[];
  /** The first faults in the order of their lines. */
  readonly faults: readonly Fault[];
}

/** A new property. The value is already escaped. */
export function makeProperty(
  name: string,
  value: string,
  parameters: readonly Parameter[] = [],
  group?: string,
): Property {
  return {
    kind: "property",
    group,
    name: name.toUpperCase(),
    writtenName: name,
    parameters,
    value,
    octets: undefined,
  };
}

/** The property with other parameters or another value. It keeps its group and the spelling of its name. */
export function changeProperty(
  property: Property,
  change: { readonly parameters?: readonly Parameter[]; readonly value?: string },
): Property {
  return { ...property, ...change, octets: undefined };
}

export function makeComponent(name: string, items: readonly Item[]): Component {
  return { kind: "component", name: name.toUpperCase(), items, begin: undefined, end: undefined };
}

/** The component with other items. An item that is kept keeps its octets. */
export function changeItems(component: Component, items: readonly Item[]): Component {
  return { ...component, items };
}

/** The values of a parameter and of its repetitions: `TYPE=home;TYPE=pref` is the same as `TYPE=home,pref`. */
export function parameterValues(property: Property, name: string): readonly string[] {
  const found = property.parameters.filter((parameter) => parameter.name === name);
  return found.length === 1 ? found[0]!.values : found.flatMap(({ values }) => values);
}

export function parameterValue(property: Property, name: string): string | undefined {
  return property.parameters.find((parameter) => parameter.name === name)?.values[0];
}

export function listProperties(component: Component, name: string): Property[] {
  return component.items.filter((item): item is Property => item.kind === "property" && item.name === name);
}

export function findProperty(component: Component, name: string): Property | undefined {
  return component.items.find((item): item is Property => item.kind === "property" && item.name === name);
}

/** The direct child components of a component or stream, of one name or all. */
export function listComponents(parent: { readonly items: readonly Item[] }, name?: string): Component[] {
  return parent.items.filter(
    (item): item is Component => item.kind === "component" && (name === undefined || item.name === name),
  );
}
