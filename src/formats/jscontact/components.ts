/** Structured values as components: names and addresses (RFC 9555 section 2.5 and 2.6). JSCOMPS has
 *  the order and the separators of ordered components (section 3.3.1):
 *  jscomps = [separator] *(";" (position ["," index] / separator)); separator = "s," text */
import { splitEscaped } from "../vcard/values.ts";
import { isArray, isObject, type Json, type JsonObject, member, type OpenObject } from "./json.ts";

export interface ComponentPlan {
  /** The kind of each position of the structured value. */
  readonly kinds: readonly string[];
  /** Positions that repeat the value of another position for older programs: `[repeating, original]`. */
  readonly repeated: readonly (readonly [number, number])[];
}

/** RFC 6350 section 6.2.2 and RFC 9554 section 2.2. */
export const namePlan: ComponentPlan = {
  kinds: ["surname", "given", "given2", "title", "credential", "surname2", "generation"],
  repeated: [
    [0, 5],
    [4, 6],
  ],
};

/** RFC 6350 section 6.3.1 and RFC 9554 section 2.1. */
export const addressPlan: ComponentPlan = {
  kinds: [
    "postOfficeBox",
    "apartment",
    "name",
    "locality",
    "region",
    "postcode",
    "country",
    "room",
    "apartment",
    "floor",
    "number",
    "name",
    "building",
    "block",
    "subdistrict",
    "district",
    "landmark",
    "direction",
  ],
  repeated: [
    ...[7, 8, 9].map((original): [number, number] => [1, original]),
    ...[10, 11, 12, 13, 14, 15, 16, 17].map((original): [number, number] => [2, original]),
  ],
};

export interface Components {
  readonly components: readonly JsonObject[];
  readonly isOrdered?: true;
  readonly defaultSeparator?: string;
  /** The position of each component in the structured value; separators have none. */
  readonly places: readonly (readonly [position: number, index: number] | undefined)[];
}

export function readComponents(
  structured: readonly (readonly string[])[],
  jscomps: string | undefined,
  plan: ComponentPlan,
): Components {
  return (
    (jscomps === undefined ? undefined : readOrdered(structured, jscomps, plan)) ??
    readUnordered(structured, plan)
  );
}

function readUnordered(structured: readonly (readonly string[])[], plan: ComponentPlan): Components {
  const components: JsonObject[] = [];
  const places: [number, number][] = [];
  const repeats = repeatedTexts(structured, plan);
  structured.forEach((texts, position) => {
    const kind = plan.kinds[position];
    texts.forEach((value, index) => {
      if (kind === undefined || repeats(position, value)) return;
      components.push({ kind, value });
      places.push([position, index]);
    });
  });
  return { components, places };
}

/** Street and extension of an address repeat the newer components if there is one, possibly in other words. */
function repeatedTexts(structured: readonly (readonly string[])[], plan: ComponentPlan) {
  const isAddress = plan === addressPlan;
  const isNewer = isAddress && structured.slice(7).some((texts) => texts.length > 0);
  return (position: number, text: string): boolean =>
    isAddress
      ? isNewer && (position === 1 || position === 2)
      : plan.repeated.some(([at, original]) => at === position && structured[original]?.includes(text));
}

function readOrdered(
  structured: readonly (readonly string[])[],
  jscomps: string,
  plan: ComponentPlan,
): Components | undefined {
  const [first, ...entries] = splitEscaped(jscomps, ";").map((entry) => splitEscaped(entry, ","));
  const components: JsonObject[] = [];
  const places: (readonly [number, number] | undefined)[] = [];
  for (const [place, second] of entries) {
    if (place === "s" && second !== undefined) {
      components.push({ kind: "separator", value: unescaped(second) });
      places.push(undefined);
      continue;
    }
    const [position, index] = [Number(place), Number(second ?? "0")];
    const value = structured[position]?.[index];
    if (value === undefined || plan.kinds[position] === undefined) return undefined;
    components.push({ kind: plan.kinds[position], value });
    places.push([position, index]);
  }
  const separator = first?.[0] === "s" ? first[1] : undefined;
  return {
    components,
    places,
    isOrdered: true,
    ...(separator === undefined ? {} : { defaultSeparator: unescaped(separator) }),
  };
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([\\,;])/g, "$1");
}

function escaped(text: string): string {
  return text.replaceAll(/[\\,;]/g, "\\$&");
}

export interface WrittenComponents {
  readonly structured: readonly (readonly string[])[];
  /** The same with the phonetic values, if a component has one. */
  readonly phonetic: readonly (readonly string[])[] | undefined;
  readonly jscomps: string | undefined;
}

/** A component of an unknown kind has no position and is left out. */
export function writeComponents(value: JsonObject, plan: ComponentPlan): WrittenComponents {
  const listed = member(value, "components");
  const components = (isArray(listed) ? listed : []).filter(isObject);
  const isNewer =
    plan !== addressPlan || components.some((component) => placeOf(component, plan, false) >= 7);
  const structured: string[][] = plan.kinds.map(() => []);
  const phonetic: string[][] = plan.kinds.map(() => []);
  const separator = member(value, "defaultSeparator");
  const entries = [typeof separator === "string" ? `s,${escaped(separator)}` : ""];
  for (const component of components) {
    const text = textOf(component, "value");
    if (component.kind === "separator") {
      entries.push(`s,${escaped(text)}`);
      continue;
    }
    const position = placeOf(component, plan, isNewer);
    if (position < 0 || text === "") continue;
    const index = structured[position]!.push(text) - 1;
    phonetic[position]!.push(textOf(component, "phonetic"));
    entries.push(index === 0 ? `${position}` : `${position},${index}`);
  }
  for (const [repeating, original] of isNewer ? plan.repeated : []) {
    structured[repeating]!.push(...structured[original]!);
    phonetic[repeating]!.push(...phonetic[original]!);
  }
  const used = structured.slice(plan === addressPlan ? 7 : 5).some((texts) => texts.length > 0);
  const length = used ? plan.kinds.length : plan === addressPlan ? 7 : 5;
  return {
    structured: structured.slice(0, length),
    phonetic: phonetic.flat().some((text) => text !== "") ? phonetic.slice(0, length) : undefined,
    jscomps: member(value, "isOrdered") === true ? entries.join(";") : undefined,
  };
}

function textOf(component: JsonObject, field: string): string {
  const text = member(component, field);
  return typeof text === "string" ? text : "";
}

/** The position of a kind. If there are two, it is the newer one for a value that uses newer positions. */
function placeOf(component: JsonObject, { kinds }: ComponentPlan, isNewer: boolean): number {
  const kind = member(component, "kind");
  if (typeof kind !== "string") return -1;
  return isNewer ? kinds.lastIndexOf(kind) : kinds.indexOf(kind);
}

/** The components with the phonetic values that a second structured value has at the same places (RFC 9554 section 4.6). */
export function withPhonetics(
  { components, places }: Components,
  phonetic: readonly (readonly string[])[],
): JsonObject[] {
  return components.map((component, at) => {
    const place = places[at];
    const text = place === undefined ? undefined : phonetic[place[0]]?.[place[1]];
    return text === undefined || text === "" ? component : { ...component, phonetic: text };
  });
}

export function componentFields({ components, isOrdered, defaultSeparator }: Components): OpenObject {
  return {
    components,
    ...(isOrdered === undefined ? {} : { isOrdered }),
    ...(defaultSeparator === undefined ? {} : { defaultSeparator }),
  };
}

/** The text of a name or address that has only components. */
export function textOfComponents(value: Json | undefined): string {
  if (!isObject(value)) return "";
  const full = member(value, "full");
  if (typeof full === "string") return full;
  const listed = member(value, "components");
  const components = (isArray(listed) ? listed : []).filter(isObject);
  const separator = member(value, "defaultSeparator");
  const between = typeof separator === "string" && value.isOrdered === true ? separator : " ";
  let text = "";
  components.forEach((component, at) => {
    const isJoined = at > 0 && component.kind !== "separator" && components[at - 1]!.kind !== "separator";
    text += `${isJoined ? between : ""}${textOf(component, "value")}`;
  });
  return text;
}
