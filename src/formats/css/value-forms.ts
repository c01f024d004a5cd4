/** Reads the value of a property by its closed grammar. The result is "understood", "dropped" (every browser drops it) or "unknown"
 *  (the element is doubtful). A value with a function that is not understood is never dropped. */
import { asciiLower } from "./ascii-case.ts";
import { black, colourOf } from "./colour.ts";
import { isKnownUnit, type LengthBasis, lengthOf, otherUnits } from "./length.ts";
import { namedColours, steadySystemColours, systemColours } from "./named-colours.ts";
import { type CssToken, insideOf, skipComponent, splitByComma } from "./tokens.ts";

export type Value = readonly CssToken[];
export type Reading = "understood" | "dropped" | "unknown";
export type Form = (value: Value, isQuirky: boolean) => Reading;

/** Any sizes can be used to find out whether a value is a length. */
const anyBasis: LengthBasis = { fontSize: 16, lineHeight: 20, whole: 100, isQuirky: false };

export function wordOf(value: Value): string {
  const [token] = value;
  return value.length === 1 && token?.type === "ident" ? asciiLower(token.value) : "";
}

/** A name without its case, as browsers compare names of fonts (Unicode, full case folding). */
export function foldedName(text: string): string {
  return text.toUpperCase().toLowerCase();
}

export function words(text: string): ReadonlySet<string> {
  return new Set(text === "" ? [] : text.split(" "));
}

/** Keywords that every property has. */
export const wideKeywords = words("inherit initial unset revert revert-layer revert-rule");

/** Keywords that mean the value of a weaker rule (CSS Cascade Level 5, section 7.3.5, and Level 6). That value is not kept. Browsers
 *  that do not know `revert-rule` drop it. */
export const weakerRuleKeywords = words("revert-layer revert-rule");

/** The components of a value, without the spaces between them. */
export function componentsOf(value: Value): Value[] {
  if (value.length === 1) return [value];
  const components: Value[] = [];
  for (let at = 0; at < value.length; ) {
    const end = skipComponent(value, at);
    if (value[at]!.type !== "space") components.push(value.slice(at, end));
    at = end;
  }
  return components;
}

/** Whether the value has a function. It may stand for another value (`env()`, `attr()`, `if()`, a function of the author). */
function hasFunction(value: Value): boolean {
  return value.some(({ type }) => type === "function");
}

/** `known`: understood words. `others`: valid words that are not understood. Other words with WebKit's prefix may be valid. */
function readWord(word: string, known: ReadonlySet<string>, others: ReadonlySet<string>): Reading {
  if (known.has(word)) return "understood";
  if (others.has(word)) return "unknown";
  return word.startsWith("-webkit-") || word.startsWith("--") ? "unknown" : "dropped";
}

/** Reads one component: one of these words, or a value of one of the forms. */
export function oneOf(known: string, others = "", ...forms: readonly Form[]): Form {
  const [knownWords, otherWords] = [words(known), words(others)];
  const read = (value: Value, isQuirky: boolean): Reading => {
    const word = wordOf(value);
    if (word !== "") {
      const reading = readWord(word, knownWords, otherWords);
      if (reading !== "dropped") return reading;
    }
    const parts = componentsOf(value);
    // Newer versions of the grammar may allow several components.
    if (parts.length > 1)
      return parts.every((part) => read(part, isQuirky) !== "dropped") || hasFunction(value)
        ? "unknown"
        : "dropped";
    let best: Reading = "dropped";
    for (const form of forms) {
      const reading = form(value, isQuirky);
      if (reading === "understood") return reading;
      if (reading === "unknown") best = reading;
    }
    return best === "dropped" && hasFunction(value) ? "unknown" : best;
  };
  return read;
}

/** Reads a length. Outside of quirks mode, 0 is the only length without a unit. */
function lengthForm(isNegativeToo: boolean, isPercentToo: boolean, hasQuirk: boolean): Form {
  return (value, isQuirky) => {
    const [token] = value;
    if (token?.type === "function") {
      if (skipComponent(value, 0) !== value.length) return "unknown";
      const size = lengthOf(value, anyBasis);
      return size === undefined || (!isPercentToo && hasPercent(value)) ? "unknown" : "understood";
    }
    if (value.length !== 1 || token === undefined) return hasFunction(value) ? "unknown" : "dropped";
    if (token.type === "number") {
      if (token.number !== 0 && !(isQuirky && hasQuirk)) return "dropped";
    } else if (token.type === "percent") {
      if (!isPercentToo) return "dropped";
    } else if (token.type === "dimension") {
      if (otherUnits.has(token.unit)) return "unknown";
      if (!isKnownUnit(token.unit)) return "dropped";
    } else return "dropped";
    return token.number < 0 && !isNegativeToo ? "dropped" : "understood";
  };
}

function hasPercent(value: Value): boolean {
  return value.some(({ type }) => type === "percent");
}

export const anyLength = lengthForm(true, false, false);
export const spacingLength = lengthForm(false, false, true);
export const anyLengthOrShare = lengthForm(true, true, true);
export const positiveLength = lengthForm(false, false, true);
export const positiveLengthOrShare = lengthForm(false, true, true);
/** Also as high as a window. */
export const leastHeight: Form = (value, isQuirky) => {
  const [token] = value;
  const isOfWindow = value.length === 1 && token?.type === "dimension" && /^[sld]?vh$/.test(token.unit);
  if (isOfWindow && token.number >= 0 && token.number <= 100) return "understood";
  return positiveLengthOrShare(value, isQuirky);
};
/** For `line-height` and `border-radius`: no length but 0 without a unit, also in quirks mode. */
export const strictLengthOrShare = lengthForm(false, true, false);

/** Reads one token of these types. */
function tokenForm(...types: readonly CssToken["type"][]): Form {
  return (value) =>
    value.length === 1 && types.includes(value[0]!.type)
      ? "understood"
      : hasFunction(value)
        ? "unknown"
        : "dropped";
}

export const anyNumber = tokenForm("number");
export const numberOrShare = tokenForm("number", "percent");

export const colour: Form = (value, isQuirky) => {
  const [token] = value;
  if (token?.type === "function")
    return colourOf(value, black, false) === undefined ? "unknown" : "understood";
  if (hasFunction(value)) return "unknown";
  const word = wordOf(value);
  if (systemColours.has(word)) return "unknown";
  if (word === "currentcolor" || word === "transparent" || namedColours.has(word)) return "understood";
  if (steadySystemColours.has(word)) return "understood";
  if (colourOf(value, black, isQuirky) !== undefined) return "understood";
  // Engines have colours of their own.
  return /^(?:-webkit-|-moz-|--)/.test(word) ? "unknown" : "dropped";
};

/** Reads one to `most` components of one form. */
export function upTo(most: number, form: Form): Form {
  return (value, isQuirky) => {
    const parts = componentsOf(value);
    return parts.length === 0 || parts.length > most
      ? hasFunction(value)
        ? "unknown"
        : "dropped"
      : worst(
          parts.map((part) => form(part, isQuirky)),
          value,
        );
  };
}

/** One dropped part makes the whole value dropped. With a function the value is unknown, because a function may stand for anything. */
function worst(readings: readonly Reading[], value: Value): Reading {
  if (readings.includes("dropped")) return hasFunction(value) ? "unknown" : "dropped";
  return readings.includes("unknown") ? "unknown" : "understood";
}

/** Understands only these words. Any other value is unknown. */
export function only(known: string): Form {
  const knownWords = words(known);
  return (value) => (knownWords.has(wordOf(value)) ? "understood" : "unknown");
}

/** Reads names and strings, separated by commas. */
export const familyList: Form = (value) => {
  if (hasFunction(value)) return "unknown";
  const parts = splitByComma(value);
  const isList = parts.every(
    (part) =>
      part.length > 0 &&
      ((part.length === 1 && part[0]!.type === "string") ||
        part.every(({ type }) => type === "ident" || type === "space")),
  );
  // A name of several words must not contain a word that names a font alone.
  if (
    parts.some(
      (part) => part.length > 1 && part.some((one) => one.type === "ident" && generic.test(one.value)),
    )
  )
    return "unknown";
  return isList ? "understood" : "dropped";
};

const generic =
  /^(?:serif|sans-serif|monospace|cursive|fantasy|system-ui|math|emoji|fangsong|ui-.*|-webkit-.*|default|inherit|initial|unset|revert.*)$/i;

const gradientName = /^(?:repeating-)?(?:linear|radial|conic)-gradient$/;
export function isGradient(value: Value): boolean {
  const [token] = value;
  return (
    token?.type === "function" &&
    gradientName.test(asciiLower(token.value)) &&
    skipComponent(value, 0) === value.length
  );
}

/** Reads `background-image`: `none`, an address, or a gradient of understood colours. */
export const images: Form = (value) => {
  const readings = splitByComma(value).map((layer): Reading => {
    if (wordOf(layer) === "none") return "understood";
    if (addressOf(layer) !== undefined) return "understood";
    if (isGradient(layer)) return isPlainGradient(layer) ? "understood" : "unknown";
    return hasFunction(layer) || layer.some(({ type }) => type === "url") ? "unknown" : "dropped";
  });
  return worst(readings, value);
};

export const horizontal = words("left right");
export const vertical = words("top bottom");
const angles = words("deg rad grad turn");

/** Whether a gradient is valid in all browsers: a direction or shape, if any, then two or more colours, each with at most two places,
 *  and hints between them (CSS Images Level 3, section 3). */
function isPlainGradient(gradient: Value): boolean {
  const name = gradient[0]?.type === "function" ? asciiLower(gradient[0].value) : "";
  if (name.endsWith("conic-gradient")) return false;
  const isLinear = name.endsWith("linear-gradient");
  const parts = splitByComma(insideOf(gradient)).map(componentsOf);
  const [first] = parts;
  if (first === undefined) return false;
  if (isLinear ? isDirection(first) : isShape(first)) parts.shift();
  let wasStop = false;
  let stops = 0;
  for (const [index, part] of parts.entries()) {
    const places = part.filter(isStopPlace).length;
    const isHint = part.length === 1 && places === 1;
    if (isHint && (!wasStop || index === parts.length - 1)) return false;
    wasStop = !isHint;
    if (isHint) continue;
    stops++;
    const isColourAtEnd = [part[0], part.at(-1)].some((one) => one !== undefined && isColour(one));
    if (!isColourAtEnd || part.length !== places + 1 || places > 2) return false;
  }
  return stops >= 2;
}

function isColour(part: Value): boolean {
  return colourOf(part, black, false) !== undefined;
}

function isStopPlace(part: Value): boolean {
  const [token] = part;
  if (part.length !== 1 || token === undefined) return false;
  if (token.type === "number") return token.number === 0;
  return token.type === "percent" || (token.type === "dimension" && isKnownUnit(token.unit));
}

function isDirection(part: readonly Value[]): boolean {
  const [token] = part[0] ?? [];
  if (part.length === 1)
    return part[0]!.length === 1 && token?.type === "dimension" && angles.has(token.unit);
  const [to, one, two, ...more] = part.map(wordOf);
  if (to !== "to" || more.length > 0) return false;
  const isSide = (word: string | undefined): boolean =>
    word !== undefined && (horizontal.has(word) || vertical.has(word));
  return isSide(one) && (two === undefined || (isSide(two) && horizontal.has(one!) !== horizontal.has(two)));
}

/** `[circle | ellipse] || extent`, then `at` and a place: of two keywords of it each is of another side, and a length stands in its order. */
function isShape(part: readonly Value[]): boolean {
  const names = part.map((one) => {
    const word = wordOf(one);
    if (isStopPlace(one)) return "length";
    return horizontal.has(word) ? "x" : vertical.has(word) ? "y" : word;
  });
  return shape.test(names.join(" "));
}

const extent = "(?:closest|farthest)-(?:side|corner)";
const kind = `(?:(?:circle|ellipse)(?: ${extent})?|${extent}(?: (?:circle|ellipse))?)`;
const place = "at (?:x|y|center|length|(?:x|center|length) (?:y|center|length)|y (?:x|center)|center x)";
const shape = new RegExp(`^(?:${kind}|${kind} ${place}|${place})$`);

/** The address in `url()`; undefined for any other value. */
export function addressOf(value: Value): string | undefined {
  const [token] = value;
  if (token?.type === "url") return value.length === 1 ? token.value : undefined;
  if (token?.type !== "function" || asciiLower(token.value) !== "url") return undefined;
  if (skipComponent(value, 0) !== value.length) return undefined;
  const inner = insideOf(value).filter(({ type }) => type !== "space");
  const [text] = inner;
  return inner.length === 1 && text?.type === "string" ? text.value : undefined;
}

/** Whether the content of the address may be available without a network. Any other content is not loaded. */
export function isHeld(address: string): boolean {
  // A URL parser removes control characters and spaces.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes them
  return /^(?:data|cid|mid|blob|filesystem|javascript):/i.test(address.replaceAll(/[\u0000-\u0020]+/g, ""));
}
