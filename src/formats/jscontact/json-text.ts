/** JSON that others wrote: in a line of a vCard or an iCalendar object (JSPROP), in the structured part of a mail. */
import { Buffer } from "node:buffer";
import { jsonDepth } from "#/src/model/json-depth.ts";
import { jsonDepthMax } from "#/src/model/limits.ts";
import { isArray, isObject, type Json } from "./json.ts";

/** The value of the first text that is JSON. undefined if none is, or if it is one that no caller may send: too deep, with a member
 *  `__proto__`, or with a number that has no value (1e400). */
export function parseJsonText(texts: readonly string[]): { readonly value: Json } | undefined {
  for (const text of texts) {
    if (jsonDepth(Buffer.from(text, "utf8")) > jsonDepthMax) return undefined;
    try {
      const value = JSON.parse(text) as Json;
      return isSendable(value) ? { value } : undefined;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

function isSendable(value: Json): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (isArray(value)) return value.every(isSendable);
  return (
    !isObject(value) ||
    Object.entries(value).every(([key, inner]) => key !== "__proto__" && isSendable(inner))
  );
}
