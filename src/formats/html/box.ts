/** The box of an element as it is declared: its sizes, the space around its content, and what it paints. Nothing is resolved that
 *  depends on the boxes around it. Lengths are in CSS pixels. */
import { type LengthBasis, leastEx, lengthOf } from "#/src/formats/css/length.ts";
import { windowMost } from "#/src/formats/css/media.ts";
import { componentsOf, type Value, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Letters } from "./computed-style.ts";
import { type Basis, basisOfItem, type Items, itemsOf, type Size } from "./items.ts";
import type { HtmlElement } from "./tree.ts";
import { defaultDisplay, defaultSpace } from "./user-agent.ts";
import type { Values } from "./values.ts";

export interface Sides {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

const noSides: Sides = { top: 0, right: 0, bottom: 0, left: 0 };

/** A block of which nothing is declared. */
export const plainBox = {
  display: "block",
  isInline: false,
  isFloat: false,
  isFromRight: false,
  /** `absolute` or `fixed`. */
  isOutOfFlow: false,
  position: "",
  /** The distances of a positioned box at its top, right, bottom and left; undefined for `auto`. */
  inset: [] as readonly (Size | "unknown" | undefined)[],
  /** How far it stands from its place, if its position is relative. */
  shift: 0,
  /** Negative ones too. */
  margin: noSides,
  padding: noSides,
  border: noSides,
  /** The part of margins, padding and indent that is a share of a width. */
  sideShare: 0,
  /** The same above and below. */
  tallShare: 0,
  width: undefined as Size | undefined,
  minWidth: 0,
  /** The least width as a share of the one around. */
  minShare: 0,
  maxWidth: undefined as Size | undefined,
  /** The width is that of the content. */
  isFitted: false,
  isBorderBox: false,
  /** Heights in pixels; `isHeightShare`: one of them is a share of another height. */
  height: undefined as number | undefined,
  minHeight: 0,
  maxHeight: undefined as number | undefined,
  isHeightShare: false,
  clips: false,
  /** The greatest radius of its corners. */
  corner: 0,
  /** All of its corners are alike. */
  isCornerEven: true,
  /** It lays out its children as items. */
  items: undefined as Items | undefined,
  /** What it asks for as an item. */
  basis: undefined as Basis | undefined,
};

export interface Box extends Readonly<typeof plainBox> {}

export const sideNames = ["top", "right", "bottom", "left"] as const;
type Side = (typeof sideNames)[number];

/** Names of properties by side. Names that are put together anew for each box are looked up at twice the cost. */
function namesBySide(nameOf: (side: Side) => string): Readonly<Record<Side, string>> {
  return Object.fromEntries(sideNames.map((side) => [side, nameOf(side)])) as Record<Side, string>;
}

export const marginNames = namesBySide((side) => `margin-${side}`);
export const paddingNames = namesBySide((side) => `padding-${side}`);
const borderWidthNames = namesBySide((side) => `border-${side}-width`);
const borderStyleNames = namesBySide((side) => `border-${side}-style`);

/** Boxes that browsers indent: their margins or paddings at the left and at the right. */
const indented: ReadonlyMap<string, readonly [kind: "margin" | "padding", left: number, right: number]> =
  new Map([
    ["blockquote", ["margin", 40, 40]],
    ["figure", ["margin", 40, 40]],
    ["ul", ["padding", 40, 0]],
    ["ol", ["padding", 40, 0]],
    ["menu", ["padding", 40, 0]],
    ["dir", ["padding", 40, 0]],
    ["dd", ["margin", 40, 0]],
    ["fieldset", ["padding", 14, 14]],
    ["body", ["margin", 8, 8]],
    ["td", ["padding", 1, 1]],
    ["th", ["padding", 1, 1]],
    ["button", ["padding", 8, 8]],
  ]);

export function isPartOfTable(display: string): boolean {
  return display.startsWith("table-") && display !== "table-caption";
}

export function displayOf(element: HtmlElement, values: Values, isBlocky: boolean): string {
  const word = values.word("display");
  const found = word === "" ? (values.isInitial("display") ? "inline" : defaultDisplay(element)) : word;
  // An element that may be shown is judged like one that is shown.
  const display = found === "none" && values.isUnsure("display") ? "block" : found;
  if (!isBlocky) return display;
  // CSS Display Level 3, section 2.7.
  if (/^inline-(?:table|flex|grid)$/.test(display)) return display.slice("inline-".length);
  return display.startsWith("inline") || display.startsWith("table-") ? "block" : display;
}

/** A length or a share of the whole; undefined for none. A calculation of both counts if it is linear. */
export function sizeOf(values: Values, name: string, basis: LengthBasis): Size | "unknown" | undefined {
  const value = values.get(name);
  if (value === undefined) return undefined;
  const word = wordOf(value);
  if (word !== "") return fitted.test(word) ? "unknown" : undefined;
  const [token] = value;
  if (token?.type !== "function") {
    const isShare = token?.type === "percent" && value.length === 1;
    const [px, share] = isShare ? [0, token.number / 100] : [lengthOf(value, basis) ?? Number.NaN, 0];
    return Number.isFinite(px + share) ? { px, share } : "unknown";
  }
  const at = (whole: number): number => lengthOf(value, { ...basis, whole }) ?? Number.NaN;
  const [none, half, full] = [at(0), at(500), at(1000)];
  if (!Number.isFinite(full) || Math.abs(none + full - 2 * half) > 0.01) return "unknown";
  return { px: none, share: (full - none) / 1000 };
}

const fitted = /content|fill|stretch|intrinsic/;

function borderOf(values: Values, side: Side, basis: LengthBasis): number {
  const [name, styleName] = [borderWidthNames[side], borderStyleNames[side]];
  const style = values.word(styleName);
  if ((style === "none" || style === "hidden") && !values.isUnsure(styleName)) return 0;
  const word = values.word(name);
  if (word !== "") return word === "thin" ? 1 : word === "medium" ? 3 : 5;
  // Without a declared width, a border is "medium". Without a declared style, the style may be that of a browser.
  return values.length(name, basis) ?? (style === "" ? 0 : 3);
}

export function boxOf(
  element: HtmlElement,
  values: Values,
  letters: Letters,
  display: string,
  isQuirky: boolean,
): Box {
  const { name } = element;
  const { fontSize, lineHeight, rootFontSize } = letters;
  const basis: LengthBasis = { fontSize, lineHeight, rootFontSize, whole: 0, isQuirky };
  let sideShare = letters.isIndentShare ? 1 : 0;
  let tallShare = 0;
  const isPart = isPartOfTable(display);
  const sides = (kind: "margin" | "padding"): Sides => {
    const own = indented.get(name);
    const names = kind === "margin" ? marginNames : paddingNames;
    const found = { top: 0, right: 0, bottom: 0, left: 0 };
    for (const side of sideNames) {
      const size = sizeOf(values, names[side], basis);
      const isSide = side === "left" || side === "right";
      if (size !== undefined && size !== "unknown") {
        // Of a share, the worse of both: none, or that of the widest window.
        const isAll = size.share < 0 || (display === "inline" && kind === "padding");
        found[side] = size.px + (isAll ? size.share * windowMost : 0);
        if (isSide) sideShare += Math.max(0, size.share);
        else tallShare += Math.max(0, size.share);
      } else if (!values.has(names[side])) {
        if (kind === "margin" && !isSide) found[side] = defaultSpace(element) * fontSize;
        else if (isSide && own?.[0] === kind) found[side] = own[side === "left" ? 1 : 2];
      }
    }
    return kind === "margin" && isPart ? noSides : found;
  };
  const margin = sides("margin");
  const padding = sides("padding");
  const border: Sides = {
    top: borderOf(values, "top", basis),
    right: borderOf(values, "right", basis),
    bottom: borderOf(values, "bottom", basis),
    left: borderOf(values, "left", basis),
  };
  const width = sizeOf(values, "width", basis);
  const minWidth = sizeOf(values, "min-width", basis);
  const maxWidth = sizeOf(values, "max-width", basis);
  const heights = ["height", "min-height", "max-height"].map((one) =>
    sizeOf(values, one, { ...basis, ex: leastEx }),
  );
  const pixels = (at: number): number | undefined => {
    const size = heights[at];
    return size === undefined || size === "unknown" || size.share !== 0 ? undefined : size.px;
  };
  const position = values.word("position");
  const isOutOfFlow = position === "absolute" || position === "fixed";
  const float = values.word("float");
  const isFloat = !isOutOfFlow && float !== "" && float !== "none";
  const inset = position === "" ? [] : sideNames.map((side) => sizeOf(values, side, basis));
  const sizing = values.word("box-sizing");
  return {
    display,
    isInline: display === "inline",
    isFloat,
    isFromRight: isFloat && float !== "left",
    isOutOfFlow,
    position: position === "static" ? "" : position,
    inset,
    shift: position === "relative" ? shiftOf(inset) : 0,
    margin,
    padding,
    border,
    sideShare,
    tallShare,
    width: width === "unknown" ? undefined : width,
    minWidth: minWidth === undefined || minWidth === "unknown" ? 0 : minWidth.px,
    minShare: typeof minWidth === "object" ? minWidth.share : 0,
    maxWidth: maxWidth === "unknown" ? undefined : maxWidth,
    isFitted:
      name === "legend" || name === "button" || [width, minWidth, maxWidth].some((one) => one === "unknown"),
    isBorderBox: sizing === "" ? name === "table" || name === "button" : sizing === "border-box",
    height: pixels(0),
    minHeight: pixels(1) ?? 0,
    maxHeight: pixels(2),
    isHeightShare: heights.slice(0, 3).some((one) => typeof one === "object" && one.share !== 0),
    clips: ["overflow-x", "overflow-y"].some((one) => !["", "visible"].includes(values.word(one))),
    corner: cornerNames.reduce((most, one) => {
      const value = values.get(one);
      return value === undefined
        ? most
        : Math.max(most, ...componentsOf(value).map((part) => cornerOf(part, basis)));
    }, 0),
    isCornerEven:
      componentsOf(values.get("border-radius") ?? []).length === 1 &&
      !cornerNames.slice(1).some((one) => values.has(one) || values.isUnsure(one)),
    items: itemsOf(display, values, basis),
    basis: basisOfItem(values, basis),
  };
}

function shiftOf(inset: Box["inset"]): number {
  const sizes = inset.filter((size) => size !== undefined);
  const isFar = sizes.some((size) => size === "unknown" || size.share !== 0);
  return isFar
    ? Number.POSITIVE_INFINITY
    : Math.max(0, ...sizes.map((size) => (size === "unknown" ? 0 : Math.abs(size.px))));
}

const cornerNames = [
  "border-radius",
  ...["top-left", "top-right", "bottom-left", "bottom-right"].map((one) => `border-${one}-radius`),
];

/** A share is of no known length. */
function cornerOf(part: Value, basis: LengthBasis): number {
  const [token] = part;
  if (token?.type === "percent") return token.number > 0 ? Number.POSITIVE_INFINITY : 0;
  return lengthOf(part, basis) ?? 0;
}

/** Whether the width is at most that of the box around, whatever it is declared to be. */
export function isBound({ maxWidth }: Pick<Box, "maxWidth">): boolean {
  return maxWidth !== undefined && maxWidth.share > 0 && maxWidth.share <= 1 && maxWidth.px <= 0;
}

/** Padding and border at the left and the right. */
export function insideOf({ padding, border }: Box): number {
  return padding.left + padding.right + border.left + border.right;
}

/** The same above and below. */
export function tallInsideOf({ padding, border }: Box): number {
  return padding.top + padding.bottom + border.top + border.bottom;
}

/** Margins at the left and the right that move the content in. */
export function outsideOf({ margin }: Box): number {
  return Math.max(0, margin.left) + Math.max(0, margin.right);
}

/** The same above and below. */
export function tallOutsideOf({ margin }: Box): number {
  return Math.max(0, margin.top) + Math.max(0, margin.bottom);
}
