/** Writes a Card into its vCard (RFC 9555 section 3). Unchanged units keep the octets of their lines; the lines of changed units are
 *  written at the places of the old ones. Then the new text is read: properties that are missing or different are added as JSPROP,
 *  so that reading the text gives the requested Card. */
import { WaypostError } from "#/src/model/errors.ts";
import {
  type Component,
  changeItems,
  findProperty,
  type Item,
  listComponents,
  makeComponent,
  makeProperty,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { readContentLines } from "../content-lines/read-content-lines.ts";
import { writeContentLines } from "../content-lines/write-content-lines.ts";
import { findVersion } from "../vcard/card.ts";
import { convertCard } from "../vcard/convert-card.ts";
import { toVersion3 } from "../vcard/version-3.ts";
import { toVersion4 } from "../vcard/version-4.ts";
import { writeExtension } from "./extensions.ts";
import { isObject, type JsonObject, member, parsePointer, replacementsOf } from "./json.ts";
import { type ReadContact, readContact } from "./read-contact.ts";
import { isSameUnit, type ReadUnit, splitCard, type Unit } from "./unit.ts";
import { createUnitWriter, type UnitWriter } from "./write-unit.ts";

/** A new vCard of version 4.0. The Card has a `uid`. */
export function writeCard(card: JsonObject): Component {
  const empty = makeComponent("VCARD", [makeProperty("VERSION", "4.0")]);
  return update(empty, { units: new Map(), silent: new Map() }, splitCard(card));
}

/** The stored vCard, changed so that it reads as this Card. A card of version 2.1 becomes one of 4.0, because 2.1 is not written. */
export function updateCard(stored: Component, card: JsonObject): Component {
  const wanted = splitCard(card);
  const read = readContact(stored);
  if (!wanted.has("uid")) wanted.set("uid", read.units.get("uid")!);
  if (changedKeys(read, wanted).length === 0) return stored;
  if (findVersion(stored) !== "2.1") return update(stored, read, wanted);
  const converted = convertCard(stored, "4.0");
  return update(converted, readContact(converted), wanted);
}

function changedKeys({ units }: ReadContact, wanted: ReadonlyMap<string, Unit>): string[] {
  const keys = new Set([...units.keys(), ...wanted.keys()]);
  return [...keys].filter((key) => !isSameUnit(units.get(key), wanted.get(key)));
}

function update(component: Component, old: ReadContact, wanted: ReadonlyMap<string, Unit>): Component {
  const changes: Changes = { dirty: new Set(changedKeys(old, wanted)), added: new Map(), whole: new Set() };
  // A UID that was generated for reading is written into the text now.
  if ((old.units.get("uid")?.lines.size ?? 0) === 0) changes.dirty.add("uid");
  if (component.begin === undefined) changes.dirty.add("name");
  for (let round = 0; round < roundsMax; round++) {
    const built = build(component, old, wanted, changes);
    if (!addMissing(readContact(asStored(built)), wanted, changes)) return built;
  }
  throw unwritable(wanted, changes);
}

/** The card as it is after writing and reading it: lines cannot hold control characters. */
function asStored(card: Component): Component {
  return listComponents(readContentLines(writeContentLines({ items: [card] })))[0]!;
}

/** Rounds: lines, ids of neighbours, JSPROPs for parts, JSPROPs for whole units, and one more for their effects on other units. */
const roundsMax = 8;

interface Changes {
  readonly dirty: Set<string>;
  /** JSPROPs of a unit. */
  readonly added: Map<string, Property[]>;
  /** Units that are written only as JSPROP. */
  readonly whole: Set<string>;
}

/** Returns false if reading the text gives the wanted units. */
function addMissing(read: ReadContact, wanted: ReadonlyMap<string, Unit>, changes: Changes): boolean {
  let isMissing = false;
  for (const key of changedKeys(read, wanted)) {
    const [is, should] = [read.units.get(key), wanted.get(key)];
    isMissing = true;
    if (!changes.dirty.has(key)) changes.dirty.add(key);
    else if (should === undefined) makeWhole(key, wanted, changes);
    else if (changes.added.has(key)) {
      changes.whole.add(key);
      changes.added.set(key, extensionsOf(undefined, should));
    } else changes.added.set(key, extensionsOf(is, should));
  }
  return isMissing;
}

/** Lines gave a unit that is not wanted: writes the changed units of its property only as JSPROP. */
function makeWhole(
  stranger: string,
  wanted: ReadonlyMap<string, Unit>,
  { dirty, added, whole }: Changes,
): void {
  const [top] = stranger.split("/");
  for (const key of dirty) {
    const unit = wanted.get(key);
    if (unit === undefined || whole.has(key) || isOfCard(key) || key === "uid") continue;
    if (unit.path[0] !== top && top !== "vCardProps") continue;
    whole.add(key);
    added.set(key, extensionsOf(undefined, unit));
  }
}

function extensionsOf(is: Unit | undefined, should: Unit): Property[] {
  const { path } = should;
  if (path[0] === "vCardProps") return [];
  const written = replacementsOf(is?.value, should.value).map(([inner, value]) =>
    writeExtension([...path, ...inner], value),
  );
  for (const [language, patch] of should.localized) {
    if (is !== undefined && isSameUnit(onlyIn(is, language), onlyIn(should, language))) continue;
    for (const [pointer, value] of Object.entries(patch))
      written.push(writeExtension(["localizations", language, formatLocalized(path, pointer)], value));
  }
  return written;
}

function formatLocalized(path: readonly string[], pointer: string): string {
  const steps = [...path, ...(pointer === "" ? [] : parsePointer(pointer))];
  return steps.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
}

function onlyIn(unit: Unit, language: string): Unit {
  const patch = unit.localized.get(language);
  return { ...unit, localized: new Map(patch === undefined ? [] : [[language, patch]]) };
}

function unwritable(wanted: ReadonlyMap<string, Unit>, changes: Changes): WaypostError {
  const key = [...changes.dirty].find((each) => wanted.get(each)?.path[0] === "vCardProps");
  return new WaypostError(
    "invalid",
    key === undefined
      ? "A vCard cannot hold this card without loss."
      : "vCardProps has a property that the card has a place for.",
    { field: key === undefined ? "" : "/vCardProps" },
  );
}

function build(
  component: Component,
  old: ReadContact,
  wanted: ReadonlyMap<string, Unit>,
  { dirty, added, whole }: Changes,
): Component {
  const isVersion3 = findVersion(component) === "3.0";
  const name = wanted.get("name")?.value;
  const hasN = isObject(name) && member(name, "components") !== undefined;
  const writer = createUnitWriter(component, wanted);
  const placed = new Map<number, Property[]>();
  const appended: Property[] = [];
  const keys = withNeighbours(old, dirty);
  const removed = new Set<number>();
  // Properties that only the vCard has follow those of the Card, because the first of two FNs is the name.
  const inOrder = [...keys].sort((one, other) => Number(isOfCard(one)) - Number(isOfCard(other)));
  for (const key of inOrder) {
    const lines = [...(old.units.get(key)?.lines ?? []), ...(old.silent.get(key) ?? [])].sort(
      (a, b) => a - b,
    );
    for (const line of lines) removed.add(line);
    place(
      component,
      lines,
      linesOfUnit(writer, wanted.get(key), old.units.get(key), key, added, whole),
      placed,
      appended,
    );
  }
  const items: Item[] = component.items.flatMap((item, index): Item[] => {
    const properties = placed.get(index) ?? [];
    if (!removed.has(index)) return [item, ...properties];
    return properties.map((property) =>
      keptOr(item, hasN ? withOwnParameters(item, property) : property, isVersion3),
    );
  });
  const all = [...items, ...appended.map((property) => (isVersion3 ? toVersion3(property) : property))];
  const built = changeItems(component, all);
  return findProperty(built, "FN") === undefined
    ? changeItems(built, [...all, ...writer.nameLines(undefined)])
    : built;
}

function isOfCard(key: string): boolean {
  return key.startsWith("vCardProps/");
}

/** The changed units and those that share a line with one of them, such as the nicknames of one list. */
function withNeighbours(old: ReadContact, dirty: ReadonlySet<string>): ReadonlySet<string> {
  const lines = new Set([...dirty].flatMap((key) => [...(old.units.get(key)?.lines ?? [])]));
  const neighbours = [...old.units].filter(([, unit]) => [...unit.lines].some((line) => lines.has(line)));
  return new Set([...dirty, ...neighbours.map(([key]) => key)]);
}

function linesOfUnit(
  writer: UnitWriter,
  unit: Unit | undefined,
  old: ReadUnit | undefined,
  key: string,
  added: Changes["added"],
  whole: Changes["whole"],
): Property[] {
  if (unit === undefined) return key === "name" ? writer.nameLines(undefined) : [];
  const lines = whole.has(key)
    ? key === "name"
      ? writer.nameLines(undefined)
      : []
    : writer.unitLines(unit, old);
  return [...lines, ...(added.get(key) ?? [])];
}

/** A new line takes the place of an old line of its name; others follow the last line of the unit, or are put at the end. */
function place(
  component: Component,
  lines: readonly number[],
  properties: readonly Property[],
  placed: Map<number, Property[]>,
  appended: Property[],
): void {
  const free = [...lines];
  for (const property of properties) {
    const at = free.findIndex((index) => isFor(component.items[index]!, property));
    const index = at < 0 ? lines.at(-1) : free.splice(at, 1)[0];
    if (index === undefined) appended.push(property);
    else placed.set(index, [...(placed.get(index) ?? []), property]);
  }
}

function isFor(item: Item, property: Property): boolean {
  if (item.kind !== "property" || toVersion4(item, "3.0").name !== property.name) return false;
  return parameterValue(item, "LANGUAGE") === parameterValue(property, "LANGUAGE");
}

/** `vCardParams` of a name are the parameters of N. The parameters of FN are not in the Card; they are kept from the old line. */
function withOwnParameters(item: Item, property: Property): Property {
  if (item.kind !== "property" || item.name !== "FN" || property.name !== "FN") return property;
  const own = item.parameters.filter(
    ({ name }) => !["DERIVED", "LANGUAGE", "ALTID", "VALUE", "TYPE"].includes(name),
  );
  return { ...property, parameters: [...own, ...property.parameters] };
}

/** The old line, if the new one has the same meaning. */
function keptOr(item: Item, property: Property, isVersion3: boolean): Property {
  const written = isVersion3 ? toVersion3(property) : property;
  if (item.kind !== "property") return written;
  const before = toVersion4(item, isVersion3 ? "3.0" : "4.0");
  const isSame =
    before.name === property.name && before.group === property.group && before.value === property.value;
  return isSame && factsOf(before) === factsOf(property)
    ? item
    : { ...written, writtenName: spelling(item, written) };
}

function spelling(item: Property, written: Property): string {
  return item.name === written.name ? item.writtenName : written.writtenName;
}

function factsOf({ parameters }: Property): string {
  return parameters
    .map(
      ({ name, values }) =>
        `${name}=${(name === "TYPE" ? values.map((value) => value.toLowerCase()) : values).join()}`,
    )
    .sort()
    .join(";");
}
