/** Converts a property to an entry of a collection, and an entry to its property (RFC 9555 section 2 and 3). */
import {
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import {
  escapeText,
  formatStructured,
  formatTextComponents,
  readStructured,
  readTextComponents,
  unescapeText,
} from "../vcard/values.ts";
import {
  addressPlan,
  componentFields,
  readComponents,
  withPhonetics,
  writeComponents,
} from "./components.ts";
import type { EntryKind } from "./entry-kinds.ts";
import { isArray, isId, isObject, type Json, type JsonObject, member, type OpenObject } from "./json.ts";
import { readParameters, writeParameters } from "./parameters.ts";
import { toZone } from "./time-zone.ts";

/** undefined if JSContact cannot express the value: the property is then in `vCardProps`. */
export function readEntry(kind: EntryKind, properties: readonly Property[]): Json | undefined {
  const [property] = properties;
  if (property === undefined) return undefined;
  const object: OpenObject = {
    ...(kind.kind === undefined ? {} : { kind: kind.kind }),
    ...readParameters(property, kind.plan),
  };
  switch (kind.shape) {
    case "member":
      return true;
    case "related":
      return readRelated(kind, properties);
    case "organization":
      return { ...object, ...readOrganization(property) };
    case "address":
      return { ...object, ...readPlaces(properties), ...readAddress(properties) };
    case "place":
      return readPlace(kind, property, object);
    case "onlineService":
      if (kind.name === "IMPP") object.vCardName = "impp";
      return isText(property)
        ? { ...object, user: unescapeText(property.value) }
        : withField(object, kind, property);
    case "value":
      return kind.name === "NOTE"
        ? { ...withField(object, kind, property), ...readAuthor(property) }
        : withField(object, kind, property);
  }
}

function isText(property: Property): boolean {
  return parameterValue(property, "VALUE")?.toLowerCase() === "text";
}

function withField(object: OpenObject, kind: EntryKind, property: Property): OpenObject {
  return { ...object, [kind.field]: entryText(kind, property) };
}

/** A URI has no escapes (and no backslash), though some writers escape its commas. */
function entryText(kind: EntryKind, property: Property): string {
  const valueType = parameterValue(property, "VALUE")?.toLowerCase() ?? kind.valueType;
  return valueType === "uri" ? property.value.replaceAll(/\\([,;])/g, "$1") : unescapeText(property.value);
}

function readRelated(kind: EntryKind, properties: readonly Property[]): JsonObject {
  const read = properties.map((property) => readParameters(property, kind.plan));
  const relation = Object.assign({}, ...read.map((each) => member(each, "relation") ?? {})) as JsonObject;
  return { ...Object.assign({}, ...read), relation } as JsonObject;
}

/** The key of an entry that has no id: the URI or text itself. */
export function entryKeyOf(kind: EntryKind, property: Property): string {
  return isText(property) ? unescapeText(property.value) : entryText(kind, property);
}

function readOrganization(property: Property): JsonObject {
  const [name = "", ...units] = readTextComponents(property.value);
  const [sortAs, ...unitsSortAs] = sortAsOf(property);
  return {
    name,
    ...(sortAs === undefined || sortAs === "" ? {} : { sortAs }),
    ...(units.length === 0
      ? {}
      : {
          units: units.map((unit, at) => {
            const sortUnitAs = unitsSortAs[at];
            return sortUnitAs === undefined || sortUnitAs === ""
              ? { name: unit }
              : { name: unit, sortAs: sortUnitAs };
          }),
        }),
  };
}

export function sortAsOf(property: Property): string[] {
  return property.parameters.flatMap(({ name, values }) =>
    name === "SORT-AS" ? values.flatMap((value) => value.split(",")) : [],
  );
}

function readAddress(properties: readonly Property[]): JsonObject {
  const addresses = properties.filter(({ name }) => name === "ADR");
  const phonetic = addresses.find((property) => parameterValue(property, "PHONETIC") !== undefined);
  const main = addresses.find((property) => property !== phonetic) ?? addresses[0]!;
  const read = readComponents(readStructured(main.value), parameterValue(main, "JSCOMPS"), addressPlan);
  if (read.components.length === 0) return {};
  const fields = componentFields(read);
  if (phonetic === undefined || phonetic === main) return fields;
  return {
    ...fields,
    ...phoneticFields(phonetic),
    components: withPhonetics(read, readStructured(phonetic.value)),
  };
}

export function phoneticFields(property: Property): JsonObject {
  const system = parameterValue(property, "PHONETIC");
  const script = parameterValue(property, "SCRIPT");
  return {
    ...(system === undefined ? {} : { phoneticSystem: system.toLowerCase() }),
    ...(script === undefined ? {} : { phoneticScript: script }),
  };
}

/** The GEO and TZ of an address. */
function readPlaces(properties: readonly Property[]): JsonObject {
  const firstOf = (wanted: string) => properties.find(({ name }) => name === wanted)?.value;
  const [position, zone] = [firstOf("GEO"), toZone(firstOf("TZ") ?? "")];
  return {
    ...(position === undefined ? {} : { coordinates: position }),
    ...(zone === undefined ? {} : { timeZone: zone }),
  };
}

function readPlace(kind: EntryKind, property: Property, object: OpenObject): Json | undefined {
  const value = entryText(kind, property);
  if (kind.name === "GEO") return /^geo:/i.test(value) ? { ...object, coordinates: value } : undefined;
  const zone = toZone(value);
  return zone === undefined ? undefined : { ...object, timeZone: zone };
}

function readAuthor(property: Property): JsonObject {
  const [name, uri] = [parameterValue(property, "AUTHOR-NAME"), parameterValue(property, "AUTHOR")];
  if (name === undefined && uri === undefined) return {};
  return { author: { ...(name === undefined ? {} : { name }), ...(uri === undefined ? {} : { uri }) } };
}

/** The properties of an entry; members that they cannot express are written as JSPROP. */
export function writeEntry(kind: EntryKind, key: string, value: Json): Property[] {
  if (kind.shape === "member") return value === true ? [makeKeyed(kind, key)] : [];
  if (!isObject(value)) return [];
  const id = isId(key) ? [{ name: "PROP-ID", values: [key] }] : [];
  const parameters = [...writeParameters(value, kind.plan), ...id];
  const make = (text: string, more: readonly Parameter[] = []) => [
    makeProperty(kind.name, text, [...more, ...parameters]),
  ];
  switch (kind.shape) {
    case "related":
      return [makeKeyed(kind, key, writeParameters(value, kind.plan))];
    case "organization":
      return writeOrganization(kind, value, parameters);
    case "address":
      return writeAddress(kind, value, parameters);
    case "onlineService":
      return writeOnlineService(kind, value, parameters);
    case "place":
    case "value": {
      const text = member(value, kind.field);
      if (typeof text !== "string") return [];
      if (kind.valueType === "uri") return make(text);
      if (kind.name === "TEL" && /^tel:/i.test(text)) return make(text, [{ name: "VALUE", values: ["uri"] }]);
      return make(escapeText(text), kind.name === "NOTE" ? writeAuthor(value) : []);
    }
  }
}

/** A property whose value is the key of its entry. */
function makeKeyed(kind: EntryKind, key: string, parameters: readonly Parameter[] = []): Property {
  return isUri(key)
    ? makeProperty(kind.name, key, parameters)
    : makeProperty(kind.name, escapeText(key), [{ name: "VALUE", values: ["text"] }, ...parameters]);
}

function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]/.test(text) && !/[\s\\]/.test(text);
}

function writeOnlineService(
  kind: EntryKind,
  value: JsonObject,
  parameters: readonly Parameter[],
): Property[] {
  const [uri, user] = [member(value, "uri"), member(value, "user")];
  if (typeof uri === "string") return [makeProperty(kind.name, uri, parameters)];
  if (typeof user !== "string") return [];
  return [
    makeProperty(kind.name, escapeText(user), [
      { name: "VALUE", values: ["text"] },
      ...parameters.filter(({ name }) => name !== "USERNAME"),
    ]),
  ];
}

function writeOrganization(kind: EntryKind, value: JsonObject, parameters: readonly Parameter[]): Property[] {
  const units = member(value, "units");
  const parts = [value, ...(isArray(units) ? units.filter(isObject) : [])];
  const textOf = (part: JsonObject, field: string) => {
    const text = member(part, field);
    return typeof text === "string" ? text : "";
  };
  const sortAs = parts.map((part) => textOf(part, "sortAs"));
  return [
    makeProperty(kind.name, formatTextComponents(parts.map((part) => textOf(part, "name"))), [
      ...writeSortAs(sortAs),
      ...parameters,
    ]),
  ];
}

/** Empty texts at the end are left out. */
export function writeSortAs(texts: readonly string[]): Parameter[] {
  const length = texts.findLastIndex((text) => text !== "") + 1;
  return length === 0 ? [] : [{ name: "SORT-AS", values: [texts.slice(0, length).join(",")] }];
}

function writeAddress(kind: EntryKind, value: JsonObject, parameters: readonly Parameter[]): Property[] {
  const { structured, phonetic, jscomps } = writeComponents(value, addressPlan);
  return [
    makeProperty(kind.name, formatStructured(structured), [...orderOf(jscomps), ...parameters]),
    ...(phonetic === undefined
      ? []
      : writePhonetic(
          kind.name,
          value,
          phonetic,
          parameters.filter(({ name }) => name === "PROP-ID"),
        )),
  ];
}

export function orderOf(jscomps: string | undefined): Parameter[] {
  return jscomps === undefined ? [] : [{ name: "JSCOMPS", values: [jscomps] }];
}

/** Without a phonetic system the second property could not be distinguished from another entry. */
export function writePhonetic(
  name: string,
  value: JsonObject,
  structured: readonly (readonly string[])[],
  parameters: readonly Parameter[] = [],
): Property[] {
  const [system, script] = [member(value, "phoneticSystem"), member(value, "phoneticScript")];
  if (typeof system !== "string" || !/^[A-Za-z0-9-]+$/.test(system)) return [];
  return [
    makeProperty(name, formatStructured(structured), [
      { name: "PHONETIC", values: [system] },
      ...(typeof script === "string" ? [{ name: "SCRIPT", values: [script] }] : []),
      ...parameters,
    ]),
  ];
}

function writeAuthor(value: JsonObject): Parameter[] {
  const author = member(value, "author");
  if (!isObject(author)) return [];
  const [name, uri] = [member(author, "name"), member(author, "uri")];
  return [
    ...(typeof name === "string" ? [{ name: "AUTHOR-NAME", values: [name] }] : []),
    ...(typeof uri === "string" ? [{ name: "AUTHOR", values: [uri] }] : []),
  ];
}
