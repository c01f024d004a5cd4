/** The computed values that letters have of an element, and that its content inherits. Lengths are in CSS pixels.
 *  Long because every inherited property becomes a part of one style here. */
import { black, type Colour, colourOf, legacyColour } from "#/src/formats/css/colour.ts";
import {
  boundsOf,
  initialFontSize,
  isAbsoluteUnit,
  type LengthBasis,
  lengthOf,
  numberOf,
} from "#/src/formats/css/length.ts";
import { windowMost } from "#/src/formats/css/media.ts";
import { componentsOf, type Value, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Doubt } from "#/src/model/removal.ts";
import { ownColours } from "./backdrops.ts";
import type { Letters } from "./computed-style.ts";
import { isFixedPitchFont, isHairlineFont, isThinFont } from "./fonts.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";
import { fontScale } from "./user-agent.ts";
import type { Values } from "./values.ts";
import { resolveDeclared } from "./variables.ts";

const struckElements = new Set(["s", "strike", "del"]);
const linedElements = new Set(["u", "ins", "s", "strike", "del", "abbr", "acronym"]);

/** Whether browsers by default draw a line below or through the letters. */
function isLined(element: HtmlElement): boolean {
  return (
    linedElements.has(element.name) || (element.name === "a" && attributeOf(element, "href") !== undefined)
  );
}

/** Thickness of an underline in pixels. */
function lineThickness(fontSize: number): number {
  return Math.max(1, fontSize / 10);
}

const fixedPitchElements = new Set(["pre", "tt", "code", "kbd", "samp", "listing", "xmp", "plaintext"]);
const leastGrowing = 9;
const mostGrowing = 60;
/** Font size of buttons in browsers. Buttons do not inherit the font size. */
const buttonFontSize = 40 / 3;
/** Elements that preserve white space by default. */
const preBlocks = new Set(["pre", "listing", "xmp", "plaintext", "textarea"]);
/** H27: values that let a word break at any letter, also where the box is as wide as its longest word (CSS Text Level 3 section 5). */
const breakingValues: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["overflow-wrap", /^anywhere$/],
  ["word-break", /^break-/],
  ["line-break", /^anywhere$/],
];

const namedSizes: ReadonlyMap<string, number> = new Map([
  ["xx-small", 9],
  ["x-small", 10],
  ["small", 13],
  ["medium", 16],
  ["large", 18],
  ["x-large", 24],
  ["xx-large", 32],
  ["xxx-large", 48],
]);

export function lettersOf(
  element: HtmlElement,
  values: Values,
  parent: Letters,
  { isQuirky }: { readonly isQuirky: boolean },
): Letters {
  const { name } = element;
  const isReset = name === "table" && isQuirky;
  let isSizeGrowing = isGrowing();
  const fontSize = readFontSize();
  const rootFontSize = name === "html" ? fontSize : parent.rootFontSize;
  const { lineHeight, lineFactor } = readLineHeight();
  const basis: LengthBasis = {
    fontSize,
    lineHeight,
    whole: Number.NaN,
    isQuirky,
    rootFontSize,
  };
  const colour = readColour();
  const isRightToLeft = isSaid("direction", parent.isRightToLeft, (word) => word === "rtl");
  // Of a share, the worse counts: none, or that of the widest window.
  const indents = [0, windowMost].map((whole) => readIndent({ ...basis, whole }));
  const textIndent = Math.min(...indents);
  const isRoot = name === "body";
  const thickness = Math.max(lineThickness(fontSize), values.length("text-decoration-thickness", basis) ?? 0);
  return {
    isVisible:
      values.isUnsure("visibility") || !isSaid("visibility", !parent.isVisible, (word) => word !== "visible"),
    fontSize,
    rootFontSize,
    isSizeSaid: isSizeSaid(),
    isFixedPitch: isFixedPitch(),
    lineHeight,
    lineFactor,
    isThin: isThinnerThan(400, isThinFont, parent.isThin),
    isHairline: isThinnerThan(300, isHairlineFont, parent.isHairline),
    letterSpacing: inheritedLength("letter-spacing", basis, parent.letterSpacing),
    wordSpacing: inheritedLength("word-spacing", basis, parent.wordSpacing),
    textIndent,
    isIndentShare:
      values.get("text-indent")?.some(({ type }) => type === "percent") ??
      (parent.isIndentShare && !values.has("text-indent")),
    colour,
    fill: readPaint("-webkit-text-fill-color", colour, parent.fill),
    strokeWidth: inheritedLength("-webkit-text-stroke-width", basis, parent.strokeWidth),
    stroke: readPaint("-webkit-text-stroke-color", colour, parent.stroke),
    linkColour: isRoot ? linkColourOfBody("link", parent.linkColour) : parent.linkColour,
    visitedColour: readVisited(colour),
    visitedLinkColour: isRoot
      ? linkColourOfBody("vlink", parent.visitedLinkColour)
      : parent.visitedLinkColour,
    bodyColour: isRoot ? colour : parent.bodyColour,
    whiteSpace: readWhiteSpace(),
    isRightToLeft,
    isEverFromRight: parent.isEverFromRight || isRightToLeft || values.word("unicode-bidi") === "plaintext",
    isTransformed: isTransforming(),
    breaksWords: isBreaking(),
    keepsWords:
      values.isUnsure("word-break") || isSaid("word-break", parent.keepsWords, (word) => word === "keep-all"),
    hyphenates: isHyphenating(),
    isMarkInside: isSaid("list-style-position", parent.isMarkInside, (word) => word === "inside"),
    lined: parent.lined + (hasLine() ? thickness : 0),
    struck: parent.struck + (hasStrike() ? thickness : 0),
    isShaded:
      values.get("text-shadow") === undefined
        ? isSaid("text-shadow", parent.isShaded, () => false)
        : values.word("text-shadow") !== "none",
    isMasked: isSaid("-webkit-text-security", parent.isMasked, (word) => word !== "none"),
    isSizeUnsure: ["font-size", "line-height"].some(
      (one) => values.isUnsure(one) || (parent.isSizeUnsure && !values.has(one)),
    ),
    isSizeGrowing,
    spacing: readSpacing(basis),
  };

  /** Whether the font size is that of letters that grow with the window, or a share of it. */
  function isGrowing(): boolean {
    const [token] = values.get("font-size") ?? [];
    const isOwn = token !== undefined || values.isInitial("font-size");
    const isFixed = token?.type === "dimension" && !/^(?:em|ex)$/i.test(token.unit);
    return parent.isSizeGrowing && !(isOwn && (isFixed || namedSizes.has(values.word("font-size"))));
  }

  /** Of a property that is inherited, and of which the initial value is not it. */
  function isSaid(name: string, inherited: boolean, isIt: (word: string) => boolean): boolean {
    const word = values.word(name);
    return word === "" ? !values.isInitial(name) && inherited : isIt(word);
  }

  function unclear(why: Doubt): void {
    values.unclear.push({ reach: "inside", why });
  }

  /** `border-spacing`: the larger of its two lengths. */
  function readSpacing(basis: LengthBasis): number {
    const value = values.get("border-spacing");
    if (value === undefined) return element.name === "table" ? 2 : parent.spacing;
    return componentsOf(value).reduce((most, part) => Math.max(most, lengthOf(part, basis) ?? 0), 0);
  }

  function hasLine(): boolean {
    const value = values.get("text-decoration-line");
    if (value === undefined) return !values.isInitial("text-decoration-line") && isLined(element);
    return wordOf(value) !== "none";
  }

  function hasStrike(): boolean {
    const value = values.get("text-decoration-line");
    if (value === undefined)
      return !values.isInitial("text-decoration-line") && struckElements.has(element.name);
    return componentsOf(value).some((part) => wordOf(part) === "line-through");
  }

  function isTransforming(): boolean {
    const names = ["text-transform", "font-variant", "font-variant-caps"];
    const said = names.filter((name) => values.has(name));
    if (said.length === 0) return parent.isTransformed;
    return said.some(
      (name) => !["none", "normal", "lowercase"].includes(values.word(name)) && !values.isInitial(name),
    );
  }

  function isSizeSaid(): boolean {
    const value = values.get("font-size");
    if (value === undefined || values.isUnsure("font-size"))
      return parent.isSizeSaid && !values.isInitial("font-size") && !values.isUnsure("font-size");
    const [token] = value;
    if (value.length !== 1 || token?.type !== "dimension")
      return token?.type === "percent" && parent.isSizeSaid;
    return isAbsoluteUnit(token.unit) || parent.isSizeSaid;
  }

  function isFixedPitch(): boolean {
    if (values.isUnsure("font-family")) return true;
    const value = values.get("font-family");
    if (value !== undefined) return isFixedPitchFont(value);
    if (fixedPitchElements.has(element.name) && !values.inherited.has("font-family")) return true;
    return parent.isFixedPitch && !values.isInitial("font-family");
  }

  function isThinnerThan(weight: number, isThinFace: (value: Value) => boolean, inherited: boolean): boolean {
    const family = values.get("font-family");
    if (values.isUnsure("font-weight") || (family !== undefined && isThinFace(family))) return true;
    const value = values.get("font-weight");
    if (value === undefined) return !values.isInitial("font-weight") && inherited;
    return wordOf(value) === "lighter" || (numberOf(value, 1) ?? 400) < weight;
  }

  /** Whether every word surely breaks where it has to. */
  function isBreaking(): boolean {
    const said = breakingValues.filter(([name]) => values.has(name) || values.isUnsure(name));
    if (said.length === 0) return parent.breaksWords;
    return said.some(([name, pattern]) => pattern.test(values.word(name)) && !values.isUnsure(name));
  }

  function isHyphenating(): boolean {
    const said = ["hyphens", "-moz-hyphens"].filter((name) => values.has(name) || values.isUnsure(name));
    return said.length === 0
      ? parent.hyphenates
      : said.some((name) => values.word(name) === "auto" || values.isUnsure(name));
  }

  function inheritedLength(name: string, basis: LengthBasis, inherited: number): number {
    if (values.isInitial(name)) return 0;
    const value = values.get(name);
    if (value === undefined) return inherited;
    const word = wordOf(value);
    if (word !== "") return word === "thin" ? 1 : word === "medium" ? 3 : 0;
    return lengthOf(value, basis) ?? 0;
  }

  function readFontSize(): number {
    const of = parent.fontSize;
    const value = values.get("font-size");
    if (values.inherited.has("font-size")) return of;
    if (value === undefined && element.name === "button" && !values.isInitial("font-size"))
      return buttonFontSize;
    if (value === undefined)
      return values.isInitial("font-size") || (isReset && !values.declared.values.has("font-size"))
        ? initialFontSize
        : of * fontScale(element);
    const word = wordOf(value);
    if (word === "smaller") return of / 1.2;
    if (word === "larger") return of * 1.2;
    const sizes: LengthBasis = {
      fontSize: of,
      lineHeight: parent.lineHeight,
      whole: of,
      isQuirky,
      rootFontSize: element.name === "html" ? initialFontSize : parent.rootFontSize,
    };
    const size = namedSizes.get(word) ?? lengthOf(value, sizes);
    return size ?? greatestSize(boundsOf(value, sizes)) ?? of;
  }

  /** Of letters that grow with the window: they are in doubt, and others are not where both bounds are usual sizes. */
  function greatestSize(bounds: ReturnType<typeof boundsOf>): number | undefined {
    if (bounds === undefined) return undefined;
    isSizeGrowing = true;
    const isUsual = bounds.least >= leastGrowing && bounds.most <= mostGrowing;
    values.unclear.push({ reach: isUsual ? "inside" : "paints", why: "style-not-understood" });
    return bounds.most;
  }

  function readLineHeight(): { readonly lineHeight: number; readonly lineFactor: number | undefined } {
    const value = values.get("line-height");
    const byFactor = (lineFactor: number) => ({ lineHeight: lineFactor * fontSize, lineFactor });
    if (value === undefined) {
      if (values.isInitial("line-height") || (isReset && !values.declared.values.has("line-height")))
        return byFactor(1.2);
      const { lineFactor, lineHeight } = parent;
      return lineFactor === undefined ? { lineHeight, lineFactor } : byFactor(lineFactor);
    }
    if (value[0]?.type === "number") return byFactor(numberOf(value, 1) ?? 1.2);
    const length = lengthOf(value, {
      fontSize,
      lineHeight: fontSize,
      whole: fontSize,
      isQuirky: false,
      rootFontSize,
    });
    return length === undefined ? byFactor(1.2) : { lineHeight: length, lineFactor: undefined };
  }

  function readColour(): Colour {
    const value = values.get("color");
    if (value !== undefined) return colourOf(value, parent.colour, isQuirky) ?? parent.colour;
    if (values.isInitial("color")) return black;
    if (values.inherited.has("color")) return parent.colour;
    const own = ownColours.get(element.name);
    if (own !== undefined) return own.ink;
    if (isReset) return parent.bodyColour;
    const isLink = element.name === "a" && attributeOf(element, "href") !== undefined;
    return isLink ? parent.linkColour : parent.colour;
  }

  function readPaint(name: string, current: Colour, inherited: Colour | undefined): Colour | undefined {
    if (values.isInitial(name)) return undefined;
    const value = values.get(name);
    if (value === undefined) return inherited;
    return wordOf(value) === "currentcolor" ? undefined : colourOf(value, current, isQuirky);
  }

  function linkColourOfBody(attribute: "link" | "vlink", otherwise: Colour): Colour {
    const colour = attributeOf(element, attribute);
    return (colour === undefined ? undefined : legacyColour(colour)) ?? otherwise;
  }

  /** The colour of text in a visited link; undefined if it is the same colour. */
  function readVisited(own: Colour): Colour | undefined {
    const { visitedColour } = values.declared;
    const isLink = element.name === "a" && attributeOf(element, "href") !== undefined;
    const other =
      visitedColour === undefined || visitedColour === "nothing"
        ? undefined
        : resolveDeclared("color", visitedColour, values.variables, isQuirky);
    if (other !== undefined && !/^(?:inherit|unset)$/.test(wordOf(other))) {
      const colour = colourOf(other, parent.visitedColour ?? parent.colour, isQuirky);
      if (colour === undefined) unclear("colours-may-match");
      // It is at most as opaque as the colour of links that have not been visited.
      return colour && [colour[0], colour[1], colour[2], Math.min(colour[3], own[3])];
    }
    // Reverted, it is that of the browser.
    const isSaidHere = values.has("color") || values.inherited.has("color");
    const isDeclared = visitedColour === undefined ? isSaidHere : visitedColour !== "nothing";
    if (isLink && !isDeclared) return parent.visitedLinkColour;
    if (visitedColour === undefined) {
      const value = values.get("color");
      if (value !== undefined && wordOf(value) !== "currentcolor") return undefined;
      if (values.inherited.has("color")) return parent.visitedColour;
      if (values.isInitial("color") || ownColours.has(element.name) || isReset) return undefined;
    }
    return parent.visitedColour ?? (visitedColour === undefined ? undefined : parent.colour);
  }

  /** An inline box has no first line, but hands its indent on to the blocks in it. */
  function readIndent(basis: LengthBasis): number {
    if (element.name === "table" && !values.declared.values.has("text-indent")) return 0;
    if (values.isInitial("text-indent")) return 0;
    const value = values.get("text-indent");
    if (value === undefined) return parent.textIndent;
    return componentsOf(value).reduce<number>((found, part) => lengthOf(part, basis) ?? found, 0);
  }

  function readWhiteSpace(): string {
    const own = ownWhiteSpace();
    const collapse = values.word("white-space-collapse");
    if (collapse === "") return own;
    if (collapse === "collapse") {
      if (own.startsWith("pre") || own === "break-spaces") unclear("style-not-understood");
      return own;
    }
    if (own === "nowrap") return "pre";
    return own === "normal" ? (collapse === "preserve-breaks" ? "pre-line" : "pre-wrap") : own;
  }

  function ownWhiteSpace(): string {
    const word = values.word("white-space");
    if (word !== "") return word;
    if (values.isInitial("white-space")) return "normal";
    if (values.inherited.has("white-space")) return parent.whiteSpace;
    const { name } = element;
    if (preBlocks.has(name)) return "pre";
    if (name === "nobr") return "nowrap";
    return isReset ? "normal" : parent.whiteSpace;
  }
}
