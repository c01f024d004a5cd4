/** What other programs have written, and a change leaves as it is. */
import { isEqual, isObject, type Json, type JsonObject, member } from "./json.ts";

/** Whether the member at the path, or the entry in it, is what it was: then it need not be what a caller may write. */
export function isUnchanged(path: readonly PropertyKey[], object: JsonObject, stored: JsonObject): boolean {
  const place = path.slice(0, 2).map(String);
  const was = valueAt(stored, place);
  return was !== undefined && isEqual(was, valueAt(object, place));
}

function valueAt(object: JsonObject, path: readonly string[]): Json | undefined {
  let at: Json | undefined = path.length === 0 ? undefined : object;
  for (const step of path) at = isObject(at) ? member(at, step) : undefined;
  return at;
}
