/** The properties that decide whether text is seen, and which values each takes: a declaration that a browser would drop
 *  must not stand in the way of the one before it. */
import { black, type Colour, colourOf } from "./colour.ts";
import { angleOf, type LengthBasis, lengthOf, numberOf } from "./length.ts";
import { type CssToken, skipComponent, splitByComma, trimSpace } from "./tokens.ts";

export type Value = readonly CssToken[];
export type Longhands = readonly (readonly [property: string, value: Value])[];

interface Longhand {
  readonly isInherited?: true;
  takes(value: Value, isQuirky: boolean): boolean;
}

/** Values of any size do for telling whether something is a length. */
const anyBasis: LengthBasis = { fontSize: 16, lineHeight: 20, whole: 100, isQuirky: false };
const quirkyBasis: LengthBasis = { ...anyBasis, isQuirky: true };

const isLength = (value: Value, isQuirky = false): boolean =>
  lengthOf(value, isQuirky ? quirkyBasis : anyBasis) !== undefined;
const isNumber = (value: Value): boolean => numberOf(value, 1) !== undefined;
const isColour = (value: Value, isQuirky = false): boolean => colourOf(value, black, isQuirky) !== undefined;

export function wordOf(value: Value): string {
  const [token] = value;
  return value.length === 1 && token?.type === "ident" ? token.value.toLowerCase() : "";
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

function keyword(text: string): Longhand {
  const known = words(text);
  return { takes: (value) => known.has(wordOf(value)) };
}

function either(text: string, other: (value: Value, isQuirky: boolean) => boolean): Longhand {
  const known = words(text);
  return { takes: (value, isQuirky) => known.has(wordOf(value)) || other(value, isQuirky) };
}

const inherited = (longhand: Longhand): Longhand => ({ ...longhand, isInherited: true });

const sizes = "auto none min-content max-content fit-content -webkit-fill-available stretch intrinsic";
const isSize = (value: Value, isQuirky: boolean): boolean => {
  const [token] = value;
  if (token !== undefined && "number" in token && token.number < 0) return false;
  return isLength(value, isQuirky) || isFunction(value, "fit-content");
};
const displays = words(
  "none block inline inline-block list-item flow-root contents flex inline-flex grid inline-grid table inline-table " +
    "table-row-group table-header-group table-footer-group table-row table-cell table-column-group table-column " +
    "table-caption ruby ruby-base ruby-text ruby-base-container ruby-text-container run-in math -webkit-box " +
    "-webkit-inline-box -webkit-flex -webkit-inline-flex -ms-flexbox flow",
);
const overflows = "visible hidden clip scroll auto overlay";
const offset = either("auto", isLength);
const fontSizes = words("xx-small x-small small medium large x-large xx-large xxx-large smaller larger math");

const longhands: ReadonlyMap<string, Longhand> = new Map<string, Longhand>([
  [
    "display",
    {
      takes: (value) =>
        value.every(
          (token) =>
            token.type === "space" || (token.type === "ident" && displays.has(token.value.toLowerCase())),
        ) && value.length > 0,
    },
  ],
  ["visibility", inherited(keyword("visible hidden collapse"))],
  ["opacity", { takes: isNumber }],
  [
    "font-size",
    inherited({ takes: (value, isQuirky) => fontSizes.has(wordOf(value)) || isSize(value, isQuirky) }),
  ],
  ["line-height", inherited(either("normal", (value) => isLength(value) || isNumber(value)))],
  ["color", inherited({ takes: isColour })],
  ["-webkit-text-fill-color", inherited({ takes: isColour })],
  ["background-color", { takes: isColour }],
  [
    "background-image",
    { takes: (value) => splitByComma(value).every((layer) => wordOf(layer) === "none" || isImage(layer)) },
  ],
  ["background-size", { takes: () => true }],
  ["background-clip", { takes: (value) => splitByComma(value).every((layer) => clips.has(wordOf(layer))) }],
  ["text-indent", inherited({ takes: (value, isQuirky) => isLength(firstLength(value), isQuirky) })],
  ["letter-spacing", inherited(either("normal", isLength))],
  ["white-space", inherited(keyword("normal pre nowrap pre-wrap pre-line break-spaces"))],
  ["width", either(sizes, isSize)],
  ["height", either(sizes, isSize)],
  ["max-width", either(sizes, isSize)],
  ["max-height", either(sizes, isSize)],
  ["min-width", either(sizes, isSize)],
  ["min-height", either(sizes, isSize)],
  ["overflow-x", keyword(overflows)],
  ["overflow-y", keyword(overflows)],
  ["position", keyword("static relative absolute fixed sticky -webkit-sticky")],
  ["float", keyword("none left right inline-start inline-end")],
  ["z-index", either("auto", isNumber)],
  ...[
    "padding-top",
    "padding-bottom",
    "left",
    "right",
    "top",
    "bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "margin-bottom",
  ].map((name): [string, Longhand] => [name, offset]),
  ["clip", either("auto", (value) => isFunction(value, "rect"))],
  ["clip-path", { takes: isAnyFunctionOrWord }],
  ["transform", either("none", isFunctionList)],
  ["translate", either("none", (value) => isLength(value.slice(0, 1)) || isFunctionList(value.slice(0, 1)))],
  ["scale", either("none", (value) => isNumber(value.slice(0, 1)))],
  ["rotate", either("none", (value) => value.some((token) => angleOf([token]) !== undefined))],
  ["zoom", either("normal reset", isNumber)],
  ["filter", either("none", (value) => isFunctionList(value) || value[0]?.type === "url")],
  ["mask-image", { takes: () => true }],
  ["content-visibility", keyword("visible hidden auto")],
  ["mso-hide", keyword("all none screen")],
  ["-webkit-text-security", inherited(keyword("none disc circle square"))],
  ["font-size-adjust", inherited(either("none from-font", isNumber))],
  ["animation-name", { takes: () => true }],
  ["animation-fill-mode", { takes: () => true }],
]);

const clips = words("border-box padding-box content-box text border-area");

const boxes: readonly string[] = ["top", "right", "bottom", "left"];
/** Shorthands, and other names of the same. */
const shorthands: ReadonlyMap<string, (value: Value, isQuirky: boolean) => Longhands | undefined> = new Map([
  ["background", background],
  ["font", font],
  ["overflow", (value) => pair(["overflow-x", "overflow-y"], value)],
  [
    "padding",
    (value) => fourSides(value, (side) => `padding-${side}`)?.filter(([name]) => longhands.has(name)),
  ],
  ["margin", (value) => fourSides(value, (side) => `margin-${side}`)],
  ["inset", (value) => fourSides(value, (side) => side)],
  ["inset-inline", (value) => pair(["left", "right"], value)],
  ["inset-block", (value) => pair(["top", "bottom"], value)],
  ["margin-inline", (value) => pair(["margin-left", "margin-right"], value)],
  ["margin-block", (value) => pair(["margin-top", "margin-bottom"], value)],
  ["mask", (value) => [["mask-image", value]]],
  ["animation", animation],
  ...Object.entries({
    "-webkit-mask": "mask-image",
    "-webkit-mask-image": "mask-image",
    "-webkit-transform": "transform",
    "-ms-transform": "transform",
    "-moz-transform": "transform",
    "-webkit-filter": "filter",
    "-webkit-clip-path": "clip-path",
    "-webkit-background-clip": "background-clip",
    "-moz-background-clip": "background-clip",
    "-webkit-animation-name": "animation-name",
    "-webkit-animation-fill-mode": "animation-fill-mode",
    "inline-size": "width",
    "block-size": "height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "min-inline-size": "min-width",
    "min-block-size": "min-height",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-inline-end": "margin-right",
    "margin-block-start": "margin-top",
    "margin-block-end": "margin-bottom",
    "overflow-inline": "overflow-x",
    "overflow-block": "overflow-y",
  }).map(([alias, name]): [string, (value: Value) => Longhands] => [alias, (value) => [[name, value]]]),
  ["-webkit-animation", animation],
] as [string, (value: Value, isQuirky: boolean) => Longhands | undefined][]);

const shorthandNames: ReadonlyMap<string, readonly string[]> = new Map([
  ["background", ["background-color", "background-image", "background-size", "background-clip"]],
  ["font", ["font-size", "line-height"]],
  ["all", [...longhands.keys()]],
]);

export function keepsProperty(name: string): boolean {
  return longhands.has(name) || shorthands.has(name) || name === "all" || name.startsWith("--");
}

export function isInheritedProperty(name: string): boolean {
  return longhands.get(name)?.isInherited === true;
}

export const wideKeywords = words("inherit initial unset revert revert-layer");

/** What a declaration says of each longhand; undefined when it is not valid. A value with variables in it is handed on as
 *  it is, for every longhand that it may be about. */
export function expand(property: string, value: Value, isQuirky: boolean): Longhands | undefined {
  if (value.length === 0) return undefined;
  if (wideKeywords.has(wordOf(value)) || hasVariable(value))
    return longhandsOf(property).map((name): readonly [string, Value] => [name, value]);
  const longhand = longhands.get(property);
  if (longhand !== undefined) return longhand.takes(value, isQuirky) ? [[property, value]] : undefined;
  const expanded = shorthands.get(property)?.(value, isQuirky);
  return expanded?.every(([name, one]) => longhands.get(name)!.takes(one, isQuirky)) ? expanded : undefined;
}

const example: Value = [{ type: "number", number: 0, isSigned: false }];

function longhandsOf(property: string): readonly string[] {
  if (longhands.has(property)) return [property];
  return (
    shorthandNames.get(property) ??
    shorthands
      .get(property)?.(example, false)
      ?.map(([name]) => name) ??
    []
  );
}

export function hasVariable(value: Value): boolean {
  return value.some(
    (token) => token.type === "function" && ["var", "env", "attr", "if"].includes(token.value.toLowerCase()),
  );
}

function isFunction(value: Value, name: string): boolean {
  const [token] = value;
  return (
    token?.type === "function" &&
    token.value.toLowerCase() === name &&
    skipComponent(value, 0) === value.length
  );
}

function isFunctionList(value: Value): boolean {
  for (let at = 0; at < value.length; at = skipComponent(value, at)) {
    const { type } = value[at]!;
    if (type !== "space" && type !== "function" && type !== "url") return false;
  }
  return value.length > 0;
}

function isAnyFunctionOrWord(value: Value): boolean {
  const [token] = value;
  return token?.type === "function" || token?.type === "url" || token?.type === "ident";
}

export function isGradient(value: Value): boolean {
  const [token] = value;
  return token?.type === "function" && token.value.toLowerCase().includes("gradient");
}

/** Colours that a gradient goes through. */
export function gradientStops(gradient: Value, current: Colour): Colour[] {
  const stops: Colour[] = [];
  for (const stop of splitByComma(gradient.slice(1, -1)))
    for (const part of componentsOf(stop)) {
      const colour = colourOf(part, current, false);
      if (colour !== undefined) stops.push(colour);
    }
  return stops;
}

function isImage(value: Value): boolean {
  const [token] = value;
  if (token?.type === "url") return value.length === 1;
  return token?.type === "function" && skipComponent(value, 0) === value.length;
}

/** Components of a value that stand between spaces. */
export function componentsOf(value: Value): Value[] {
  const components: Value[] = [];
  for (let at = 0; at < value.length; ) {
    const end = skipComponent(value, at);
    if (value[at]!.type !== "space") components.push(value.slice(at, end));
    at = end;
  }
  return components;
}

function firstLength(value: Value): Value {
  const components = componentsOf(value);
  return components.find((one) => wordOf(one) === "") ?? [];
}

function pair([first, second]: readonly [string, string], value: Value): Longhands | undefined {
  const [one, two = one, ...more] = componentsOf(value);
  if (one === undefined || two === undefined || more.length > 0) return undefined;
  return [
    [first, one],
    [second, two],
  ];
}

function fourSides(value: Value, nameOf: (side: string) => string): Longhands | undefined {
  const parts = componentsOf(value);
  const [top, right = top, bottom = top, left = right] = parts;
  if (top === undefined || parts.length > 4) return undefined;
  const sides = [top, right, bottom, left] as Value[];
  return boxes.map((side, index) => [nameOf(side), sides[index]!]);
}

const backgroundWords = words(
  "repeat no-repeat repeat-x repeat-y round space scroll fixed local left right top bottom center cover contain auto " +
    "border-box padding-box content-box text none",
);
const noneWord: Value = [{ type: "ident", value: "none" }];
const autoWord: Value = [{ type: "ident", value: "auto" }];
const comma: CssToken = { type: "," };

function background(value: Value, isQuirky: boolean): Longhands | undefined {
  const layers = splitByComma(value);
  let colour: Value = [{ type: "ident", value: "transparent" }];
  const images: CssToken[] = [];
  const laidOut: CssToken[] = [];
  let isText = false;
  for (const [index, layer] of layers.entries()) {
    let image: Value = noneWord;
    let size: Value = autoWord;
    for (const component of componentsOf(layer)) {
      const [token] = component;
      const word = wordOf(component);
      if (isColour(component, isQuirky)) {
        if (index < layers.length - 1) return undefined;
        colour = component;
      } else if (isImage(component) && !isLength(component)) image = component;
      else if (word === "text") isText = true;
      else if (word === "no-repeat") size = [{ type: "ident", value: "partly" }];
      else if (
        !backgroundWords.has(word) &&
        !isLength(component, isQuirky) &&
        !(token?.type === "delim" && token.value === "/")
      )
        return undefined;
      if (token?.type === "delim" && token.value === "/") size = [{ type: "ident", value: "partly" }];
      if (word === "cover") size = autoWord;
    }
    if (index > 0) {
      images.push(comma);
      laidOut.push(comma);
    }
    images.push(...image);
    laidOut.push(...size);
  }
  return [
    ["background-color", colour],
    ["background-image", images],
    ["background-size", laidOut],
    ["background-clip", [{ type: "ident", value: isText ? "text" : "border-box" }]],
  ];
}

const fontWords = words("caption icon menu message-box small-caption status-bar");

function font(value: Value): Longhands | undefined {
  if (fontWords.has(wordOf(value)))
    return [["font-size", [{ type: "dimension", number: 13.3, unit: "px", isSigned: false }]]];
  const parts = componentsOf(value);
  for (const [index, part] of parts.entries()) {
    if (!fontSizes.has(wordOf(part)) && !isSize(part, false)) continue;
    const [slash, height] = parts.slice(index + 1);
    const hasHeight = slash?.[0]?.type === "delim" && slash[0].value === "/";
    const family = parts[index + (hasHeight ? 3 : 1)]?.[0];
    if (family?.type !== "ident" && family?.type !== "string") return undefined;
    return [
      ["font-size", part],
      ["line-height", hasHeight && height !== undefined ? height : [{ type: "ident", value: "normal" }]],
    ];
  }
  return undefined;
}

function animation(value: Value): Longhands {
  const idents = trimSpace(value).filter((token) => token.type === "ident" || token.type === "string");
  return [
    ["animation-name", idents],
    ["animation-fill-mode", idents],
  ];
}
