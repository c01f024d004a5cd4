/** The JSON pointer of a refusal about a body or a patch. */
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { jsonPointer } from "../carriage/json-pointer.ts";

/** Makes the pointer of a refusal begin at the top of the request. Adds `hint` if the refusal has none. */
export function atBody<R>(hint: string, run: () => Promise<R>): Promise<R> {
  return rethrown(hint, run, (field) => `/body${field}`);
}

/** The same for a body that replaces an object: a program that wants to change a part of it learns how. */
export function atWholeBody<R>(hint: string, run: () => Promise<R>): Promise<R> {
  const more = 'A body is the whole object; patch: {"title": "…"} changes a part of it.';
  return rethrown(hint, run, (field) => `/body${field}`, more);
}

/** The same for a patch: the refusal points to the member of the patch that is wrong. */
export function atPatch<R>(hint: string, patch: JsonObject, run: () => Promise<R>): Promise<R> {
  const keys = Object.keys(patch).toSorted((one, other) => other.length - one.length);
  return rethrown(hint, run, (field) => {
    const key = keys.find((one) => `${field}/`.startsWith(`/${plain(one)}/`));
    return key === undefined ? "/patch" : jsonPointer(["patch", key]) + field.slice(plain(key).length + 1);
  });
}

function plain(pointer: string): string {
  return pointer.replace(/^\//, "");
}

async function rethrown<R>(
  otherwise: string,
  run: () => Promise<R>,
  fieldOf: (field: string) => string,
  more?: string,
): Promise<R> {
  try {
    return await run();
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "invalid") throw error;
    const { field = "", hint = otherwise } = error.details;
    throw new WaypostError("invalid", error.message, {
      ...error.details,
      field: fieldOf(field),
      hint: more === undefined ? hint : `${hint} ${more}`,
    });
  }
}
