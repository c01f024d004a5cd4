/** Input against its schema: the first problem becomes `invalid` with a pointer to it and a hint that shows the right form. */
import { z } from "zod";
import { nearestName } from "#/config/nearest-name.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jsonPointer } from "./json-pointer.ts";

type Issue = z.core.$ZodIssue;

export function parseInput(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw refusalOf(schema, result.error.issues[0]!);
}

function refusalOf(schema: z.ZodType, first: Issue): WaypostError {
  const issue = innermost(first);
  const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0]!] : issue.path;
  const field = jsonPointer(path);
  return new WaypostError("invalid", messageOf(issue, field), { field, hint: hintOf(schema, issue) });
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

function messageOf(issue: Issue, field: string): string {
  const where = field === "" ? "The body" : `The field ${printable(field)}`;
  switch (issue.code) {
    case "invalid_type":
      return `${where} must be ${article(issue.expected)}.`;
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

function hintOf(schema: z.ZodType, issue: Issue): string {
  if (issue.code === "unrecognized_keys") {
    const known = knownFields(schema, issue.path);
    if (known.length === 0) return "Send an empty object: {}.";
    const meant = meantField(schema, issue.path, issue.keys[0]!, known);
    return `${meant === undefined ? "" : `${meant} was meant? `}Known fields: ${known.join(", ")}.`;
  }
  const meaning = schemaAt(schema, issue.path)?.description;
  if (issue.code === "invalid_value") {
    const accepted = `One of: ${issue.values.map(String).join(", ")}.`;
    return meaning === undefined ? accepted : `${accepted} ${meaning}`;
  }
  return meaning ?? "help.describe explains the form of requests.";
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let at: z.ZodType | undefined = schema;
  for (const step of path) {
    const inner: z.ZodType | undefined = at === undefined ? undefined : unwrapped(at);
    if (inner instanceof z.ZodObject) at = inner.shape[String(step)] as z.ZodType | undefined;
    // For an element of a list, the hint describes the list.
    else if (inner instanceof z.ZodArray) return at;
    else return undefined;
  }
  return at;
}

/** The fields of the object at a path, through lists and unions. If several objects are allowed there, the fields of all of them. */
function knownFields(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let places: readonly z.ZodType[] = choicesOf(schema);
  for (const step of path) places = places.flatMap((place) => choicesAt(place, step));
  return [
    ...new Set(places.flatMap((place) => (place instanceof z.ZodObject ? Object.keys(place.shape) : []))),
  ];
}

/** The field that an unknown one stands for: one of a like name, or of the same name in an object inside or outside of this one. */
function meantField(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  unknown: string,
  known: readonly string[],
): string | undefined {
  const nearest = nearestName(unknown, known);
  if (nearest !== undefined) return jsonPointer([...path, nearest]);
  const inner = known.find((name) => knownFields(schema, [...path, name]).includes(unknown));
  if (inner !== undefined) return jsonPointer([...path, inner, unknown]);
  const outer = path.findLastIndex((_, depth) => knownFields(schema, path.slice(0, depth)).includes(unknown));
  return outer === -1 ? undefined : jsonPointer([...path.slice(0, outer), unknown]);
}

function choicesAt(place: z.ZodType, step: PropertyKey): readonly z.ZodType[] {
  if (place instanceof z.ZodArray) return choicesOf(place.element as z.ZodType);
  const inner = place instanceof z.ZodObject ? place.shape[String(step)] : undefined;
  return inner === undefined ? [] : choicesOf(inner as z.ZodType);
}

function choicesOf(schema: z.ZodType): readonly z.ZodType[] {
  const bare = unwrapped(schema);
  return bare instanceof z.ZodUnion ? bare.options.flatMap((one) => choicesOf(one as z.ZodType)) : [bare];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrapped(schema.def.innerType as z.ZodType)
    : schema;
}

function article(expected: string): string {
  const name = expected === "int" ? "integer" : expected;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

/** The name of a field comes from the caller: only its printable beginning is repeated. */
function printable(field: string): string {
  const shown = field.slice(0, 80).replace(/[^\x20-\x7e]/g, "?");
  return field.length > 80 ? `${shown}…` : shown;
}
