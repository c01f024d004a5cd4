/** Short forms that a caller may write: lists of plain texts instead of entries, plain mail addresses instead of URIs. */
import { WaypostError } from "#/src/model/errors.ts";
import {
  formatPointer,
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
  if (key === "participants" && path.length <= 2 && !isArray(value)) return participantsOf(path, value);
  if (path.length !== 1 || !isArray(value)) return value;
  if (key === "keywords" || key === "categories") return truthsOf(value);
  const field = key === "alerts" ? "trigger" : entryFields[key!];
  if (field === undefined) return value;
  const object: OpenObject = {};
  for (const [at, each] of value.entries()) {
    const given: Json =
      key === "participants"
        ? participantOf(each, `participants/${at}`)
        : typeof each === "string"
          ? { [field]: key === "alerts" ? { offset: each } : each }
          : each;
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

function participantsOf([, id]: readonly string[], value: Json): Json {
  if (id !== undefined) return participantOf(value, formatPointer(["participants", id]));
  if (!isObject(value)) return value;
  const object: OpenObject = {};
  for (const [key, each] of Object.entries(value))
    put(object, key, participantOf(each, formatPointer(["participants", key])));
  return object;
}

/** As recipients of a mail are written: an address, "Name <address>" or {name, address}. Throws `invalid` for a text without an address. */
function participantOf(given: Json, field: string): Json {
  if (typeof given === "string") {
    const open = given.lastIndexOf("<");
    if (!/[@:]/.test(given))
      throw new WaypostError("invalid", `/${field} is no address.`, {
        field: `/${field}`,
        hint: 'participants: ["ann@example.com", "Ann <ann@example.com>"].',
      });
    if (open === -1 || !given.trimEnd().endsWith(">"))
      return { calendarAddress: calendarAddress(given.trim()) };
    const name = given.slice(0, open).trim().replace(/^"|"$/g, "");
    const address = given.slice(open + 1, given.lastIndexOf(">")).trim();
    return { ...(name === "" ? {} : { name }), calendarAddress: calendarAddress(address) };
  }
  if (!isObject(given)) return given;
  const { address, ...entry } = given;
  return typeof address === "string" && entry.calendarAddress === undefined
    ? { ...entry, calendarAddress: calendarAddress(address) }
    : withAddress(given);
}

/** Makes a calendar address of a mail address. */
export function withAddress(entry: JsonObject): JsonObject {
  const address = member(entry, "calendarAddress");
  return typeof address === "string" ? { ...entry, calendarAddress: calendarAddress(address) } : entry;
}

export function calendarAddress(address: string): string {
  return address.includes(":") || !address.includes("@") ? address : `mailto:${address}`;
}
