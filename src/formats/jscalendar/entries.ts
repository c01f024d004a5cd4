/** Entries of collections: locations, virtual locations, links, related objects and alerts (RFC 8984 section 4.2.5 to 4.2.7,
 *  4.1.3 and 4.5.2). The id of an entry is its JSID, else an id derived from its content. */
import {
  type Component,
  findProperty,
  type Item,
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
  parameterValues,
} from "../content-lines/content-line.ts";
import { formatText, parseText, parseTexts } from "../icalendar/text-value.ts";
import { isObject, type Json, type JsonObject, member, type OpenObject, put } from "../jscontact/json.ts";
import { keyOfAlert, readAlert } from "./alerts.ts";
import { otherParameters, readLeft, rebuilt, writeLeft } from "./ical-component.ts";
import { addUnit, idOfKey, type Line, linesOf, type Reading, takeLines } from "./reading.ts";

export function readEntries(reading: Reading): void {
  readLocations(reading);
  for (const name of ["CONFERENCE", "ATTACH", "IMAGE", "LINK", "URL"])
    for (const line of linesOf(reading, name)) readEntryLine(reading, line);
  readRelations(reading);
  for (const line of reading.components.get("VALARM") ?? []) {
    const alert = readAlert(line.item);
    if (alert === undefined) continue;
    const given = findProperty(line.item, "JSID")?.value;
    addUnit(reading, ["alerts", reading.ids.assign("alerts", given, keyOfEntry("alerts", alert))], alert, [
      line,
    ]);
  }
}

/** The text that distinguishes an entry from others; its id is derived from it. */
export function keyOfEntry(collection: string, entry: JsonObject): string {
  const text = (name: string) => String(member(entry, name) ?? "");
  switch (collection) {
    case "participants":
      return text("calendarAddress").toLowerCase();
    case "locations":
      return text("name") || text("coordinates");
    case "virtualLocations":
      return text("uri");
    case "links":
      return text("href");
    default:
      return keyOfAlert(entry);
  }
}

function readEntryLine(reading: Reading, line: Line): void {
  const [collection, entry] =
    line.item.name === "CONFERENCE"
      ? ["virtualLocations", readConference(line.item)]
      : ["links", readLink(line.item)];
  if (entry === undefined) return;
  const id = reading.ids.assign(collection, parameterValue(line.item, "JSID"), keyOfEntry(collection, entry));
  addUnit(reading, [collection, id], entry, [line]);
}

/** The one LOCATION of a component keeps its id when its text changes. */
export const mainLocation = "main";

function readLocations(reading: Reading): void {
  const [line] = linesOf(reading, "LOCATION");
  const [geo] = linesOf(reading, "GEO");
  const name = line === undefined ? "" : parseText(line.item.value);
  const coordinates = geo === undefined ? undefined : readGeo(geo.item.value);
  if (name !== "" || coordinates !== undefined) {
    const given = [line, geo].map((each) => each && parameterValue(each.item, "JSID")).find(Boolean);
    const id = reading.ids.assign("locations", given ?? mainLocation, name);
    const entry = {
      ...(name === "" ? {} : { name }),
      ...(coordinates === undefined ? {} : { coordinates }),
    };
    const lines = [line, coordinates === undefined ? undefined : geo].filter((each) => each !== undefined);
    addUnit(reading, ["locations", id], entry, lines);
  } else if (line !== undefined) takeLines(reading, `locations/${mainLocation}`, [line]);
  for (const place of reading.components.get("VLOCATION") ?? []) {
    const entry = readPlace(place.item);
    const given = findProperty(place.item, "JSID")?.value;
    const id = reading.ids.assign("locations", given, keyOfEntry("locations", entry));
    addUnit(reading, ["locations", id], entry, [place]);
  }
}

/** RFC 5545 section 3.8.1.6: two numbers. */
function readGeo(value: string): string | undefined {
  const match = /^\s*([+-]?\d{1,3}(?:\.\d{1,20})?)\s*;\s*([+-]?\d{1,3}(?:\.\d{1,20})?)\s*$/.exec(value);
  return match === null ? undefined : `geo:${match[1]},${match[2]}`.replaceAll("+", "");
}

/** VLOCATION (RFC 9073 section 7.2). */
function readPlace(component: Component): JsonObject {
  const placed = new Set<Item>();
  const take = (name: string) => {
    const property = findProperty(component, name);
    if (property !== undefined) placed.add(property);
    return property?.value;
  };
  take("JSID");
  const [name, description, types, coordinates] = ["NAME", "DESCRIPTION", "LOCATION-TYPE", "COORDINATES"].map(
    take,
  );
  const left = readLeft(component, placed);
  return {
    ...(name === undefined ? {} : { name: parseText(name) }),
    ...(description === undefined ? {} : { description: parseText(description) }),
    ...(types === undefined ? {} : { locationTypes: truths(parseTexts(types)) }),
    ...(coordinates === undefined ? {} : { coordinates: parseText(coordinates) }),
    ...(left === undefined ? {} : { iCalendar: left }),
  };
}

function truths(words: readonly string[]): JsonObject {
  const set: OpenObject = {};
  for (const word of words) if (word !== "") put(set, word, true);
  return set;
}

const placeMembers: ReadonlySet<string> = new Set(["name", "coordinates"]);

/** LOCATION and GEO for the first location that they can express completely, VLOCATION for the others. */
export function writeLocation(id: string, entry: JsonObject, old: readonly Item[], isFirst: boolean): Item[] {
  const oldLine = (name: string) =>
    old.find((item): item is Property => item.kind === "property" && item.name === name);
  const hadLine = oldLine("LOCATION") !== undefined || oldLine("GEO") !== undefined;
  const isPlain =
    Object.keys(entry).every((key) => placeMembers.has(key) || key.includes(":")) &&
    geoOf(member(entry, "coordinates")) !== undefined;
  const isLine = isPlain && (hadLine || (isFirst && !old.some(({ kind }) => kind === "component")));
  if (!isLine) return [writePlace(id, entry, old)];
  const jsid = id === mainLocation ? [] : [{ name: "JSID", values: [id] }];
  const name = member(entry, "name");
  const geo = geoOf(member(entry, "coordinates"));
  return [
    ...(typeof name === "string"
      ? [makeProperty("LOCATION", formatText(name), [...jsid, ...otherParameters(oldLine("LOCATION"), none)])]
      : []),
    ...(geo === undefined || geo === ""
      ? []
      : [makeProperty("GEO", geo, [...jsid, ...otherParameters(oldLine("GEO"), none)])]),
  ];
}

const none: ReadonlySet<string> = new Set();

/** Empty if there are none; undefined if GEO has no form for them. */
function geoOf(coordinates: Json | undefined): string | undefined {
  if (coordinates === undefined) return "";
  const match = /^geo:(-?\d{1,3}(?:\.\d{1,20})?),(-?\d{1,3}(?:\.\d{1,20})?)$/.exec(String(coordinates));
  return match === null ? undefined : `${match[1]};${match[2]}`;
}

function writePlace(id: string, entry: JsonObject, old: readonly Item[]): Component {
  const before = old.find((item): item is Component => item.kind === "component");
  const items: Item[] = writeLeft(entry);
  const add = (name: string, value: Json | undefined) => {
    if (typeof value === "string") items.push(makeProperty(name, formatText(value)));
  };
  add("NAME", member(entry, "name"));
  add("DESCRIPTION", member(entry, "description"));
  add("COORDINATES", member(entry, "coordinates"));
  const types = member(entry, "locationTypes");
  if (isObject(types))
    items.push(makeProperty("LOCATION-TYPE", Object.keys(types).map(formatText).join(",")));
  if (idOfKey(keyOfEntry("locations", entry)) !== id) items.push(makeProperty("JSID", id));
  return rebuilt("VLOCATION", items, before);
}

/** RFC 7986 section 5.11. */
function readConference(property: Property): JsonObject | undefined {
  if (property.value === "") return undefined;
  const label = parameterValue(property, "LABEL");
  const features = parameterValues(property, "FEATURE").flatMap((value) => value.toLowerCase().split(","));
  return {
    uri: property.value,
    ...(label === undefined ? {} : { name: label }),
    ...(features.length === 0 ? {} : { features: truths(features) }),
  };
}

const conferenceParameters = new Set(["VALUE", "LABEL", "FEATURE"]);

export function writeConference(id: string, entry: JsonObject, old: Property | undefined): Property {
  const features = member(entry, "features");
  const name = member(entry, "name");
  return makeProperty("CONFERENCE", String(member(entry, "uri")), [
    { name: "VALUE", values: ["URI"] },
    ...(isObject(features)
      ? [{ name: "FEATURE", values: Object.keys(features).map((word) => word.toUpperCase()) }]
      : []),
    ...(typeof name === "string" ? [{ name: "LABEL", values: [name] }] : []),
    ...jsidOf("virtualLocations", id, entry),
    ...otherParameters(old, conferenceParameters),
  ]);
}

function jsidOf(collection: string, id: string, entry: JsonObject): Parameter[] {
  return idOfKey(keyOfEntry(collection, entry)) === id ? [] : [{ name: "JSID", values: [id] }];
}

/** ATTACH is a link with the rel `enclosure`, IMAGE one with `icon`, URL one without; LINK (RFC 9253 section 8.2) has its own. */
function readLink(property: Property): JsonObject | undefined {
  const { name, value } = property;
  const isBinary = parameterValue(property, "VALUE")?.toUpperCase() === "BINARY";
  const type = parameterValue(property, "FMTTYPE");
  if (value === "" || (name === "LINK" && !isUri(property)) || (isBinary && type?.includes(",")))
    return undefined;
  const href = isBinary ? `data:${type ?? ""};base64,${value}` : value;
  const title = parameterValue(property, "LABEL") ?? parameterValue(property, "FILENAME");
  const size = parameterValue(property, "SIZE");
  const rel =
    name === "ATTACH" ? "enclosure" : name === "IMAGE" ? "icon" : parameterValue(property, "LINKREL");
  const display = parameterValues(property, "DISPLAY").flatMap((word) => word.toLowerCase().split(","));
  return {
    href,
    ...(rel === undefined ? {} : { rel }),
    ...(type === undefined ? {} : { contentType: type }),
    ...(size !== undefined && /^\d{1,15}$/.test(size) ? { size: Number(size) } : {}),
    ...(title === undefined ? {} : { title }),
    ...(name === "IMAGE" && display.length > 0 ? { display: truths(display) } : {}),
  };
}

function isUri(property: Property): boolean {
  const type = parameterValue(property, "VALUE")?.toUpperCase();
  return type === undefined || type === "URI";
}

const linkParameters = new Set([
  "VALUE",
  "ENCODING",
  "FMTTYPE",
  "SIZE",
  "LABEL",
  "FILENAME",
  "LINKREL",
  "DISPLAY",
]);

/** `hasUrl`: another link is written as URL. */
export function writeLink(
  id: string,
  entry: JsonObject,
  old: Property | undefined,
  hasUrl: boolean,
): Property {
  const text = (name: string) => member(entry, name) as string | undefined;
  const [href, rel, type, title] = [text("href")!, text("rel"), text("contentType"), text("title")];
  const isPlain = Object.keys(entry).every((key) => key === "href" || key.includes(":"));
  const name =
    rel === "enclosure" ? "ATTACH" : rel === "icon" ? "IMAGE" : isPlain && !hasUrl ? "URL" : "LINK";
  const inline = name === "ATTACH" ? /^data:([^;,]*);base64,([A-Za-z0-9+/=]*)$/.exec(href) : null;
  const size = member(entry, "size");
  const display = member(entry, "display");
  const parameters: Parameter[] = [];
  if (inline !== null)
    parameters.push({ name: "ENCODING", values: ["BASE64"] }, { name: "VALUE", values: ["BINARY"] });
  else if (name !== "URL" && name !== "ATTACH") parameters.push({ name: "VALUE", values: ["URI"] });
  if (name === "LINK" && rel !== undefined) parameters.push({ name: "LINKREL", values: [rel] });
  if (type !== undefined) parameters.push({ name: "FMTTYPE", values: [type] });
  if (typeof size === "number") parameters.push({ name: "SIZE", values: [String(size)] });
  if (title !== undefined)
    parameters.push({ name: name === "ATTACH" ? "FILENAME" : "LABEL", values: [title] });
  if (name === "IMAGE" && isObject(display))
    parameters.push({ name: "DISPLAY", values: Object.keys(display).map((word) => word.toUpperCase()) });
  return makeProperty(name, inline?.[2] ?? href, [
    ...parameters,
    ...jsidOf("links", id, entry),
    ...otherParameters(old?.name === name ? old : undefined, linkParameters),
  ]);
}

/** RELATED-TO, keyed by its uid. */
function readRelations(reading: Reading): void {
  const byUid = new Map<string, { readonly relation: OpenObject; readonly lines: Line[] }>();
  for (const line of linesOf(reading, "RELATED-TO")) {
    const uid = parseText(line.item.value);
    if (uid === "" || !isText(line.item)) continue;
    const known = byUid.get(uid) ?? { relation: {}, lines: [] };
    const type = parameterValue(line.item, "RELTYPE");
    if (type !== undefined) put(known.relation, type.toLowerCase(), true);
    known.lines.push(line);
    byUid.set(uid, known);
  }
  for (const [uid, { relation, lines }] of byUid)
    addUnit(reading, ["relatedTo", uid], Object.keys(relation).length === 0 ? {} : { relation }, lines);
}

function isText(property: Property): boolean {
  const type = parameterValue(property, "VALUE")?.toUpperCase();
  return type === undefined || type === "TEXT";
}

export function writeRelation(uid: string, entry: JsonObject, old: readonly Property[]): Property[] {
  const relation = member(entry, "relation");
  const types = isObject(relation) ? Object.keys(relation) : [];
  const make = (type: string | undefined) =>
    makeProperty("RELATED-TO", formatText(uid), [
      ...(type === undefined ? [] : [{ name: "RELTYPE", values: [type.toUpperCase()] }]),
      ...otherParameters(
        old.find((each) => parameterValue(each, "RELTYPE")?.toLowerCase() === type),
        new Set(["RELTYPE"]),
      ),
    ]);
  return types.length === 0 ? [make(undefined)] : types.map(make);
}
