/** Reads what a caller writes as a contact into a Card: the whole Card, or the short form `{name: "…", emails: ["…"], phones: ["…"]}`;
 *  or a patch of JSON pointers of the Card that is stored (RFC 9553 section 1.4.3). Throws `invalid` with the field. */
import type { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { canonicalProperty } from "./card-properties.ts";
import { cardSchema } from "./contact-schema.ts";
import {
  formatPointer,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type OpenObject,
  parsePointer,
  put,
  withAt,
} from "./json.ts";

/** The Card of a body; with this uid if it has none. */
export function acceptCard(body: JsonObject, uid: string): JsonObject {
  return { uid, ...checked(withoutShortForms(body)) };
}

/** Checks the members of the patch together, in the resulting Card. A patch does not change the uid. */
export function patchCard(card: JsonObject, patch: JsonObject): JsonObject {
  let patched: Json = card;
  const pointers = Object.keys(patch).map((pointer) => pointer.replace(/^\//, ""));
  for (const [pointer, value] of Object.entries(patch)) {
    const path = parsePointer(pointer);
    const plain = pointer.replace(/^\//, "");
    if (plain === "" || path.includes("__proto__")) throw invalid(pointer, "is no place in a card");
    if (pointers.some((other) => other.startsWith(`${plain}/`)))
      throw invalid(pointer, "is changed together with a place inside it");
    const next = withAt(patched, path, value === null ? undefined : shortForm(path, value));
    if (next === undefined) throw invalid(pointer, "is no place in this card");
    patched = next;
  }
  const accepted = checked(patched as JsonObject);
  if (accepted.uid !== card.uid) throw invalid("uid", "cannot be changed");
  return accepted;
}

function invalid(pointer: string, why: string): WaypostError {
  const field = `/${pointer.replace(/^\//, "")}`;
  return new WaypostError("invalid", `${field} ${why}.`, { field });
}

function checked(card: JsonObject): JsonObject {
  const result = cardSchema.safeParse(card);
  if (!result.success) throw refusal(result.error.issues[0]!);
  const plain = withoutDefaultTypes(card) as JsonObject;
  const { vCardProps, localizations, ...others } = plain;
  const isLocalized = isObject(localizations) && Object.keys(localizations).length > 0;
  return {
    "@type": "Card",
    version: "1.0",
    ...others,
    ...(isLocalized ? { localizations } : {}),
    ...(isArray(vCardProps) && vCardProps.length > 0
      ? { vCardProps: vCardProps.map(canonicalProperty) }
      : {}),
  };
}

function refusal(issue: z.core.$ZodIssue): WaypostError {
  const path = [
    ...issue.path.map(String),
    ...(issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : []),
  ];
  const field = `/${formatPointer(path)}`;
  return new WaypostError("invalid", `The card is invalid at ${field}: ${issue.message}.`, { field });
}

const shortFields: Readonly<Record<string, string>> = {
  __proto__: null as never,
  emails: "address",
  phones: "number",
};

function withoutShortForms(body: JsonObject): JsonObject {
  const card: OpenObject = {};
  for (const [key, value] of Object.entries(body)) put(card, key, shortForm([key], value));
  return card;
}

function shortForm(path: readonly string[], value: Json): Json {
  if (path.length !== 1) return value;
  const [key] = path;
  if (key === "name" && typeof value === "string") return { full: value };
  const field = shortFields[key!];
  if (field === undefined || !isArray(value)) return value;
  return Object.fromEntries(
    value.map((text, at) => [`k${at + 1}`, typeof text === "string" ? { [field]: text } : text]),
  );
}

/** Removes `@type` where only one type is possible: vCard could hold it only as an extension. A date keeps the type Timestamp. The
 *  content of extensions is not changed. */
function withoutDefaultTypes(value: Json): Json {
  if (isArray(value)) return value.map(withoutDefaultTypes);
  if (!isObject(value)) return value;
  const object: OpenObject = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === "@type" && inner !== "Timestamp") continue;
    const isKept = key.includes(":") || key === "vCardProps" || key === "localizations";
    put(object, key, isKept ? inner : withoutDefaultTypes(inner));
  }
  return object;
}
