/** Parameters of vCard as properties of JSContact and back (RFC 9555 section 2.3). Parameters without a counterpart
 *  in JSContact are in `vCardParams` (RFC 9555 section 2.15.2), and so is the group. */
import type { Parameter, Property } from "../content-lines/content-line.ts";
import { formatTimestamp, readTimestamp } from "../vcard/dates.ts";
import { isObject, type Json, type JsonObject, member, type OpenObject, put } from "./json.ts";
import { fromZone, toZone } from "./time-zone.ts";

interface Mapping {
  readonly field: string;
  readonly read: (value: string) => Json | undefined;
  readonly write: (value: Json) => string | undefined;
}

const text = (field: string): Mapping => ({
  field,
  read: (value) => value,
  write: (value) => (typeof value === "string" ? value : undefined),
});
const number = (field: string, max: number): Mapping => ({
  field,
  read: (value) => (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= max ? Number(value) : undefined),
  write: (value) => (typeof value === "number" ? String(value) : undefined),
});

/** RFC 6715 section 3.2: EXPERTISE has its own words. */
const levels: readonly (readonly [level: string, expertise: string])[] = [
  ["low", "beginner"],
  ["medium", "average"],
  ["high", "expert"],
];
const levelOf = (column: 0 | 1): Mapping => ({
  field: "level",
  read: (value) => levels.find((words) => words[column] === value.toLowerCase())?.[0],
  write: (value) => levels.find(([level]) => level === value)?.[column],
});

const mappings = {
  PREF: number("pref", 100),
  INDEX: number("listAs", 999_999_999),
  MEDIATYPE: text("mediaType"),
  "SERVICE-TYPE": text("service"),
  USERNAME: text("user"),
  LEVEL: levelOf(0),
  EXPERTISE: levelOf(1),
  CREATED: {
    field: "created",
    read: (value) => readTimestamp(value),
    write: (value) => (typeof value === "string" ? formatTimestamp(value) : undefined),
  },
  CC: text("countryCode"),
  // RFC 6350 section 6.3.1 has line ends as in values, RFC 6868 has them as the reader of lines decodes them.
  LABEL: { ...text("full"), read: (value) => value.replaceAll(/\\n/gi, "\n") },
  GEO: {
    field: "coordinates",
    read: (value) => (/^geo:/i.test(value) ? value : undefined),
    write: (value) => (typeof value === "string" && /^geo:/i.test(value) ? value : undefined),
  },
  TZ: {
    field: "timeZone",
    read: (value) => toZone(value),
    write: (value) => (typeof value === "string" ? fromZone(value) : undefined),
  },
} satisfies Record<string, Mapping>;
export type MappedParameter = keyof typeof mappings;

/** Maps values of TYPE to keys of a set. */
export interface TypeMapping {
  readonly field: "contexts" | "features" | "relation";
  /** undefined: all values that no other mapping has. */
  readonly words?: ReadonlyMap<string, string>;
}

const contextWords = [
  ["home", "private"],
  ["work", "work"],
] as const;
export const contexts: TypeMapping = { field: "contexts", words: new Map(contextWords) };
export const addressContexts: TypeMapping = {
  field: "contexts",
  words: new Map([...contextWords, ["billing", "billing"], ["delivery", "delivery"]]),
};
export const features: TypeMapping = {
  field: "features",
  words: new Map([
    ["cell", "mobile"],
    ...["voice", "text", "video", "main-number", "textphone", "fax", "pager"].map(
      (word) => [word, word] as const,
    ),
  ]),
};
export const relation: TypeMapping = { field: "relation" };

export interface ParameterPlan {
  readonly mapped: readonly MappedParameter[];
  readonly types: readonly TypeMapping[];
  /** Parameters that are read elsewhere or follow from the value. */
  readonly ignored?: readonly string[];
}

/** For all properties: the id is the key of the entry, and localizations are separated before. */
const alwaysIgnored = new Set(["PROP-ID", "ALTID", "LANGUAGE"]);

export function readParameters(property: Property, plan: ParameterPlan): OpenObject {
  const object: OpenObject = {};
  const left: OpenObject = {};
  for (const { name, values } of property.parameters) {
    if (alwaysIgnored.has(name) || plan.ignored?.includes(name)) continue;
    if (name === "TYPE") readTypes(values, plan.types, object, left);
    else {
      const mapping = mappingOf(name, plan);
      const value = values.length === 1 ? mapping?.read(values[0]!) : undefined;
      if (mapping !== undefined && value !== undefined && member(object, mapping.field) === undefined)
        put(object, mapping.field, value);
      else addLeft(left, name.toLowerCase(), values);
    }
  }
  if (Object.keys(left).length > 0) object.vCardParams = left;
  return object;
}

function mappingOf(name: string, { mapped }: ParameterPlan): Mapping | undefined {
  if (name === "LEVEL" && mapped.includes("EXPERTISE")) return mappings.EXPERTISE;
  return mapped.find((parameter) => parameter === name && parameter !== "EXPERTISE") === undefined
    ? undefined
    : mappings[name as MappedParameter];
}

function addLeft(left: OpenObject, name: string, values: readonly string[]): void {
  const before = member(left, name);
  const all = [...(before === undefined ? [] : [before].flat()), ...values] as string[];
  put(left, name, all.length === 1 ? all[0]! : all);
}

function readTypes(
  values: readonly string[],
  types: readonly TypeMapping[],
  object: OpenObject,
  left: OpenObject,
): void {
  for (const word of values.flatMap((value) => value.split(","))) {
    const lower = word.toLowerCase();
    const mapping = types.find(({ words }) => words === undefined || words.has(lower));
    if (mapping === undefined || lower === "") addLeft(left, "type", [word]);
    else {
      const set: OpenObject = { ...(member(object, mapping.field) as JsonObject | undefined) };
      put(set, mapping.words?.get(lower) ?? lower, true);
      put(object, mapping.field, set);
    }
  }
}

export function writeParameters(value: JsonObject, plan: ParameterPlan): Parameter[] {
  const parameters: Parameter[] = [];
  for (const name of plan.mapped) {
    const mapping: Mapping = mappings[name];
    const inner = member(value, mapping.field);
    const written = inner === undefined ? undefined : mapping.write(inner);
    if (written !== undefined)
      parameters.push({ name: name === "EXPERTISE" ? "LEVEL" : name, values: [written] });
  }
  const types = plan.types.flatMap(({ field, words }) => {
    const set = member(value, field);
    if (!isObject(set)) return [];
    return Object.keys(set).flatMap((key) => {
      if (words === undefined) return parameterWord.test(key) ? [key] : [];
      const word = [...words].find(([, name]) => name === key)?.[0];
      return word === undefined ? [] : [word];
    });
  });
  const { type, group: _, ...others } = leftParameters(value);
  const allTypes = [...types, ...(type ?? [])];
  if (allTypes.length > 0) parameters.push({ name: "TYPE", values: allTypes });
  for (const [name, values] of Object.entries(others))
    if (parameterWord.test(name)) parameters.push({ name: name.toUpperCase(), values });
  return parameters;
}

const parameterWord = /^[A-Za-z0-9-]+$/;

function leftParameters(value: JsonObject): Record<string, readonly string[]> {
  const left = member(value, "vCardParams");
  if (!isObject(left)) return {};
  return Object.fromEntries(
    Object.entries(left).map(([name, values]) => [
      name.toLowerCase(),
      [values].flat().filter((each): each is string => typeof each === "string"),
    ]),
  );
}

/** The group in the `vCardParams` of an object (RFC 7095 section 7.1). */
export function groupOf(value: Json | undefined): string | undefined {
  const group = isObject(value) ? leftParameters(value).group?.[0] : undefined;
  return group !== undefined && parameterWord.test(group) ? group : undefined;
}
