/** The place of a refusal in what a caller sent, where short forms stand for whole members. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import {
  formatPointer,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  type Path,
  parsePointer,
} from "./json.ts";

/** Makes `field` of a refusal point into `sent`, a body or a patch. `expand` gives the whole form of a value at a path. */
export function atSent<R>(
  sent: JsonObject,
  expand: (path: readonly string[], value: Json) => Json,
  run: () => R,
): R {
  try {
    return run();
  } catch (error) {
    if (!isWaypostError(error) || error.details.field === undefined) throw error;
    const { field } = error.details;
    const pointed = sentPlace(sent, parsePointer(field), expand);
    if (pointed === undefined) throw error;
    throw new WaypostError(
      error.code,
      error.message.replace(field, () => pointed),
      {
        ...error.details,
        field: pointed,
      },
    );
  }
}

/** undefined for a place that stands as it was sent. */
function sentPlace(
  sent: JsonObject,
  [key, ...inner]: Path,
  expand: (path: readonly string[], value: Json) => Json,
): string | undefined {
  const value = key === undefined ? undefined : (member(sent, key) ?? member(sent, `/${key}`));
  if (key === undefined || value === undefined || inner.length === 0) return undefined;
  if (!isArray(value)) return isObject(value) ? undefined : `/${formatPointer([key])}`;
  const whole = expand([key], value);
  const index = isObject(whole) ? Object.keys(whole).indexOf(inner[0]!) : -1;
  if (index === -1) return undefined;
  const rest = isObject(value[index]) ? inner.slice(1) : [];
  return `/${formatPointer([key, String(index), ...rest])}`;
}
