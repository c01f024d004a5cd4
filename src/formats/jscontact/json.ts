/** JSON values, pointers and patches of JSContact and JSCalendar (RFC 6901; RFC 9553 section 1.4.3 and RFC 8984 section 1.4.9,
 *  PatchObject). Pointers are written without the slash in front: `emails/k1/address`. */
import { jsonDepthMax } from "#/src/model/limits.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}
/** An object that is being built. */
export type OpenObject = Record<string, Json>;
export type Path = readonly string[];

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Sets a member, also one of the name `__proto__`. */
export function put(object: OpenObject, key: string, value: Json): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

export function member(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** No more steps than one that is too deep has. */
export function parsePointer(pointer: string): Path {
  return pointer
    .replace(/^\//, "")
    .split("/", jsonDepthMax + 1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function formatPointer(path: Path): string {
  return path.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
}

/** The id of an entry (RFC 9553 and RFC 8984, section 1.4.1). No pointer of a caller leads to one of the name `__proto__`. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,255}$/.test(text) && text !== "__proto__";
}

export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (isArray(one))
    return (
      isArray(other) && one.length === other.length && one.every((value, at) => isEqual(value, other[at]))
    );
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}

/** Whether a pointer is deeper than any value is. */
export function isTooDeep(path: Path): boolean {
  return path.length > jsonDepthMax;
}

/** Sets the value at the path; `undefined` deletes. Missing objects on the path are created; for a missing place in an array, and for a place
 *  that is too deep, the result is undefined. `own`: objects and lists that were made before for the same result and are changed as they
 *  are, so that many places of one object copy it once. */
export function withAt(
  value: Json | undefined,
  path: Path,
  inner: Json | undefined,
  own: WeakSet<object> = new WeakSet(),
): Json | undefined {
  return isTooDeep(path) ? undefined : setAt(value, path, 0, inner, own);
}

function setAt(
  value: Json | undefined,
  path: Path,
  at: number,
  inner: Json | undefined,
  own: WeakSet<object>,
): Json | undefined {
  const step = path[at];
  if (step === undefined) return inner;
  if (isArray(value)) {
    if (!/^(?:0|[1-9]\d{0,8})$/.test(step) || Number(step) >= value.length) return undefined;
    const changed = setAt(value[Number(step)], path, at + 1, inner, own);
    if (changed === undefined) return undefined;
    const list = own.has(value) ? (value as Json[]) : [...value];
    own.add(list);
    list[Number(step)] = changed;
    return list;
  }
  if (value !== undefined && !isObject(value)) return undefined;
  const isDeletion = at === path.length - 1 && inner === undefined;
  const before = value === undefined ? undefined : member(value, step);
  const changed = isDeletion ? undefined : setAt(before, path, at + 1, inner, own);
  if (changed === undefined && !isDeletion) return undefined;
  const object: OpenObject = value !== undefined && own.has(value) ? (value as OpenObject) : { ...value };
  own.add(object);
  if (changed === undefined) delete object[step];
  else put(object, step, changed);
  return object;
}

export type Patch = JsonObject;

/** Applies a patch, in which `null` deletes. If a pointer has no place, the result names the first such pointer. */
export function applyPatch(
  value: Json,
  patch: Patch,
): { readonly value: Json; readonly failed?: undefined } | { readonly failed: string } {
  let patched = value;
  const own = new WeakSet<object>();
  for (const [pointer, inner] of Object.entries(patch)) {
    const path = pointer === "" ? [] : parsePointer(pointer);
    const next = withAt(patched, path, inner === null ? undefined : inner, own);
    if (next === undefined) return { failed: pointer };
    patched = next;
  }
  return { value: patched };
}

/** Values of `to` that are missing or different in `from`, by pointer; values that only `from` has are ignored. */
export function additionsOf(from: Json, to: Json, at: Path = []): OpenObject {
  if (!isObject(from) || !isObject(to)) return isEqual(from, to) ? {} : { [formatPointer(at)]: to };
  const patch: OpenObject = {};
  for (const [key, value] of Object.entries(to)) {
    const before = member(from, key);
    const path = [...at, key];
    if (before === undefined) put(patch, formatPointer(path), value);
    else Object.assign(patch, additionsOf(before, value, path));
  }
  return patch;
}

/** Places to set so that `from` becomes `to`. For a value to delete, the place is its parent. */
export function replacementsOf(
  from: Json | undefined,
  to: Json,
  at: Path = [],
): readonly (readonly [Path, Json])[] {
  if (isEqual(from, to)) return [];
  if (isArray(from) && isArray(to) && from.length === to.length)
    return to.flatMap((value, index) => replacementsOf(from[index], value, [...at, String(index)]));
  if (!isObject(from) || !isObject(to)) return [[at, to]];
  if (Object.keys(from).some((key) => !Object.hasOwn(to, key))) return [[at, to]];
  return Object.entries(to).flatMap(([key, value]) => replacementsOf(member(from, key), value, [...at, key]));
}
