/** An Event or Task as units that are compared, read and written one by one. A unit is an entry of a collection (`participants/ab12`),
 *  a group of members that share lines (start, duration, time zone), a line without a counterpart in JSCalendar, or another
 *  member. Members of the whole calendar object are in no unit. */
import {
  formatPointer,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  parsePointer,
  put,
} from "../jscontact/json.ts";

/** Members that are objects of objects by id. */
export const collections: ReadonlySet<string> = new Set([
  "alerts",
  "links",
  "locations",
  "participants",
  "relatedTo",
  "virtualLocations",
]);

const groups: ReadonlyMap<string, string> = new Map([
  ["description", "text"],
  ["descriptionContentType", "text"],
  ["due", "time"],
  ["duration", "time"],
  ["endTimeZone", "time"],
  ["showWithoutTime", "time"],
  ["start", "time"],
  ["timeZone", "time"],
]);

const groupKeys: ReadonlySet<string> = new Set(groups.values());

/** Members that come from several components of the calendar object, or that identify the component. */
export const objectMembers: ReadonlySet<string> = new Set([
  "@type",
  "method",
  "prodId",
  "recurrenceId",
  "recurrenceIdTimeZone",
  "recurrenceOverrides",
  "timeZones",
]);

export type Units = ReadonlyMap<string, Json>;

/** The unit of a place; undefined for a place outside of a single component. */
export function unitKeyOf(path: readonly string[]): string | undefined {
  const [top, second] = path;
  if (top === undefined || top === "iCalendar" || objectMembers.has(top)) return undefined;
  if (collections.has(top)) return second === undefined ? undefined : formatPointer([top, second]);
  return groups.get(top) ?? formatPointer([top]);
}

export function splitUnits(object: JsonObject): Units {
  const units = new Map<string, Json>();
  for (const [top, value] of Object.entries(object)) {
    const group = groups.get(top);
    if (objectMembers.has(top)) continue;
    if (top === "iCalendar") splitLeft(value, units);
    else if (group !== undefined) {
      const members: OpenObject = { ...(units.get(group) as JsonObject | undefined) };
      put(members, top, value);
      units.set(group, members);
    } else if (collections.has(top) && isObject(value))
      for (const [id, entry] of Object.entries(value)) units.set(formatPointer([top, id]), entry);
    else units.set(formatPointer([top]), value);
  }
  return units;
}

/** Properties and components of jCal have no id: they are identified by their content. */
function splitLeft(left: Json, units: Map<string, Json>): void {
  if (!isObject(left)) return;
  for (const list of ["properties", "components"] as const) {
    const values = member(left, list);
    if (!isArray(values)) continue;
    const counts = new Map<string, number>();
    for (const value of values) {
      const text = JSON.stringify(value);
      const count = counts.get(text) ?? 0;
      counts.set(text, count + 1);
      units.set(formatPointer(["iCalendar", list, text, String(count)]), value);
    }
  }
}

/** `name`: the name of the component, such as `vevent`. */
export function joinUnits(units: Iterable<readonly [string, Json]>, name: string): OpenObject {
  const object: OpenObject = {};
  const left: { properties: Json[]; components: Json[] } = { properties: [], components: [] };
  for (const [key, value] of units) {
    if (groupKeys.has(key)) {
      for (const [each, inner] of Object.entries(value as JsonObject)) put(object, each, inner);
      continue;
    }
    const [top, second] = parsePointer(key);
    if (top === "iCalendar") left[second as "properties" | "components"].push(value);
    else if (second === undefined) put(object, top!, value);
    else {
      const entries = (member(object, top!) ?? {}) as OpenObject;
      put(entries, second, value);
      put(object, top!, entries);
    }
  }
  const rest = leftOf(name, left.properties, left.components);
  if (rest !== undefined) object.iCalendar = rest;
  return object;
}

/** The member `iCalendar`. The order of lines means nothing, so they are sorted; undefined for none. */
export function leftOf(
  name: string,
  properties: readonly Json[],
  components: readonly Json[],
): JsonObject | undefined {
  if (properties.length + components.length === 0) return undefined;
  return {
    name,
    ...(properties.length === 0 ? {} : { properties: sorted(properties) }),
    ...(components.length === 0 ? {} : { components: sorted(components) }),
  };
}

function sorted(values: readonly Json[]): Json[] {
  const texts = values.map((value) => [JSON.stringify(value), value] as const);
  return texts.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
}
