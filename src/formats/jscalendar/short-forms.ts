/** Short forms that a caller may write: lists of plain texts instead of entries, plain mail addresses instead of URIs. */
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  put,
} from "../jscontact/json.ts";
import { keyOfEntry, mainLocation } from "./entries.ts";
import { idOfKey } from "./reading.ts";

const entryFields: Readonly<Record<string, string>> = {
  __proto__: null as never,
  links: "href",
  locations: "name",
  participants: "calendarAddress",
  virtualLocations: "uri",
};

export function withoutShortForms(body: JsonObject): JsonObject {
  const object: OpenObject = {};
  for (const [key, value] of Object.entries(body)) put(object, key, shortForm([key], value));
  return object;
}

export function shortForm(path: readonly string[], value: Json): Json {
  const [key] = path;
  if (path.length !== 1 || !isArray(value)) return value;
  if (key === "keywords" || key === "categories") return truthsOf(value);
  const field = key === "alerts" ? "trigger" : entryFields[key!];
  if (field === undefined) return value;
  const object: OpenObject = {};
  for (const [at, each] of value.entries()) {
    const entry: Json =
      typeof each !== "string" ? each : { [field]: key === "alerts" ? { offset: each } : each };
    const given = isObject(entry) && key === "participants" ? withAddress(entry) : entry;
    const isMain = key === "locations" && at === 0;
    const id = isMain
      ? mainLocation
      : idOfKey(isReadable(key!, given) ? keyOfEntry(key!, given) : String(at));
    put(object, member(object, id) === undefined ? id : `${id}-${at}`, given);
  }
  return object;
}

/** Whether the entry has a readable form; others are refused. */
function isReadable(collection: string, entry: Json): entry is JsonObject {
  return isObject(entry) && (collection !== "alerts" || isObject(member(entry, "trigger")));
}

function truthsOf(values: readonly Json[]): Json {
  const object: OpenObject = {};
  for (const value of values) put(object, typeof value === "string" ? value : JSON.stringify(value), true);
  return object;
}

/** Makes a calendar address of a mail address. */
export function withAddress(entry: JsonObject): JsonObject {
  const address = member(entry, "calendarAddress");
  return typeof address === "string" ? { ...entry, calendarAddress: calendarAddress(address) } : entry;
}

export function calendarAddress(address: string): string {
  return address.includes(":") || !address.includes("@") ? address : `mailto:${address}`;
}
