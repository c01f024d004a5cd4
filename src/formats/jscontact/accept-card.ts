/** Reads what a caller writes as a contact into a Card: the whole Card, or with short forms, such as `{name: "…", emails: ["…"], titles: ["…"]}`;
 *  or a patch of JSON pointers of the Card that is stored (RFC 9553 section 1.4.3). Throws `invalid` with the field. */
import type { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { atSent } from "./at-sent.ts";
import { canonicalProperty } from "./card-properties.ts";
import { cardSchema } from "./contact-schema.ts";
import { beginningOf, eachIssue } from "./each-issue.ts";
import {
  formatPointer,
  isArray,
  isEqual,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  parsePointer,
  put,
  withAt,
} from "./json.ts";
import { isUnchanged } from "./unchanged.ts";

/** The Card of a body; with this uid if it has none. `stored`: the card that it replaces. */
export function acceptCard(body: JsonObject, uid: string, stored: JsonObject = {}): JsonObject {
  return atSent(body, shortForm, () => ({
    uid,
    ...withWholeName(stored, checked(withoutShortForms(body), stored)),
  }));
}

/** Throws `invalid` for a card that says nothing about anybody. */
export function assertNotEmpty(card: JsonObject): void {
  if (isEmpty(card))
    throw new WaypostError("invalid", "The contact is empty.", { field: "", hint: `At least ${forms.name}` });
}

export function isEmpty(card: JsonObject): boolean {
  return Object.keys(card).every((key) => administrative.has(key));
}

/** Members that say nothing about anybody. */
const administrative = new Set([
  "@type",
  "version",
  "uid",
  "kind",
  "created",
  "updated",
  "language",
  "prodId",
]);

/** Checks the members of the patch together, in the resulting Card. A patch does not change the uid. */
export function patchCard(card: JsonObject, patch: JsonObject): JsonObject {
  return atSent(patch, shortForm, () => withWholeName(card, patchedCard(card, patch)));
}

function patchedCard(card: JsonObject, patch: JsonObject): JsonObject {
  let patched: Json = card;
  const own = new WeakSet<object>();
  const within = new Set(Object.keys(patch).flatMap(placesAround));
  for (const [pointer, value] of Object.entries(patch)) {
    const path = parsePointer(pointer);
    const plain = pointer.replace(/^\//, "");
    if (plain === "" || path.includes("__proto__")) throw invalid(pointer, "is no place in a card");
    if (within.has(formatPointer(path))) throw invalid(pointer, "is changed together with a place inside it");
    const next = withAt(patched, path, value === null ? undefined : shortForm(path, value), own);
    if (next === undefined) throw invalid(pointer, "is no place in this card");
    patched = next;
  }
  const accepted = checked(patched as JsonObject, card);
  if (accepted.uid !== card.uid) throw invalid("uid", "cannot be changed");
  return accepted;
}

/** The places in which a pointer is. */
function placesAround(pointer: string): string[] {
  const path = parsePointer(pointer);
  return path.slice(1).map((_, at) => formatPointer(path.slice(0, at + 1)));
}

function invalid(pointer: string, why: string): WaypostError {
  const field = beginningOf(`/${pointer.replace(/^\//, "")}`);
  return new WaypostError("invalid", `${field} ${why}.`, { field });
}

function checked(card: JsonObject, stored: JsonObject): JsonObject {
  const { issues = [] } = cardSchema.safeParse(card).error ?? {};
  const wrong = eachIssue(issues).filter(
    (issue) => !isStored(issue, stored) && !isUnchanged(issue.path, card, stored),
  );
  if (wrong.length > 0) throw refusal(wrong);
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

/** A name that is unknown here came with the stored card, from another program. */
function isStored(issue: z.core.$ZodIssue, stored: JsonObject): boolean {
  if (issue.code !== "unrecognized_keys") return false;
  let place: Json | undefined = stored;
  for (const step of issue.path)
    place = isObject(place) ? member(place, String(step)) : isArray(place) ? place[Number(step)] : undefined;
  return isObject(place) && issue.keys.every((key) => Object.hasOwn(place as JsonObject, key));
}

/** Of what is wrong besides. */
const othersMax = 3;

/** The first issue, and some others in the hint, so that one more call mends all. */
function refusal(issues: readonly z.core.$ZodIssue[]): WaypostError {
  const [first, ...others] = issues.map(saidOf);
  const { field, why, hint } = first!;
  const also = others.slice(0, othersMax).map((one) => `Also ${one.field}: ${one.hint ?? one.why}`);
  const hints = [hint, ...also].filter((one) => one !== undefined);
  return new WaypostError("invalid", `The card is invalid at ${field}: ${why}.`, {
    field,
    ...(hints.length === 0 ? {} : { hint: hints.join(" ") }),
  });
}

function saidOf(issue: z.core.$ZodIssue) {
  const name = issue.code === "unrecognized_keys" ? issue.keys[0]! : undefined;
  const path = [...issue.path.map(String), ...(name === undefined ? [] : [name])];
  const hint = name !== undefined && path.length === 1 ? formOf(name) : forms[path[0]!];
  return { field: beginningOf(`/${formatPointer(path)}`), why: beginningOf(issue.message), hint };
}

/** How members are written. */
const forms: Readonly<Record<string, string>> = {
  __proto__: null as never,
  name: 'name: "Ada Lovelace", or {"components": [{"kind": "given", "value": "Ada"}, {"kind": "surname", "value": "Lovelace"}]}.',
  emails:
    'emails: ["ada@example.com"], or {"k1": {"address": "ada@example.com", "contexts": {"work": true}}}.',
  phones:
    'phones: ["+44 20 7946 0000"], or {"k1": {"number": "+44 20 7946 0000", "features": {"mobile": true}}}.',
  organizations: 'organizations: ["Analytical Engines"], or {"o1": {"name": "Analytical Engines"}}.',
  titles: 'titles: ["Engineer"], or {"t1": {"name": "Engineer"}}.',
  notes: 'notes: ["Prefers mail."], or {"n1": {"note": "Prefers mail."}}.',
  nicknames: 'nicknames: ["Ada"], or {"n1": {"name": "Ada"}}.',
  addresses:
    'addresses: ["12 St James Square, London"], or {"a1": {"full": "12 St James Square, London", "countryCode": "GB"}}.',
  anniversaries: 'anniversaries: {"b1": {"kind": "birth", "date": {"year": 1815, "month": 12, "day": 10}}}.',
  links: 'links: ["https://example.com"], or {"l1": {"uri": "https://example.com"}}.',
  onlineServices: 'onlineServices: {"s1": {"service": "Mastodon", "uri": "https://example.com/@ada"}}.',
  keywords: 'keywords: ["customer"], or {"customer": true}.',
  members: 'members: ["urn:uuid:…"], or {"urn:uuid:…": true}: the uid of each contact, beside kind: "group".',
};

/** What programs write in the place of a member. */
const meant: Readonly<Record<string, string>> = {
  __proto__: null as never,
  mail: "emails",
  phone: "phones",
  tel: "phones",
  mobile: "phones",
  company: "organizations",
  org: "organizations",
  organisation: "organizations",
  jobTitle: "titles",
  role: "titles",
  comment: "notes",
  birthday: "anniversaries",
  url: "links",
  website: "links",
  fullName: "name",
  displayName: "name",
  first: "name",
  last: "name",
  firstName: "name",
  lastName: "name",
  givenName: "name",
  familyName: "name",
  surname: "name",
  tags: "keywords",
  categories: "keywords",
};

function formOf(unknown: string): string {
  const near = Object.keys(forms).find((name) => name === `${unknown}s` || name === `${unknown}es`);
  const plain = unknown.replaceAll(/[_-]/g, "").toLowerCase();
  const known = near ?? Object.entries(meant).find(([name]) => name.toLowerCase() === plain)?.[1];
  return known === undefined
    ? `Known members (RFC 9553): ${Object.keys(cardSchema.shape).join(", ")}.`
    : `Known here: ${forms[known]}`;
}

const shortFields: Readonly<Record<string, string>> = {
  __proto__: null as never,
  emails: "address",
  phones: "number",
  organizations: "name",
  titles: "name",
  notes: "note",
  nicknames: "name",
  addresses: "full",
  links: "uri",
};
/** Members that are sets of texts. */
const sets: readonly string[] = ["keywords", "members"];

function withoutShortForms(body: JsonObject): JsonObject {
  const card: OpenObject = {};
  for (const [key, value] of Object.entries(body)) put(card, key, shortForm([key], value));
  return card;
}

function shortForm(path: readonly string[], value: Json): Json {
  if (path.length !== 1) return value;
  const [key] = path;
  if (key === "name" && typeof value === "string") return { full: value };
  if (sets.includes(key!) && isArray(value) && value.every((text) => typeof text === "string")) {
    const set: OpenObject = {};
    for (const text of value) put(set, text as string, true);
    return set;
  }
  const field = shortFields[key!];
  if (field === undefined || !isArray(value)) return value;
  return Object.fromEntries(
    value.map((text, at) => [`k${at + 1}`, typeof text === "string" ? { [field]: text } : text]),
  );
}

/** The order in which a name is said. */
const spokenOrder = ["title", "given", "given2", "surname", "surname2", "credential", "generation"];

/** A name that has a full text and components, of which a caller changed one: the other is made from it. vCard 3.0 has both (RFC 2426
 *  sections 3.1.1 and 3.1.2), and programs show either. */
function withWholeName(stored: JsonObject, card: JsonObject): JsonObject {
  const [before, name] = [member(stored, "name"), member(card, "name")];
  if (!isObject(before) || !isObject(name)) return card;
  const { full, components } = name;
  if (before.components === undefined || isEqual(before, name)) return card;
  const isFullNew = typeof full === "string" && full !== before.full;
  const areComponentsNew = components !== undefined && !isEqual(components, before.components);
  if (isFullNew && !areComponentsNew)
    return { ...card, name: { ...name, components: componentsOf(full, member(card, "kind")) } };
  if (areComponentsNew && before.full !== undefined && full === before.full)
    return { ...card, name: { ...name, full: fullOf(components) } };
  return card;
}

/** Kinds whose name is not one of a person (RFC 9553 section 2.1.4); programs put it whole into the first field of N. */
const namedWhole: readonly (Json | undefined)[] = ["group", "org", "location", "device", "application"];

/** The last word is the surname. */
function componentsOf(full: string, kind: Json | undefined): Json {
  if (namedWhole.includes(kind)) return [{ kind: "surname", value: full.trim() }];
  const words = full.trim().split(/\s+/);
  const surname = words.length > 1 ? words.pop() : undefined;
  const given = { kind: "given", value: words.join(" ") };
  return surname === undefined ? [given] : [{ kind: "surname", value: surname }, given];
}

function fullOf(components: Json): string {
  const parts = (isArray(components) ? components : []).filter(isObject);
  return spokenOrder
    .flatMap((kind) => parts.filter((part) => part.kind === kind).map(({ value }) => String(value)))
    .join(" ");
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
