/** The space around the content of an element: margins, borders and padding, from the page or from the style sheets of browsers.
 *  Lengths are in CSS pixels. */
import { type LengthBasis, leastEx, lengthOf } from "#/src/formats/css/length.ts";
import { wordOf } from "#/src/formats/css/value-forms.ts";
import type { HtmlElement } from "#/src/formats/html/tree.ts";
import { defaultSpace } from "#/src/formats/html/user-agent.ts";
import { initialValue, type StyleValue } from "./computed-style.ts";

export type Values = ReadonlyMap<string, StyleValue>;

interface SpaceContext {
  readonly isInline: boolean;
  readonly isRightToLeft: boolean;
  readonly isFloating: boolean;
  readonly position: string;
  readonly display: string;
  /** The least font size that browsers may use; they differ for monospace fonts. */
  readonly leastFontSize: number;
}

export interface Spaces {
  /** Margin, border and padding of a side; a negative margin counts as 0. */
  readonly left: number;
  readonly right: number;
  readonly shiftLeft: number;
  readonly shiftRight: number;
  readonly above: number;
  readonly below: number;
  /** The part of `above` and `below` that exists in every case. A lower bound. */
  readonly gapAbove: number;
  readonly gapBelow: number;
  readonly paddingSides: number;
  /** The left padding, without the border. */
  readonly paddingLeft: number;
  readonly borderSide: number;
  /** The space into which a negative indent may move a line: the padding, and the margin if there is no border. */
  readonly indentRoom: number;
  readonly paddingLeast: number;
  readonly paddingRight: number;
  readonly paddingTop: number;
  readonly paddingBottom: number;
  readonly hasBorder: boolean;
  readonly linePaint: number;
  readonly lineBorder: number;
  readonly borderBelow: number;
  /** The smallest of the vertical and of the horizontal margins; negative if a margin pulls the box. */
  readonly pullUp: number;
  readonly pullSide: number;
}

export function wordIn(values: Values, name: string): string {
  if (values.size === 0) return "";
  const value = values.get(name);
  return value === undefined || value === initialValue ? "" : wordOf(value);
}

export function lengthIn(values: Values, name: string, basis: LengthBasis): number | undefined {
  if (values.size === 0) return undefined;
  const value = values.get(name);
  return value === undefined || value === initialValue ? undefined : lengthOf(value, basis);
}

export function borderOf(values: Values, side: string, basis: LengthBasis): number {
  const name = `border-${side}-width`;
  const style = wordIn(values, `border-${side}-style`);
  if (style === "none" || style === "hidden") return 0;
  const word = wordIn(values, name);
  if (word !== "") return word === "thin" ? 1 : word === "medium" ? 3 : 5;
  // Without a declared width, a border is "medium". Without a declared style, the style may be that of a browser.
  return lengthIn(values, name, basis) ?? (style === "" ? 0 : 3);
}

/** Replaced elements, whose margins count in a line too. */
const replacedElements = new Set(
  "img svg video audio canvas iframe object embed input select textarea button meter progress math".split(
    " ",
  ),
);

/** Blocks that are indented by the style sheets of browsers. */
const indented: ReadonlyMap<string, readonly [left: number, right: number]> = new Map([
  ["blockquote", [40, 40]],
  ["figure", [40, 40]],
  ["ul", [40, 0]],
  ["ol", [40, 0]],
  ["menu", [40, 0]],
  ["dir", [40, 0]],
  ["dd", [40, 0]],
  ["body", [8, 8]],
  ["fieldset", [14, 14]],
]);

export function cutsOffAny(values: Values): boolean {
  return ["overflow-x", "overflow-y"].some((name) => !["", "visible"].includes(wordIn(values, name)));
}

/** Whether the style sheets of browsers put space around the element. */
export function hasOwnSpaces(element: HtmlElement): boolean {
  return indented.has(element.name) || defaultSpace(element) > 0;
}

export function isReplaced(name: string): boolean {
  return replacedElements.has(name);
}

export function spacesOf(
  values: Values,
  element: HtmlElement,
  basis: LengthBasis,
  context: SpaceContext,
): Spaces {
  const ownSpace = indented.get(element.name);
  const hasNoMargin = /^table-(?:cell|row|.*group|column)/.test(context.display);
  const vertical = defaultSpace(element) * basis.fontSize;
  const margin = (side: string, otherwise: number): number =>
    hasNoMargin
      ? 0
      : (lengthIn(values, `margin-${side}`, basis) ?? (values.has(`margin-${side}`) ? 0 : otherwise));
  const padding = (side: string): number => lengthIn(values, `padding-${side}`, basis) ?? 0;
  const isPadded = values.has("padding-left");
  const [left, right] = [
    margin("left", isPadded ? 0 : (ownSpace?.[0] ?? 0)),
    margin("right", ownSpace?.[1] ?? 0),
  ];
  const hasNoHeight = context.isInline && !replacedElements.has(element.name);
  // A percentage of an unknown width is at least that of 0, and at most that of the window.
  const narrow = { ...basis, whole: 0, fontSize: context.leastFontSize, ex: leastEx };
  const wide = { ...basis, whole: Math.max(basis.whole, 1024) };
  const ofBoth = (name: string): readonly number[] =>
    [narrow, wide].flatMap((one) => lengthIn(values, name, one) ?? []);
  const least = (name: string, otherwise: number): number => {
    if (hasNoHeight || (hasNoMargin && name.startsWith("margin"))) return 0;
    const sizes = ofBoth(name);
    return sizes.length > 0 ? Math.min(...sizes) : values.has(name) ? 0 : otherwise;
  };
  const most = (name: string, size: number): number => Math.max(size, ...ofBoth(name));
  const [top, bottom] = hasNoHeight ? [0, 0] : [margin("top", vertical), margin("bottom", vertical)];
  const border = (side: string): number => borderOf(values, side, basis);
  const paddingTop = padding("top") + border("top");
  const paddingBottom = padding("bottom") + border("bottom");
  const paddingLeft = padding("left") + border("left");
  const paddingRight = padding("right") + border("right");
  // A border without a style has no width. Padding and borders of tables and rows may have no effect.
  const hasInside = context.display === "table-cell" || !context.display.startsWith("table");
  const isSaid = (side: string): boolean => wordIn(values, `border-${side}-style`) !== "";
  const gap = (side: string): number =>
    Math.max(0, least(`margin-${side}`, isOwnSpaceSure(element) ? vertical : 0)) +
    (hasInside ? Math.max(0, least(`padding-${side}`, 0)) + (isSaid(side) ? border(side) : 0) : 0);
  return {
    gapAbove: gap("top"),
    gapBelow: gap("bottom"),
    left: Math.max(0, left) + paddingLeft,
    right: Math.max(0, right) + paddingRight,
    shiftLeft: left + paddingLeft,
    shiftRight: Math.max(0, right) + paddingRight,
    above: hasNoHeight
      ? paddingTop
      : most("margin-top", Math.max(0, top)) + most("padding-top", padding("top")) + border("top"),
    below: hasNoHeight
      ? paddingBottom
      : most("margin-bottom", Math.max(0, bottom)) +
        most("padding-bottom", padding("bottom")) +
        border("bottom"),
    paddingSides: paddingLeft + paddingRight,
    paddingLeft: padding("left"),
    borderSide: Math.max(border("left"), border("right")),
    indentRoom: context.isRightToLeft
      ? 0
      : border("left") > 0 || cutsOffAny(values)
        ? padding("left")
        : Math.max(0, left) + padding("left"),
    paddingLeast: Math.min(padding("top"), padding("bottom"), padding("left"), padding("right")),
    paddingRight,
    paddingTop,
    paddingBottom,
    hasBorder: ["top", "right", "bottom", "left"].some((side) => border(side) > 0),
    linePaint: Math.max(paddingTop, paddingBottom),
    lineBorder: Math.max(border("top"), border("bottom")),
    borderBelow: border("bottom"),
    pullUp: Math.min(top, bottom),
    pullSide: Math.min(left, right),
  };
}

/** Lists in lists have none, and a fieldset has padding. */
const unsureSpaces = new Set(["ul", "ol", "dl", "menu", "dir", "fieldset"]);

/** Whether its space above and below is surely there. */
export function isOwnSpaceSure({ name }: HtmlElement): boolean {
  return !unsureSpaces.has(name);
}
