/** Instances of a series in JSCalendar (RFC 8984 section 4.3.5): an override is a patch of the instance that the series gives. */
import { dayMs } from "../icalendar/calendar-time.ts";
import {
  formatPointer,
  isEqual,
  isObject,
  isTooDeep,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  parsePointer,
  put,
} from "../jscontact/json.ts";
import { formatLocal, parseLocal } from "./local-time.ts";
import { objectMembers } from "./unit.ts";

/** Members that an instance does not have, or that cannot differ from the series. */
const ofSeriesAlone: ReadonlySet<string> = new Set([...objectMembers, "uid", "recurrenceRule"]);

/** The instance with this recurrence id, without overrides. For a task the time from start to due stays the same. */
export function instanceOf(series: JsonObject, recurrenceId: string): JsonObject {
  const instance: OpenObject = {};
  for (const [key, value] of Object.entries(series)) if (!ofSeriesAlone.has(key)) put(instance, key, value);
  const [start, due, at] = [member(series, "start"), member(series, "due"), recurrenceId].map((text) =>
    typeof text === "string" ? parseLocal(text) : undefined,
  );
  if (start !== undefined || due === undefined) instance.start = recurrenceId;
  if (due !== undefined && at !== undefined)
    instance.due = formatLocal(at + (start === undefined ? 0 : due - start));
  return instance;
}

/** The patch that changes `from` into `instance`: pointers of members or of values inside; null deletes. It is at most as long as the
 *  members that differ. */
export function patchTo(from: JsonObject, instance: JsonObject): JsonObject {
  const patch: OpenObject = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(instance)]))
    if (!ofSeriesAlone.has(key)) addDifference(patch, [key], member(from, key), member(instance, key));
  return patch;
}

/** Number of members of the objects of the series: each is counted once. */
const sizes = new WeakMap<object, number>();

function sizeOf(object: JsonObject): number {
  const known = sizes.get(object) ?? Object.keys(object).length;
  sizes.set(object, known);
  return known;
}

function addDifference(
  patch: OpenObject,
  path: readonly string[],
  from: Json | undefined,
  to: Json | undefined,
): void {
  if (to === undefined) {
    if (from !== undefined) put(patch, formatPointer(path), null);
    return;
  }
  const isWhole =
    !isObject(from) ||
    !isObject(to) ||
    path[0] === "iCalendar" ||
    path.length > 2 ||
    Math.abs(sizeOf(from) - Object.keys(to).length) > Object.keys(to).length;
  if (isWhole) {
    if (!isEqual(from, to)) put(patch, formatPointer(path), to);
    return;
  }
  const inner: OpenObject = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)]))
    addDifference(inner, [...path, key], member(from, key), member(to, key));
  Object.assign(patch, inner);
}

/** The instance with a patch applied; if a pointer does not exist, undefined and the pointer. A collection that a patch changes
 *  is copied once. */
export function applyOverride(
  instance: JsonObject,
  patch: JsonObject,
): { readonly object: JsonObject } | { readonly failed: string } {
  const object: OpenObject = { ...instance };
  const own = new Set<JsonObject>([object]);
  for (const [pointer, value] of Object.entries(patch)) {
    const path = parsePointer(pointer);
    const isOdd = isTooDeep(path) || path.some((step) => step === "" || step === "__proto__");
    if (isOdd || ofSeriesAlone.has(path[0]!)) return { failed: pointer };
    let at = object;
    for (const step of path.slice(0, -1)) {
      const next = member(at, step);
      if (!isObject(next)) return { failed: pointer };
      const copy: OpenObject = own.has(next) ? (next as OpenObject) : { ...next };
      own.add(copy);
      put(at, step, copy);
      at = copy;
    }
    const last = path.at(-1)!;
    if (value === null) delete at[last];
    else put(at, last, value);
  }
  for (const [key, value] of Object.entries(object))
    if (isObject(value) && own.has(value) && Object.keys(value).length === 0) delete object[key];
  return { object };
}

export function isExcluded(patch: Json | undefined): boolean {
  return isObject(patch) && member(patch, "excluded") === true;
}

/** The instance of a day, in the form that the series has. */
export function recurrenceIdOfDay(localMs: number, startMs: number): string {
  const day = Math.floor(localMs / dayMs) * dayMs;
  return formatLocal(day + (startMs - Math.floor(startMs / dayMs) * dayMs));
}
