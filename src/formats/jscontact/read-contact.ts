/** A stored vCard as a JSContact Card (RFC 9553) by RFC 9555 section 2. Every line of the vCard belongs to a unit of the Card;
 *  properties without a counterpart are in `vCardProps` and `vCardParams`. Only the vCard is stored: the Card is computed each time. */
import { createHash } from "node:crypto";
import { type Component, type Property, parameterValue } from "../content-lines/content-line.ts";
import { typesOf } from "../vcard/card.ts";
import { unescapeText } from "../vcard/values.ts";
import { type Alternatives, findAlternatives, isPhonetic, type Line } from "./alternatives.ts";
import {
  countGroups,
  findLabels,
  groupKey,
  type Labels,
  labelledCollections,
  linesOf,
} from "./card-lines.ts";
import { readCardProperty } from "./card-properties.ts";
import { entryKeyOf, readEntry } from "./entries.ts";
import { type EntryKind, entryKindByName } from "./entry-kinds.ts";
import { applyExtensions } from "./extensions.ts";
import {
  additionsOf,
  isId,
  isObject,
  type Json,
  type JsonObject,
  type OpenObject,
  type Patch,
  type Path,
} from "./json.ts";
import { joinCard, type ReadUnit, unitKey } from "./unit.ts";
import {
  anniversaryKinds,
  isDerived,
  readAnniversary,
  readKeywords,
  readName,
  singles,
} from "./whole-kinds.ts";

export interface ReadContact {
  readonly units: ReadonlyMap<string, ReadUnit>;
  /** Lines of units without a value: an FN that is derived, an N that is empty. */
  readonly silent: ReadonlyMap<string, ReadonlySet<number>>;
}

export function readCard(card: Component): JsonObject {
  return joinCard(readContact(card).units.values());
}

interface Reading {
  readonly units: Map<string, ReadUnit>;
  readonly silent: Map<string, ReadonlySet<number>>;
  readonly alternatives: Alternatives;
  readonly labels: Labels;
  /** GEO and TZ lines of the only address. */
  readonly places: readonly Line[];
  /** Lines whose value is their key, by name and key. */
  readonly keyed: ReadonlyMap<string, readonly Line[]>;
  readonly groupSizes: ReadonlyMap<string, number>;
  readonly left: Line[];
  readonly ids: Map<string, Set<string>>;
  readonly counters: Map<string, number>;
}

export function readContact(card: Component): ReadContact {
  const lines = linesOf(card);
  const alternatives = findAlternatives(lines);
  const mains = lines.filter((line) => !alternatives.isAttached(line));
  const reading: Reading = {
    units: new Map(),
    silent: new Map(),
    alternatives,
    labels: findLabels(lines),
    places: placesOfAddress(mains),
    keyed: linesByKey(mains),
    groupSizes: countGroups(lines),
    left: [],
    ids: findIds(lines),
    counters: new Map(),
  };
  readWholes(reading, mains);
  const taken = new Set([...reading.units.values()].flatMap(({ lines: owned }) => [...owned]));
  for (const owned of reading.silent.values()) for (const index of owned) taken.add(index);
  const jsprops: Line[] = [];
  for (const line of mains) {
    const { name } = line.property;
    const kind = entryKindByName.get(name);
    if (name === "JSPROP") jsprops.push(line);
    else if (kind !== undefined) readEntryLine(reading, kind, line);
    else if (name === "X-ABLABEL" && reading.labels.labels.get(groupKey(line)) === line) continue;
    else if (!taken.has(line.index)) reading.left.push(line);
  }
  nameOrganizations(reading, lines);
  const unread = applyExtensions(reading.units, jsprops);
  addLeft(reading, lines, [...reading.left, ...unread]);
  if (!reading.units.has("uid")) addUnit(reading, ["uid"], generatedUid(lines), []);
  return reading;
}

function linesByKey(mains: readonly Line[]): ReadonlyMap<string, readonly Line[]> {
  const keyed = new Map<string, Line[]>();
  for (const line of mains) {
    const kind = entryKindByName.get(line.property.name);
    if ((kind?.shape !== "member" && kind?.shape !== "related") || line.property.group !== undefined)
      continue;
    const key = `${kind.name} ${entryKeyOf(kind, line.property)}`;
    const same = keyed.get(key);
    if (same === undefined) keyed.set(key, [line]);
    else same.push(line);
  }
  return keyed;
}

const collectionOf = (name: string): string | undefined =>
  entryKindByName.get(name)?.collection ??
  (anniversaryKinds.some((kind) => kind.name === name) ? "anniversaries" : undefined);

function findIds(lines: readonly Line[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { property } of lines) {
    const id = parameterValue(property, "PROP-ID");
    const collection = collectionOf(property.name);
    if (id !== undefined && collection !== undefined)
      ids.set(collection, (ids.get(collection) ?? new Set()).add(id));
  }
  return ids;
}

/** PROP-ID, if no other entry has it; else k1, k2, …, in the order of the lines. */
function idOf(reading: Reading, collection: string, property: Property): string {
  const given = parameterValue(property, "PROP-ID");
  const path = [...collection.split("/")];
  if (given !== undefined && isId(given) && !reading.units.has(unitKey([...path, given]))) return given;
  const used = reading.ids.get(collection);
  for (let number = (reading.counters.get(collection) ?? 0) + 1; ; number++) {
    if (used?.has(`k${number}`)) continue;
    reading.counters.set(collection, number);
    return `k${number}`;
  }
}

type ReadLines = (properties: readonly Property[]) => Json | undefined;

/** Adds the unit of these lines. False if it has no value. */
function addUnit(
  reading: Reading,
  path: Path,
  readOrValue: ReadLines | Json,
  lines: readonly Line[],
  label?: Line,
): boolean {
  const { alternatives } = reading;
  const read: ReadLines = typeof readOrValue === "function" ? readOrValue : () => readOrValue;
  const own = lines.flatMap((line) => {
    const phonetic = alternatives.phoneticOf.get(line);
    return phonetic === undefined ? [line] : [line, phonetic];
  });
  const value = read(own.map(({ property }) => property));
  if (value === undefined) return false;
  const owned = new Set([...own, ...(label === undefined ? [] : [label])].map(({ index }) => index));
  const localized = new Map<string, Patch>();
  const languages = new Set(own.flatMap((line) => [...(alternatives.byMain.get(line)?.keys() ?? [])]));
  for (const language of languages) {
    const inLanguage = own.flatMap((line) => {
      const others = alternatives.byMain.get(line)?.get(language) ?? [];
      for (const { index } of others) owned.add(index);
      return others.length === 0 ? [line] : others.every(isPhonetic) ? [line, ...others] : others;
    });
    const other = read(inLanguage.map(({ property }) => property));
    if (other === undefined) continue;
    const patch = additionsOf(value, other);
    localized.set(language, Object.keys(patch).length === 0 ? { "": other } : patch);
  }
  const isLocalized = languages.size > 0 || own.length > lines.length;
  const finished = isObject(value) ? withLineParameters(reading, value, lines, isLocalized, label) : value;
  reading.units.set(unitKey(path), { path, value: finished, localized, lines: owned });
  return true;
}

/** Adds group, LANGUAGE and ALTID where no other member expresses them, and the label. */
function withLineParameters(
  reading: Reading,
  value: JsonObject,
  lines: readonly Line[],
  isLocalized: boolean,
  label: Line | undefined,
): JsonObject {
  const main = lines.find(({ property }) => property.name === "N") ?? lines[0];
  if (main === undefined) return value;
  const left: OpenObject = {};
  const { group } = main.property;
  const alone = label === undefined ? 0 : 2;
  if (group !== undefined && reading.groupSizes.get(groupKey(main)) !== alone) left.group = group;
  const language = parameterValue(main.property, "LANGUAGE");
  if (language !== undefined && !(isLocalized && language === reading.alternatives.language))
    left.language = language;
  const alternative = parameterValue(main.property, "ALTID");
  if (alternative !== undefined && !isLocalized) left.altid = alternative;
  const before = isObject(value.vCardParams) ? value.vCardParams : {};
  const all = { ...before, ...left };
  return {
    ...value,
    ...(label === undefined ? {} : { label: labelText(label.property) }),
    ...(Object.keys(all).length === 0 ? {} : { vCardParams: all }),
  };
}

/** Apple marks the labels that it translates: `_$!<HomePage>!$_`. */
function labelText({ value }: Property): string {
  const text = unescapeText(value);
  return /^_\$!<(.*)>!\$_$/.exec(text)?.[1] ?? text;
}

function readWholes(reading: Reading, mains: readonly Line[]): void {
  const first = (name: string, isFit: (property: Property) => boolean = () => true) =>
    mains.find(({ property }) => property.name === name && isFit(property));
  for (const [name, { field, read }] of singles) {
    const line = first(name);
    if (line !== undefined && line.property.group === undefined)
      addUnit(reading, [field], ([property]) => read(property!.value), [line]);
  }
  if (reading.alternatives.language !== undefined && !reading.units.has("language"))
    addUnit(reading, ["language"], reading.alternatives.language, []);
  const full = first("FN", (property) => !isDerived(property));
  const derived = first("FN", isDerived);
  const name = first("N");
  const nameLines = [full, name].filter((line) => line !== undefined);
  const silent = new Set(full === undefined && derived !== undefined ? [derived.index] : []);
  if (!addUnit(reading, ["name"], readName, nameLines)) for (const { index } of nameLines) silent.add(index);
  if (silent.size > 0) reading.silent.set("name", silent);
  const keywords = mains.filter(({ property }) => property.name === "CATEGORIES");
  if (keywords.length > 0) addUnit(reading, ["keywords"], readKeywords, keywords);
  const placeLines = new Map(["BIRTHPLACE", "DEATHPLACE"].map((each) => [each, first(each, isPlace)]));
  const places = new Set<Line>();
  for (const line of mains) {
    const kind = anniversaryKinds.find(({ name: each }) => each === line.property.name);
    if (kind === undefined) continue;
    const place = kind.place === undefined ? undefined : placeLines.get(kind.place);
    const isFirst = place !== undefined && !places.has(place);
    const path = ["anniversaries", idOf(reading, "anniversaries", line.property)];
    if (addUnit(reading, path, readAnniversary, isFirst ? [line, place] : [line]) && isFirst)
      places.add(place);
  }
}

function isPlace(property: Property): boolean {
  const type = parameterValue(property, "VALUE")?.toLowerCase() ?? "text";
  return type === "text" || (type === "uri" && /^geo:/i.test(property.value));
}

function readEntryLine(reading: Reading, kind: EntryKind, line: Line): void {
  const { property } = line;
  const path = kind.collection.split("/");
  const read: ReadLines = (properties) => readEntry(kind, properties);
  if (kind.shape === "member" || kind.shape === "related") {
    const key = entryKeyOf(kind, property);
    if (
      key === "" ||
      property.group !== undefined ||
      (kind.shape === "member" && property.parameters.some(({ name }) => name !== "VALUE"))
    ) {
      reading.left.push(line);
      return;
    }
    if (reading.units.has(unitKey([...path, key]))) return;
    const same = reading.keyed.get(`${kind.name} ${key}`) ?? [line];
    addUnit(reading, [...path, key], read, same);
    return;
  }
  if (kind.shape === "place" && reading.places.includes(line)) return;
  const label = labelledCollections.has(kind.collection) ? labelOf(reading, line) : undefined;
  const own = kind.shape === "address" ? [line, ...reading.places] : [line];
  if (
    read([property]) === undefined ||
    !addUnit(reading, [...path, idOf(reading, kind.collection, property)], read, own, label)
  )
    reading.left.push(line);
}

/** The GEO and TZ lines that belong to the only address (RFC 9555 section 2.8). Such a line has no group, and is the only one of its
 *  name. The address has no parameter of that name. */
function placesOfAddress(mains: readonly Line[]): Line[] {
  const [address, ...others] = mains.filter(({ property }) => property.name === "ADR");
  if (address === undefined || others.length > 0) return [];
  const types = typesOf(address.property);
  return ["GEO", "TZ"].flatMap((name) => {
    const [place, ...more] = mains.filter(({ property }) => property.name === name);
    if (place === undefined || more.length > 0 || parameterValue(address.property, name) !== undefined)
      return [];
    const { property } = place;
    const isPlain =
      property.group === undefined &&
      property.parameters.every((parameter) => parameter.name === "TYPE") &&
      typesOf(property).every((type) => types.includes(type));
    return isPlain && readEntry(entryKindByName.get(name)!, [property]) !== undefined ? [place] : [];
  });
}

/** If a group with a label has two lines, the label belongs to the first. */
function labelOf({ labels: { labels, labelled } }: Reading, line: Line): Line | undefined {
  return labelled.get(groupKey(line)) === line ? labels.get(groupKey(line)) : undefined;
}

/** RFC 9555 section 2.9: a TITLE or ROLE in the group of an ORG belongs to that organization. */
function nameOrganizations(reading: Reading, lines: readonly Line[]): void {
  const byIndex = new Map(lines.map((line) => [line.index, line]));
  const groupOfUnit = ({ lines: [index = -1] }: { readonly lines: Iterable<number> }) => {
    const line = byIndex.get(index);
    return line === undefined ? "" : groupKey(line);
  };
  const organizations = new Map<string, string>();
  for (const unit of reading.units.values())
    if (unit.path[0] === "organizations" && groupOfUnit(unit) !== "" && !organizations.has(groupOfUnit(unit)))
      organizations.set(groupOfUnit(unit), unit.path[1]!);
  if (organizations.size === 0) return;
  for (const [key, unit] of reading.units) {
    const organizationId = unit.path[0] === "titles" ? organizations.get(groupOfUnit(unit)) : undefined;
    if (organizationId !== undefined && isObject(unit.value))
      reading.units.set(key, { ...unit, value: { ...unit.value, organizationId } });
  }
}

/** Lines without a counterpart become `vCardProps`, also in other languages. */
function addLeft(reading: Reading, lines: readonly Line[], left: readonly Line[]): void {
  const owned = new Set([...reading.units.values()].flatMap((unit) => [...unit.lines]));
  for (const indexes of reading.silent.values()) for (const index of indexes) owned.add(index);
  const isLeft = new Set(left.map(({ index }) => index));
  const counts = new Map<string, number>();
  const seen = new Set<number>();
  for (const line of lines) {
    if (seen.has(line.index) || (owned.has(line.index) && !isLeft.has(line.index))) continue;
    if (owned.has(line.index)) continue;
    seen.add(line.index);
    const value = readCardProperty(line.property);
    const text = JSON.stringify(value);
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    const path = ["vCardProps", text, String(count)];
    reading.units.set(unitKey(path), { path, value, localized: new Map(), lines: new Set([line.index]) });
  }
}

/** Deterministic: derived from the text (RFC 9555 section 2.1.1). */
function generatedUid(lines: readonly Line[]): string {
  const hash = createHash("sha256");
  for (const { property } of lines) hash.update(`${property.group}.${property.name}:${property.value}\n`);
  const digits = hash.digest("hex");
  const variant = ((Number.parseInt(digits[16]!, 16) & 3) | 8).toString(16);
  return `urn:uuid:${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
