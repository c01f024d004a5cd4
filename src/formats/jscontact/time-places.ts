/** Where times stand in an object of JSON, as the schema of the object declares it. */
import type { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import {
  formatPointer,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  type Path,
  put,
} from "./json.ts";

/** local: on a clock that the object has. utc: in UTC. proposed: one or two times, days or local times with a slash between them. */
export type TimeKind = "local" | "utc" | "proposed";

export interface TimePlaces {
  /** The text here is a time. */
  readonly kind?: TimeKind | undefined;
  /** Names of members are times; their values have none. */
  readonly keys?: TimeKind | undefined;
  readonly members?: ReadonlyMap<string, TimePlaces>;
  /** Of each member, whatever its name. */
  readonly entries?: TimePlaces | undefined;
}

const kinds = new WeakMap<object, TimeKind>();

/** Declares that texts of the schema are times. */
export function timeSchema<T extends z.ZodType>(kind: TimeKind, schema: T): T {
  kinds.set(schema, kind);
  return schema;
}

/** What zod knows of a schema. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly keyType?: z.ZodType;
  readonly valueType?: z.ZodType;
}

/** undefined for a schema without times. Lists have none. */
export function timePlacesOf(schema: z.ZodType): TimePlaces | undefined {
  const kind = kinds.get(schema);
  if (kind !== undefined) return { kind };
  const { innerType, options, shape, keyType, valueType } = schema.def as unknown as Definition;
  if (innerType !== undefined) return timePlacesOf(innerType);
  if (options !== undefined) return together(options.map(timePlacesOf));
  if (shape !== undefined) {
    const members = Object.entries(shape).flatMap(([name, one]) => {
      const places = timePlacesOf(one);
      return places === undefined ? [] : [[name, places] as const];
    });
    return members.length === 0 ? undefined : { members: new Map(members) };
  }
  if (keyType === undefined || valueType === undefined) return undefined;
  const keys = kinds.get(keyType);
  if (keys !== undefined) return { keys };
  const entries = timePlacesOf(valueType);
  return entries === undefined ? undefined : { entries };
}

/** Of an object that has one of several forms. */
function together(forms: readonly (TimePlaces | undefined)[]): TimePlaces | undefined {
  const timed = forms.filter((form) => form !== undefined);
  if (timed.length <= 1) return timed[0];
  return { members: new Map(timed.flatMap(({ members = none }) => [...members])) };
}

/** The places as pointers, with `*` for each member of any name. */
export function listTimePlaces(
  { kind, keys, members = new Map(), entries }: TimePlaces,
  at: Path = [],
): string[] {
  return [
    ...(kind === undefined ? [] : [formatPointer(at)]),
    ...(keys === undefined ? [] : [formatPointer([...at, "*"])]),
    ...[...members].flatMap(([name, inner]) => listTimePlaces(inner, [...at, name])),
    ...(entries === undefined ? [] : listTimePlaces(entries, [...at, "*"])),
  ];
}

/** `name`: of the member. */
export type ConvertTime = (text: string, kind: TimeKind, name: string) => string;

/** The value with its times converted; the same one if that changes nothing. Throws `invalid` where two names become one. */
export function withTimes(value: Json, places: TimePlaces, convert: ConvertTime, at: Path = []): Json {
  if (typeof value === "string")
    return places.kind === undefined ? value : convert(value, places.kind, at.at(-1) ?? "");
  if (!isObject(value)) return value;
  const { keys, members, entries } = places;
  if (keys !== undefined) return withNames(value, keys, convert, at);
  let changed: OpenObject | undefined;
  for (const name of entries === undefined ? (members ?? none).keys() : Object.keys(value)) {
    const [inner, place] = [member(value, name), members?.get(name) ?? entries!];
    const converted = inner === undefined ? undefined : withTimes(inner, place, convert, [...at, name]);
    if (converted === inner) continue;
    changed ??= { ...value };
    put(changed, name, converted!);
  }
  return changed ?? value;
}

const none: ReadonlyMap<string, TimePlaces> = new Map();

function withNames(value: JsonObject, kind: TimeKind, convert: ConvertTime, at: Path): JsonObject {
  const object: OpenObject = {};
  for (const [name, inner] of Object.entries(value)) {
    const key = convert(name, kind, name);
    const field = `/${formatPointer([...at, name])}`;
    if (Object.hasOwn(object, key))
      throw new WaypostError("invalid", `${field} is a time that is named twice.`, { field });
    put(object, key, inner);
  }
  return object;
}

/** A path with the names in it that are times converted. */
export function pathWithTimes(path: Path, places: TimePlaces, convert: ConvertTime): Path {
  let place: TimePlaces | undefined = places;
  return path.map((step) => {
    const key = place?.keys === undefined ? step : convert(step, place.keys, step);
    place = place?.members?.get(step) ?? place?.entries;
    return key;
  });
}

/** What is inside of a path. */
export function timePlacesAt(places: TimePlaces, path: Path): TimePlaces | undefined {
  return path.reduce<TimePlaces | undefined>(
    (place, step) => place?.members?.get(step) ?? place?.entries,
    places,
  );
}
