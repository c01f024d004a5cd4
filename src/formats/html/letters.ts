/** The computed values that letters have of an element, and that its content inherits. Lengths are in CSS pixels.
 *  Long because every inherited property becomes a part of one style here. */
import { black, type Colour, colourOf, legacyColour } from "#/src/formats/css/colour.ts";
import { initialFontSize, type LengthBasis, lengthOf, numberOf } from "#/src/formats/css/length.ts";
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

export function lettersOf(
  element: HtmlElement,
  values: Values,
  parent: Letters,
  { isQuirky }: { readonly isQuirky: boolean },
): Letters {
  return new LetterMaker(element, values, parent, isQuirky).make();
}

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

const absoluteUnits = new Set(["px", "pt", "pc", "in", "cm", "mm", "q"]);
const fixedPitchElements = new Set(["pre", "tt", "code", "kbd", "samp", "listing", "xmp", "plaintext"]);
/** Font size of buttons in browsers. Buttons do not inherit the font size. */
const buttonFontSize = 40 / 3;
/** Elements that preserve white space by default. */
const preBlocks = new Set(["pre", "listing", "xmp", "plaintext", "textarea"]);
/** Values that let a word break at any letter, also where the box is as wide as its longest word (CSS Text Level 3 section 5). */
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

class LetterMaker {
  readonly #element: HtmlElement;
  readonly #values: Values;
  readonly #parent: Letters;
  readonly #isQuirky: boolean;

  constructor(element: HtmlElement, values: Values, parent: Letters, isQuirky: boolean) {
    this.#element = element;
    this.#values = values;
    this.#parent = parent;
    this.#isQuirky = isQuirky;
  }

  #unclear(why: Doubt): void {
    this.#values.unclear.push({ reach: "inside", why });
  }

  make(): Letters {
    const parent = this.#parent;
    const { name } = this.#element;
    const isReset = name === "table" && this.#isQuirky;
    const fontSize = this.#fontSize(isReset);
    const rootFontSize = name === "html" ? fontSize : parent.rootFontSize;
    const { lineHeight, lineFactor } = this.#lineHeight(fontSize, rootFontSize, isReset);
    const basis: LengthBasis = {
      fontSize,
      lineHeight,
      whole: Number.NaN,
      isQuirky: this.#isQuirky,
      rootFontSize,
    };
    const colour = this.#colour(isReset);
    const direction = this.#values.word("direction");
    const isRightToLeft =
      direction === "" ? !this.#values.isInitial("direction") && parent.isRightToLeft : direction === "rtl";
    // Of a share, the worse counts: none, or that of the widest window.
    const indents = [0, windowMost].map((whole) => this.#textIndent({ ...basis, whole }));
    const textIndent = Math.min(...indents);
    const isRoot = name === "body";
    const thickness = Math.max(
      lineThickness(fontSize),
      this.#values.length("text-decoration-thickness", basis) ?? 0,
    );
    return {
      isVisible: this.#isVisible(),
      fontSize,
      rootFontSize,
      isSizeSaid: this.#isSizeSaid(),
      isFixedPitch: this.#isFixedPitch(),
      lineHeight,
      lineFactor,
      isThin: this.#isThinnerThan(400, isThinFont, parent.isThin),
      isHairline: this.#isThinnerThan(300, isHairlineFont, parent.isHairline),
      letterSpacing: this.#inheritedLength("letter-spacing", basis, parent.letterSpacing),
      wordSpacing: this.#inheritedLength("word-spacing", basis, parent.wordSpacing),
      textIndent,
      isIndentShare:
        this.#values.get("text-indent")?.some(({ type }) => type === "percent") ??
        (parent.isIndentShare && !this.#values.has("text-indent")),
      colour,
      fill: this.#paint("-webkit-text-fill-color", colour, parent.fill),
      strokeWidth: this.#inheritedLength("-webkit-text-stroke-width", basis, parent.strokeWidth),
      stroke: this.#paint("-webkit-text-stroke-color", colour, parent.stroke),
      linkColour: isRoot ? this.#linkColourOfBody("link", parent.linkColour) : parent.linkColour,
      visitedColour: this.#visitedColour(isReset, colour),
      visitedLinkColour: isRoot
        ? this.#linkColourOfBody("vlink", parent.visitedLinkColour)
        : parent.visitedLinkColour,
      bodyColour: isRoot ? colour : parent.bodyColour,
      whiteSpace: this.#whiteSpace(isReset),
      isRightToLeft,
      isEverFromRight:
        parent.isEverFromRight || isRightToLeft || this.#values.word("unicode-bidi") === "plaintext",
      isTransformed: this.#isTransformed(),
      breaksWords: this.#breaksWords(),
      hyphenates: this.#hyphenates(),
      isMarkInside: this.#isMarkInside(),
      lined: parent.lined + (this.#isLined() ? thickness : 0),
      struck: parent.struck + (this.#isStruck() ? thickness : 0),
      isMasked: this.#isMasked(),
      isSizeUnsure: ["font-size", "line-height"].some(
        (one) => this.#values.isUnsure(one) || (parent.isSizeUnsure && !this.#values.has(one)),
      ),
      spacing: this.#spacing(basis),
    };
  }

  /** `border-spacing`: the larger of its two lengths. */
  #spacing(basis: LengthBasis): number {
    const value = this.#values.get("border-spacing");
    if (value === undefined) return this.#element.name === "table" ? 2 : this.#parent.spacing;
    return componentsOf(value).reduce((most, part) => Math.max(most, lengthOf(part, basis) ?? 0), 0);
  }

  #isLined(): boolean {
    const value = this.#values.get("text-decoration-line");
    if (value === undefined) return !this.#values.isInitial("text-decoration-line") && isLined(this.#element);
    return wordOf(value) !== "none";
  }

  #isStruck(): boolean {
    const value = this.#values.get("text-decoration-line");
    if (value === undefined)
      return !this.#values.isInitial("text-decoration-line") && struckElements.has(this.#element.name);
    return componentsOf(value).some((part) => wordOf(part) === "line-through");
  }

  #isTransformed(): boolean {
    const names = ["text-transform", "font-variant", "font-variant-caps"];
    const said = names.filter((name) => this.#values.has(name));
    if (said.length === 0) return this.#parent.isTransformed;
    return said.some(
      (name) =>
        !["none", "normal", "lowercase"].includes(this.#values.word(name)) && !this.#values.isInitial(name),
    );
  }

  #isSizeSaid(): boolean {
    const value = this.#values.get("font-size");
    if (value === undefined || this.#values.isUnsure("font-size"))
      return (
        this.#parent.isSizeSaid && !this.#values.isInitial("font-size") && !this.#values.isUnsure("font-size")
      );
    const [token] = value;
    if (value.length !== 1 || token?.type !== "dimension")
      return token?.type === "percent" && this.#parent.isSizeSaid;
    return absoluteUnits.has(token.unit.toLowerCase()) || this.#parent.isSizeSaid;
  }

  #isFixedPitch(): boolean {
    if (this.#values.isUnsure("font-family")) return true;
    const value = this.#values.get("font-family");
    if (value !== undefined) return isFixedPitchFont(value);
    if (fixedPitchElements.has(this.#element.name) && !this.#values.inherited.has("font-family")) return true;
    return this.#parent.isFixedPitch && !this.#values.isInitial("font-family");
  }

  #isThinnerThan(weight: number, isThinFace: (value: Value) => boolean, inherited: boolean): boolean {
    const family = this.#values.get("font-family");
    if (this.#values.isUnsure("font-weight") || (family !== undefined && isThinFace(family))) return true;
    const value = this.#values.get("font-weight");
    if (value === undefined) return !this.#values.isInitial("font-weight") && inherited;
    return wordOf(value) === "lighter" || (numberOf(value, 1) ?? 400) < weight;
  }

  /** Whether every word surely breaks where it has to. */
  #breaksWords(): boolean {
    const said = breakingValues.filter(([name]) => this.#values.has(name) || this.#values.isUnsure(name));
    if (said.length === 0) return this.#parent.breaksWords;
    return said.some(
      ([name, pattern]) => pattern.test(this.#values.word(name)) && !this.#values.isUnsure(name),
    );
  }

  #hyphenates(): boolean {
    const said = ["hyphens", "-moz-hyphens"].filter(
      (name) => this.#values.has(name) || this.#values.isUnsure(name),
    );
    return said.length === 0
      ? this.#parent.hyphenates
      : said.some((name) => this.#values.word(name) === "auto" || this.#values.isUnsure(name));
  }

  /** Whether the marker of a list item is inside of its first line. */
  #isMarkInside(): boolean {
    const word = this.#values.word("list-style-position");
    if (word === "") return !this.#values.isInitial("list-style-position") && this.#parent.isMarkInside;
    return word === "inside";
  }

  #inheritedLength(name: string, basis: LengthBasis, inherited: number): number {
    if (this.#values.isInitial(name)) return 0;
    const value = this.#values.get(name);
    if (value === undefined) return inherited;
    const word = wordOf(value);
    if (word !== "") return word === "thin" ? 1 : word === "medium" ? 3 : 0;
    return lengthOf(value, basis) ?? 0;
  }

  #fontSize(isReset: boolean): number {
    const of = this.#parent.fontSize;
    const value = this.#values.get("font-size");
    if (this.#values.inherited.has("font-size")) return of;
    if (value === undefined && this.#element.name === "button" && !this.#values.isInitial("font-size"))
      return buttonFontSize;
    if (value === undefined)
      return this.#values.isInitial("font-size") ||
        (isReset && !this.#values.declared.values.has("font-size"))
        ? initialFontSize
        : of * fontScale(this.#element);
    const word = wordOf(value);
    if (word === "smaller") return of / 1.2;
    if (word === "larger") return of * 1.2;
    return (
      namedSizes.get(word) ??
      lengthOf(value, {
        fontSize: of,
        lineHeight: this.#parent.lineHeight,
        whole: of,
        isQuirky: this.#isQuirky,
        rootFontSize: this.#element.name === "html" ? initialFontSize : this.#parent.rootFontSize,
      }) ??
      of
    );
  }

  #lineHeight(
    fontSize: number,
    rootFontSize: number,
    isReset: boolean,
  ): { readonly lineHeight: number; readonly lineFactor: number | undefined } {
    const value = this.#values.get("line-height");
    const byFactor = (lineFactor: number) => ({ lineHeight: lineFactor * fontSize, lineFactor });
    if (value === undefined) {
      if (
        this.#values.isInitial("line-height") ||
        (isReset && !this.#values.declared.values.has("line-height"))
      )
        return byFactor(1.2);
      const { lineFactor, lineHeight } = this.#parent;
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

  #isVisible(): boolean {
    if (this.#values.isUnsure("visibility")) return true;
    const word = this.#values.word("visibility");
    if (word === "") return this.#values.isInitial("visibility") || this.#parent.isVisible;
    return word === "visible";
  }

  #colour(isReset: boolean): Colour {
    const parent = this.#parent;
    const value = this.#values.get("color");
    if (value !== undefined) return colourOf(value, parent.colour, this.#isQuirky) ?? parent.colour;
    if (this.#values.isInitial("color")) return black;
    if (this.#values.inherited.has("color")) return parent.colour;
    const own = ownColours.get(this.#element.name);
    if (own !== undefined) return own.ink;
    if (isReset) return parent.bodyColour;
    const isLink = this.#element.name === "a" && attributeOf(this.#element, "href") !== undefined;
    return isLink && !this.#values.declared.values.has("color") ? parent.linkColour : parent.colour;
  }

  #paint(name: string, current: Colour, inherited: Colour | undefined): Colour | undefined {
    if (this.#values.isInitial(name)) return undefined;
    const value = this.#values.get(name);
    if (value === undefined) return inherited;
    return wordOf(value) === "currentcolor" ? undefined : colourOf(value, current, this.#isQuirky);
  }

  #linkColourOfBody(attribute: "link" | "vlink", otherwise: Colour): Colour {
    const colour = attributeOf(this.#element, attribute);
    return (colour === undefined ? undefined : legacyColour(colour)) ?? otherwise;
  }

  /** The colour of text in a visited link; undefined if it is the same colour. */
  #visitedColour(isReset: boolean, own: Colour): Colour | undefined {
    const parent = this.#parent;
    const { visitedColour, values } = this.#values.declared;
    const isLink = this.#element.name === "a" && attributeOf(this.#element, "href") !== undefined;
    const other =
      visitedColour === undefined || visitedColour === "nothing"
        ? undefined
        : resolveDeclared("color", visitedColour, this.#values.variables, this.#isQuirky);
    if (other !== undefined && !/^(?:inherit|unset)$/.test(wordOf(other))) {
      const colour = colourOf(other, parent.visitedColour ?? parent.colour, this.#isQuirky);
      if (colour === undefined) this.#unclear("colours-may-match");
      // It is at most as opaque as the colour of links that have not been visited.
      return colour && [colour[0], colour[1], colour[2], Math.min(colour[3], own[3])];
    }
    const isDeclared = visitedColour === undefined ? values.has("color") : visitedColour !== "nothing";
    if (isLink && !isDeclared) return parent.visitedLinkColour;
    if (visitedColour === undefined) {
      const value = this.#values.get("color");
      if (value !== undefined && wordOf(value) !== "currentcolor") return undefined;
      if (this.#values.inherited.has("color")) return parent.visitedColour;
      if (this.#values.isInitial("color") || ownColours.has(this.#element.name) || isReset) return undefined;
    }
    return parent.visitedColour ?? (visitedColour === undefined ? undefined : parent.colour);
  }

  /** An inline box has no first line, but hands its indent on to the blocks in it. */
  #textIndent(basis: LengthBasis): number {
    if (this.#element.name === "table" && !this.#values.declared.values.has("text-indent")) return 0;
    if (this.#values.isInitial("text-indent")) return 0;
    const value = this.#values.get("text-indent");
    if (value === undefined) return this.#parent.textIndent;
    return componentsOf(value).reduce<number>((found, part) => lengthOf(part, basis) ?? found, 0);
  }

  #whiteSpace(isReset: boolean): string {
    const own = this.#ownWhiteSpace(isReset);
    const collapse = this.#values.word("white-space-collapse");
    if (collapse === "") return own;
    if (collapse === "collapse") {
      if (own.startsWith("pre") || own === "break-spaces") this.#unclear("style-not-understood");
      return own;
    }
    if (own === "nowrap") return "pre";
    return own === "normal" ? (collapse === "preserve-breaks" ? "pre-line" : "pre-wrap") : own;
  }

  #ownWhiteSpace(isReset: boolean): string {
    const word = this.#values.word("white-space");
    if (word !== "") return word;
    if (this.#values.isInitial("white-space")) return "normal";
    if (this.#values.inherited.has("white-space")) return this.#parent.whiteSpace;
    const { name } = this.#element;
    if (preBlocks.has(name)) return "pre";
    if (name === "nobr") return "nowrap";
    return isReset ? "normal" : this.#parent.whiteSpace;
  }

  #isMasked(): boolean {
    const word = this.#values.word("-webkit-text-security");
    if (word === "") return !this.#values.isInitial("-webkit-text-security") && this.#parent.isMasked;
    return word !== "none";
  }
}
