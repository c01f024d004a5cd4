/** Input against its schema: the first problem becomes `invalid` with a pointer to it and a hint that shows the right form, and that names some
 *  of the other problems, so that one more call mends all. */
import { z } from "zod";
import { nearestName } from "#/config/nearest-name.ts";
import { eachIssue } from "#/src/formats/jscontact/each-issue.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jsonPointer } from "./json-pointer.ts";

type Issue = z.core.$ZodIssue;

/** `example`: a call as it can be, shown where a field was put beside an object whose fields another standard names. */
export function parseInput(schema: z.ZodType, value: unknown, example?: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = eachIssue(result.error.issues);
  const isMissing = ({ path }: Issue): boolean => valueAt(value, path) === undefined;
  // A name that is not known explains why another one is missing.
  const unknown = issues.find(({ code }) => code === "unrecognized_keys");
  const first = (isMissing(issues[0]!) && unknown) || issues[0]!;
  const others = issues.filter((one) => one !== first && !(unknown !== undefined && isMissing(one)));
  const refusal = refusalOf(schema, first, others.slice(0, othersMax), value);
  const isBeside = issues.some((one) => one.code === "unrecognized_keys" && one.path.length === 0);
  const open = isBeside && knownFields(schema, []).some((name) => isOpenAt(schema, [name]));
  if (!open || example === undefined) throw refusal;
  const hint = `${refusal.details.hint} For example ${JSON.stringify(example)}.`;
  throw new WaypostError("invalid", refusal.message, { ...refusal.details, hint });
}

/** Problems that are told beside the first one. */
const othersMax = 3;

function refusalOf(schema: z.ZodType, first: Issue, others: readonly Issue[], value: unknown): WaypostError {
  const { field, message, hint, known } = saidOf(schema, first, value);
  const also = others.map((other) => {
    const said = saidOf(schema, other, value);
    return `Also: ${said.message} ${said.hint}`.trimEnd();
  });
  return new WaypostError("invalid", message, {
    field,
    hint: [hint, known, ...also].filter(Boolean).join(" "),
  });
}

/** What is said of one problem. `known`: the fields that there are. */
function saidOf(schema: z.ZodType, outer: Issue, value: unknown) {
  const issue = innermost(outer);
  const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0]!] : issue.path;
  const field = jsonPointer(path);
  const given = valueAt(value, path);
  return { field, message: messageOf(issue, field, given), ...hintOf(schema, issue, given) };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const step of path)
    at = typeof at === "object" && at !== null && Object.hasOwn(at, step) ? at[step as never] : undefined;
  return at;
}

/** For a union, the problem of the branch that matched furthest: that branch was most likely meant. */
function innermost(issue: Issue): Issue {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const firsts = issue.errors.flatMap((branch) => branch.slice(0, 1));
  const deepest = firsts.toSorted((a, b) => b.path.length - a.path.length)[0];
  if (deepest === undefined) return issue;
  const inner = innermost(deepest);
  return { ...inner, path: [...issue.path, ...inner.path] };
}

function messageOf(issue: Issue, field: string, given: unknown): string {
  const where = field === "" ? "The body" : `The field ${printable(field)}`;
  if (given === undefined && field !== "") return `${where} is missing.`;
  switch (issue.code) {
    case "invalid_type":
      return `${where} must be ${article(kindNames[issue.expected] ?? issue.expected)}.`;
    case "unrecognized_keys":
      return `${where} is not known here.`;
    case "invalid_value":
      return `${where} is not one of the accepted values.`;
    case "too_big":
      return `${where} is over its maximum of ${issue.maximum}.`;
    case "too_small":
      return `${where} is under its minimum of ${issue.minimum}.`;
    default:
      return `${where} has the wrong form.`;
  }
}

const kindNames: Readonly<Record<string, string>> = { int: "integer", array: "list", record: "object" };

function hintOf(
  schema: z.ZodType,
  issue: Issue,
  given: unknown,
): { readonly hint: string; readonly known?: string } {
  if (issue.code === "unrecognized_keys") {
    const known = knownFields(schema, issue.path);
    if (known.length === 0) return { hint: "Send an empty object: {}." };
    const meant = meantField(schema, issue.path, issue.keys[0]!, known, given);
    const about = issue.path.length === 0 ? undefined : meaningAt(schema, issue.path);
    const fields = `Known fields: ${known.join(", ")}.`;
    return { hint: meant ?? "", known: about === undefined ? fields : `${fields} ${about}` };
  }
  const accepted = issue.code === "invalid_value" ? issue.values : acceptedAt(schema, issue.path);
  const inner = issue.code === "invalid_type" && given !== undefined ? knownFields(schema, issue.path) : [];
  const hint = [
    rewritten(schema, issue, given),
    accepted.length === 0 ? undefined : `One of: ${accepted.map(String).join(", ")}.`,
    inner.length === 0 ? undefined : `Its fields: ${inner.join(", ")}.`,
    meaningAt(schema, issue.path),
  ];
  return {
    hint: hint.filter((one) => one !== undefined).join(" ") || "help.describe explains the form of requests.",
  };
}

/** Programs write null for nothing, a value as text, a list as its text, and one value where a list is expected. */
function rewritten(schema: z.ZodType, issue: Issue, given: unknown): string | undefined {
  if (given === null && mayBeMissing(schema, issue.path)) return "Leave it out if there is none.";
  if (issue.code !== "invalid_type" || given === undefined) return undefined;
  const read = typeof given === "string" && given.length <= textMax ? parsedJson(given) : undefined;
  if (read !== undefined && isOfKind(issue.expected, read)) return "The value itself, without quotes.";
  const written = issue.expected === "array" && leftOf(given, textMax) >= 0 ? JSON.stringify(given) : "";
  if (written === "" || written.length > textMax) return undefined;
  const isElement = choicesAlong(schema, issue.path).some((place) => place.safeParse([given]).success);
  return isElement ? `A list: [${written}].` : undefined;
}

/** What is looked at of a value that has a wrong kind. */
const textMax = 100;

/** What is left of a number of characters after those of a value. Of a long value only the beginning is counted. */
function leftOf(value: unknown, characters: number): number {
  if (typeof value === "string") return characters - value.length;
  if (typeof value !== "object" || value === null) return characters - 1;
  let left = characters;
  for (const [name, inner] of Object.entries(value)) {
    left = leftOf(inner, left - name.length - 1);
    if (left < 0) break;
  }
  return left;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOfKind(expected: string, value: unknown): boolean {
  if (expected === "array") return Array.isArray(value);
  if (expected === "object" || expected === "record") return typeof value === "object" && value !== null;
  return typeof value === (expected === "int" ? "number" : expected);
}

function mayBeMissing(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  const last = path.at(-1);
  return (
    last !== undefined &&
    choicesAlong(schema, path.slice(0, -1))
      .flatMap((outer) => placesAt(outer, last))
      .some((place) => place.safeParse(undefined).success)
  );
}

/** What is said about a place, or about the nearest one that it is in. */
function meaningAt(schema: z.ZodType, path: readonly PropertyKey[]): string | undefined {
  let meaning: string | undefined;
  let places: readonly z.ZodType[] = [schema];
  for (const step of path) {
    places = places.flatMap((place) => placesAt(place, step));
    meaning = places.map(aboutPlace).find((about) => about !== undefined) ?? meaning;
  }
  return meaning;
}

function aboutPlace(place: z.ZodType): string | undefined {
  return place.description ?? (isWrapped(place) ? aboutPlace(place.def.innerType as z.ZodType) : undefined);
}

/** The values of a field, or of the elements of a list, that has few. */
function acceptedAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly (string | number)[] {
  const elements = choicesAlong(schema, path).flatMap((place) =>
    place instanceof z.ZodArray ? choicesAt(place, 0) : [place],
  );
  return elements.flatMap((place) => (place instanceof z.ZodEnum ? place.options : []));
}

/** The fields of the object at a path, through lists and unions. If several objects are allowed there, the fields of all of them. */
function knownFields(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const places = choicesAlong(schema, path);
  return [
    ...new Set(places.flatMap((place) => (place instanceof z.ZodObject ? Object.keys(place.shape) : []))),
  ];
}

/** What is said of the field that an unknown one stands for: one that other interfaces call so, one of a like name, one of the same name in an
 *  object inside or outside of this one, or one that has what was put into it. */
function meantField(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  unknown: string,
  known: readonly string[],
  given: unknown,
): string | undefined {
  const wasMeant = (...place: readonly PropertyKey[]): string => `${jsonPointer(place)} was meant?`;
  const within =
    typeof given === "object" && given !== null && !Array.isArray(given) ? Object.keys(given) : [];
  const hasAll = (fields: readonly string[]): boolean =>
    within.length > 0 && within.every((name) => fields.includes(name));
  if (hasAll(known)) return `Its fields stand beside the others, without ${printable(unknown)} around them.`;
  const plain = unknown.toLowerCase().replaceAll(/[_-]/g, "");
  const open = known.find((name) => isOpenAt(schema, [...path, name]));
  // Of several fields that have the name elsewhere it is the one that takes the value; a day stands for a time of it.
  const called = known.filter((name) => otherNames[name]?.includes(plain));
  const meant = typeof given === "string" && isDay.test(given) ? `${given}T00:00:00` : given;
  const takesIt = (name: string): boolean =>
    choicesAlong(schema, [...path, name]).some((place) => place.safeParse(meant).success);
  const nearest =
    called.find(takesIt) ??
    called.find((name) => name !== open) ??
    known.find((name) => hasAll(knownFields(schema, [...path, name]))) ??
    nearestName(unknown, known);
  if (nearest !== undefined) return wasMeant(...path, nearest);
  const innerOf = (name: string): string | undefined => {
    const fields = knownFields(schema, [...path, name]);
    return fields.includes(unknown) ? unknown : fields.find((field) => otherNames[field]?.includes(plain));
  };
  const inner = known.find((name) => innerOf(name) !== undefined) ?? (within.length > 0 ? undefined : open);
  if (inner !== undefined) return wasMeant(...path, inner, innerOf(inner) ?? unknown);
  if (open !== undefined) return wasMeant(...path, open);
  const outer = path.findLastIndex((_, depth) => knownFields(schema, path.slice(0, depth)).includes(unknown));
  return outer === -1 ? undefined : wasMeant(...path.slice(0, outer), unknown);
}

const isDay = /^\d{4}-\d\d-\d\d$/;

/** Names that other interfaces have for a field, in lower case and without "_" and "-". */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  q: ["query", "text", "subject", "search", "keyword", "keywords", "term", "contains", "name", "to"],
  limit: ["max", "maxresults", "count", "pagesize", "top", "n", "results"],
  since: ["after", "start", "startdate", "datefrom", "fromdate", "starttime"],
  before: ["until", "to", "end", "enddate", "dateto", "todate", "endtime"],
  from: ["sender", "author"],
  with: ["participants", "attendees", "people", "emails", "addresses"],
  zone: ["timezone", "tz"],
  unread: ["read", "isread", "seen", "isunread"],
  folder: ["mailbox", "moveto", "destination", "folderid", "foldername", "infolder", "targetfolder"],
  id: [
    "messageid",
    "message",
    "eventid",
    "event",
    "contactid",
    "ref",
    "objectid",
    "emailid",
    "draftid",
    "holdid",
  ],
  ids: ["messageids", "messages", "idlist"],
  in: ["calendar", "calendarid", "addressbook", "addressbookid", "account", "mailboxid"],
  body: ["message", "mail", "email", "event", "contact", "card", "draft"],
  text: ["content", "body", "message", "bodytext", "plaintext"],
  html: ["bodyhtml", "htmlbody"],
  to: ["recipients", "recipient", "address", "emails"],
  attachments: ["files", "attachment"],
  in_reply_to: ["replyto", "replytomessageid", "replytoid", "inreplytoid"],
  forward_of: ["forward", "forwardof", "forwardid"],
  data: ["content", "base64", "contentbase64", "bytes"],
  name: ["title", "filename", "displayname", "label"],
  path: ["name", "folder", "foldername", "title"],
  type: ["contenttype", "mimetype", "mediatype"],
  part: ["section", "attachment", "attachmentid", "message", "messageid"],
  render: ["format", "view", "as"],
  around: ["q", "query", "find", "search", "word", "words", "keyword", "near"],
  invite: ["notify", "sendinvitations", "sendupdates", "sendinvites"],
  patch: ["changes", "update", "updates", "fields"],
  month: ["date", "yearmonth"],
  add_labels: ["addtags", "tags", "addlabel"],
  time_zone: ["timezone", "tz", "zone"],
  operation: ["op", "name", "tool", "method", "operations"],
  timeout_s: ["timeout", "seconds", "timeoutseconds", "wait"],
  send_at: ["sendat", "schedule", "scheduledat", "when", "sendlater"],
};

/** Whether an object stands there whose fields another standard names. */
function isOpenAt(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  return choicesAlong(schema, path).some((place) => place instanceof z.ZodRecord);
}

function choicesAlong(schema: z.ZodType, path: readonly PropertyKey[]): readonly z.ZodType[] {
  return path.reduce<readonly z.ZodType[]>(
    (places, step) => places.flatMap((place) => choicesAt(place, step)),
    choicesOf(schema),
  );
}

function choicesAt(place: z.ZodType, step: PropertyKey): readonly z.ZodType[] {
  return placesAt(place, step).flatMap(choicesOf);
}

/** With what is said about them. */
function placesAt(place: z.ZodType, step: PropertyKey): readonly z.ZodType[] {
  return choicesOf(place).flatMap((choice) => {
    if (choice instanceof z.ZodArray) return [choice.element as z.ZodType];
    const inner = choice instanceof z.ZodObject ? choice.shape[String(step)] : undefined;
    return inner === undefined ? [] : [inner as z.ZodType];
  });
}

function choicesOf(schema: z.ZodType): readonly z.ZodType[] {
  const bare = unwrapped(schema);
  return bare instanceof z.ZodUnion ? bare.options.flatMap((one) => choicesOf(one as z.ZodType)) : [bare];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return isWrapped(schema) ? unwrapped(schema.def.innerType as z.ZodType) : schema;
}

function isWrapped(schema: z.ZodType): schema is z.ZodOptional | z.ZodDefault | z.ZodNullable {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;
}

function article(name: string): string {
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

/** The name of a field comes from the caller: only its printable beginning is repeated. */
function printable(field: string): string {
  const shown = field.slice(0, 80).replace(/[^\x20-\x7e]/g, "?");
  return field.length > 80 ? `${shown}…` : shown;
}
