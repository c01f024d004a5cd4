/** The properties of the table (`understood.ts`) that a declaration sets, by its name, and their values. */
import { asciiLower } from "./ascii-case.ts";
import { isNeutralName, isUnknownToBrowsers } from "./neutral.ts";
import { type Declared, type Shorthand, shorthands, unknownValue } from "./shorthands.ts";
import { insideOf, trimSpace } from "./tokens.ts";
import { isEngineName, reachOf, understoodNames, understoodOf } from "./understood.ts";
import { componentsOf, type Value, wideKeywords, wordOf, words } from "./value-forms.ts";

/** Stands for a value that is not understood, and changes only what the element itself paints. */
export const unknownInside: Value = [{ type: "function", value: "unknown-inside" }];
const colourFilters = words("brightness contrast grayscale invert saturate sepia hue-rotate opacity");

function unknownOf(name: string, value: Value): Value {
  const functions = componentsOf(value).map(([token]) =>
    token?.type === "function" ? asciiLower(token.value) : "",
  );
  const isInside = name === "filter" && functions.every((one) => colourFilters.has(one));
  return isInside || (name === "transform" && isNothing(value, functions)) ? unknownInside : unknownValue;
}

/** Scaled to nothing: it is not painted, whatever else is in it (CSS Transforms 1, section 6: the matrix has no inverse). */
function isNothing(value: Value, functions: readonly string[]): boolean {
  const inner = insideOf(value).filter(({ type }) => type !== "space");
  const [scale] = inner;
  return functions.join() === "scale" && inner.length === 1 && scale?.type === "number" && scale.number === 0;
}

export function hasVariable(value: Value): boolean {
  return value.some((token) => token.type === "function" && asciiLower(token.value) === "var");
}

/** The sides of a box by the direction of lines. The start of a line counts as left and its end as right in every direction, because
 *  distances are judged by their sum. */
const logicalSides = [
  ["inline-start", "left"],
  ["inline-end", "right"],
  ["block-start", "top"],
  ["block-end", "bottom"],
] as const;

/** Other names of properties. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["word-wrap", "overflow-wrap"],
  ...["", "min-", "max-"].flatMap((most): [string, string][] => [
    [`${most}inline-size`, `${most}width`],
    [`${most}block-size`, `${most}height`],
  ]),
  ...logicalSides.flatMap(([logical, side]): [string, string][] => [
    [`inset-${logical}`, side],
    [`margin-${logical}`, `margin-${side}`],
    [`padding-${logical}`, `padding-${side}`],
    [`border-${logical}-width`, `border-${side}-width`],
    [`border-${logical}-style`, `border-${side}-style`],
  ]),
]);

/** Properties of the table that are the same with WebKit's prefix. Other properties of the table are not. */
const prefixed = words(
  "align-content align-items align-self animation animation-name appearance backface-visibility backdrop-filter " +
    "background-clip background-origin background-size border-image border-radius box-shadow box-sizing clip-path columns " +
    "column-count column-width filter mask mask-image mask-border-source opacity transform writing-mode text-decoration-line " +
    "box-decoration-break flex flex-basis flex-direction flex-flow flex-grow flex-shrink flex-wrap order",
);
const prefixedSides: ReadonlyMap<string, string> = new Map(
  [
    ["start", "left"],
    ["end", "right"],
    ["before", "top"],
    ["after", "bottom"],
  ].flatMap(([name, side]) => [
    [`-webkit-margin-${name}`, `margin-${side}`] as const,
    [`-webkit-padding-${name}`, `padding-${side}`] as const,
  ]),
);

/** The name that the tables have for a property with an alias or with WebKit's prefix. */
function plainName(name: string): string {
  if (isTabled(name)) return name;
  if (name.startsWith("-webkit-")) {
    const plain = name.slice("-webkit-".length);
    return prefixedSides.get(name) ?? (isTabled(plain) && !prefixed.has(plain) ? name : plain);
  }
  return aliases.get(name) ?? name;
}

function isTabled(name: string): boolean {
  return understoodOf(name) !== undefined || shorthands.has(name);
}

/** What a declaration sets: a neutral property, some properties of the table, or an unknown property. */
export type Subject =
  /** In `neutral.ts`, which says for which values it is neutral. */
  | { readonly kind: "neutral"; readonly name: string }
  | {
      readonly kind: "properties";
      readonly names: readonly string[];
      readonly shorthand: Shorthand | undefined;
    }
  | { readonly kind: "unknown"; readonly name: string }
  /** No engine has a property with the name: every browser drops the declaration (CSS Syntax Level 3 section 2.2). */
  | { readonly kind: "inert"; readonly name: string };

const subjects = new Map<string, Subject>();
const everything = understoodNames.filter((name) => name !== "direction" && name !== "unicode-bidi");

export function subjectOf(property: string): Subject {
  const known = subjects.get(property);
  if (known !== undefined) return known;
  const subject = findSubject(property);
  // Senders choose the names, so only names of the table are kept.
  if (subject.kind === "properties") subjects.set(property, subject);
  return subject;
}

function findSubject(property: string): Subject {
  if (property === "all") return { kind: "properties", names: everything, shorthand: undefined };
  const name = plainName(property);
  const shorthand = shorthands.get(name);
  if (shorthand !== undefined) return { kind: "properties", names: shorthand.names, shorthand };
  if (understoodOf(name) !== undefined) return { kind: "properties", names: [name], shorthand: undefined };
  for (const one of [property, name])
    if (isNeutralName(one) || isUnknownToBrowsers(one)) return { kind: "neutral", name: one };
  return isEngineName(property) || isEngineName(name) ? { kind: "unknown", name } : { kind: "inert", name };
}

/** Properties whose colours need no "#" and whose lengths need no unit in quirks mode (Quirks Mode sections 3.1 and 3.2). */
const hasQuirk =
  /^(?:color|background-color|border-spacing|border(?:-(?:top|right|bottom|left))?-width|top|right|bottom|left|font-size|(?:max-|min-)?(?:width|height)|letter-spacing|word-spacing|(?:margin|padding)(?:-(?:top|right|bottom|left))?|text-indent|vertical-align)$/;

/** The value that a declaration sets for each property; none if a browser drops the declaration. A value with `var()` stays as it is,
 *  for every property that it may set. */
export function expand(property: string, value: Value, isQuirkyPage: boolean): readonly Declared[] {
  const subject = subjectOf(property);
  if (subject.kind !== "properties" || value.length === 0) return [];
  const { names, shorthand } = subject;
  const isQuirky = isQuirkyPage && hasQuirk.test(property);
  const forAll = (one: Value): Declared[] => names.map((name) => ({ name, value: one }));
  if (wideKeywords.has(wordOf(value)) || hasVariable(value)) return forAll(value);
  if (property === "all") return [];
  // A keyword of all properties must stand alone. But the name of a font family may have several words.
  if (componentsOf(value).some((part) => wideKeywords.has(wordOf(part))))
    return /^font(?:-family)?$/.test(property) ? forAll(unknownValue) : [];
  const split = shorthand?.split(trimSpace(value), isQuirky) ?? forAll(value);
  const hasFunction = value.some(({ type }) => type === "function");
  if (split === "dropped") return hasFunction ? forAll(unknownValue) : [];
  if (split === "unknown") return forAll(unknownValue);
  const declared: Declared[] = [];
  for (const one of split) {
    const reading =
      one.value === unknownValue ? "unknown" : understoodOf(one.name)!.form(one.value, isQuirky);
    if (reading === "dropped") return hasFunction && one.name !== "filter" ? forAll(unknownValue) : [];
    declared.push(reading === "unknown" ? { name: one.name, value: unknownOf(one.name, one.value) } : one);
  }
  return declared;
}

export function reachOfProperty(property: string): ReturnType<typeof reachOf> {
  return reachOf(plainName(property), property.startsWith("-webkit-"));
}
