/** The box of an element: its size where that is given, the space around it, where it is moved, and what it cuts off. */
import { type LengthBasis, lengthOf } from "#/src/formats/css/length.ts";
import { componentsOf, type Value, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { StyleDoubt } from "./cascade.ts";
import { type Box, initialValue, type Style, type StyleValue } from "./computed-style.ts";
import type { HtmlElement } from "./tree.ts";
import { defaultSpace } from "./user-agent.ts";

type Values = ReadonlyMap<string, StyleValue>;

/** Boxes that cut off and are narrower or lower than this show no letter. */
const boxMin = 5;
const widthMax = 1300;
const spaceMax = 400;
const spaceBelowMax = 2000;
const borderMax = 60;
const spacingMax = 100;
/** Moved back by so much, letters still stand in the window: its own margin is as wide. */
const backMax = 8;
const relativeMax = 6;
/** Moved by so little, nothing is covered. */
const relativeFree = 1.5;
const movedRightMax = 64;
/** Nothing that begins so far out reaches into the window. */
const surelyOutside = 3000;
const cornerMax = 30;
const scrollWidthMin = 60;
const scrollHeightMin = 40;

interface SpaceContext {
  readonly isInline: boolean;
  readonly isRightToLeft: boolean;
  readonly isFloating: boolean;
  readonly position: string;
  readonly display: string;
}

export interface Spaces {
  /** Margin, border and padding of both sides; less than 0 counts as nothing. */
  readonly left: number;
  readonly right: number;
  readonly shiftLeft: number;
  readonly shiftRight: number;
  readonly above: number;
  readonly below: number;
  readonly paddingSides: number;
  readonly paddingLeast: number;
  readonly paddingRight: number;
  readonly paddingTop: number;
  readonly paddingBottom: number;
  readonly hasBorder: boolean;
  readonly linePaint: number;
  readonly lineBorder: number;
  /** Of the smallest of the margins. */
  readonly pullUp: number;
  readonly pullSide: number;
}

function wordIn(values: Values, name: string): string {
  if (values.size === 0) return "";
  const value = values.get(name);
  return value === undefined || value === initialValue ? "" : wordOf(value);
}

function lengthIn(values: Values, name: string, basis: LengthBasis): number | undefined {
  if (values.size === 0) return undefined;
  const value = values.get(name);
  return value === undefined || value === initialValue ? undefined : lengthOf(value, basis);
}

function borderOf(values: Values, side: string, basis: LengthBasis): number {
  const name = `border-${side}-width`;
  const word = wordIn(values, name);
  if (word !== "") return word === "thin" ? 1 : word === "medium" ? 3 : 5;
  return lengthIn(values, name, basis) ?? 0;
}

/** Margins of these count in a line too. */
const replacedElements = new Set(
  "img svg video canvas iframe object embed input select textarea button meter progress math".split(" "),
);

/** Blocks that a browser itself moves in. */
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
  const [top, bottom] = hasNoHeight ? [0, 0] : [margin("top", vertical), margin("bottom", vertical)];
  const border = (side: string): number => borderOf(values, side, basis);
  const paddingTop = padding("top") + border("top");
  const paddingBottom = padding("bottom") + border("bottom");
  const paddingLeft = padding("left") + border("left");
  const paddingRight = padding("right") + border("right");
  return {
    left: Math.max(0, left) + paddingLeft,
    right: Math.max(0, right) + paddingRight,
    shiftLeft: left + paddingLeft,
    shiftRight: Math.max(0, right) + paddingRight,
    above: Math.max(0, top) + paddingTop,
    below: Math.max(0, bottom) + paddingBottom,
    paddingSides: paddingLeft + paddingRight,
    paddingLeast: Math.min(padding("top"), padding("bottom"), padding("left"), padding("right")),
    paddingRight,
    paddingTop,
    paddingBottom,
    hasBorder: ["top", "right", "bottom", "left"].some((side) => border(side) > 0),
    linePaint: Math.max(paddingTop, paddingBottom),
    lineBorder: Math.max(border("top"), border("bottom")),
    pullUp: Math.min(top, bottom),
    pullSide: Math.min(left, right),
  };
}

interface BoxContext {
  readonly isInline: boolean;
  readonly isFloating: boolean;
  readonly position: string;
  readonly display: string;
  readonly parent: Style;
}

export interface BoxFacts {
  readonly width: number;
  readonly isFilling: boolean;
  /** Of a cell: it does not grow with what it holds. */
  readonly isFixedTable: boolean;
  /** What stands beside it in its line is pulled too. */
  readonly pullsLine: boolean;
  readonly height: number | undefined;
  readonly cutsOff: boolean;
  readonly scrolls: boolean;
  readonly hidden: Removal | undefined;
  readonly doubts: readonly StyleDoubt[];
  /** Least width that it asks for. */
  readonly asked: number;
  readonly movedRight: number;
  corner(isPainted: boolean): Box["corner"];
}

export function boxOf(
  values: Values,
  spaces: Spaces,
  element: HtmlElement,
  basis: LengthBasis,
  context: BoxContext,
): BoxFacts {
  const { parent, isInline, display } = context;
  const doubts: StyleDoubt[] = [];
  const doubt = (reach: StyleDoubt["reach"], why?: Doubt): void =>
    void doubts.push({ reach, why: why ?? undefined });
  let hidden: Removal | undefined;

  judgeSpaces(values, spaces, basis, context, doubt);
  if (spaces.shiftLeft <= -surelyOutside) hidden = "off-screen";
  const isPart = display.startsWith("table") || display === "inline-table";
  const inner = { ...basis, whole: parent.width };
  const length = (name: string): number | undefined => {
    const size = isInline ? undefined : lengthIn(values, name, inner);
    return size === undefined ? undefined : Math.max(0, size);
  };
  const [width, least, most] = [length("width"), length("min-width"), length("max-width")];
  if (Math.max(width ?? 0, least ?? 0) > widthMax) doubt("moves", "may-be-off-screen");
  const room = Math.max(0, parent.width - spaces.left - spaces.right);
  let own = Math.max(least ?? 0, Math.min(width ?? room, most ?? Number.POSITIVE_INFINITY));
  if (wordIn(values, "box-sizing") === "border-box" && (width ?? least ?? most) !== undefined)
    own = Math.max(0, own - spaces.paddingSides);
  if (isInline) own = parent.width;
  else if (display === "table-cell" && width === undefined)
    own = Math.min(most ?? room, room / cellsBeside(element));
  else if (display.startsWith("table-") && display !== "table-cell" && display !== "table-caption")
    own = parent.width;

  const height = isInline || isPart ? undefined : heightOf(values, basis, spaces, context, doubt);
  const overflow = ["overflow-x", "overflow-y"]
    .map((name) => wordIn(values, name))
    .filter((word) => word !== "" && word !== "visible");
  const isFixedTable = parent.isFixedTable || (display === "table-cell" && most !== undefined);
  const isClipping =
    overflow.length > 0 && !isInline && (!isPart || (display === "table-cell" && isFixedTable));
  const scrolls =
    isClipping &&
    overflow.every((word) => word === "auto" || word === "scroll" || word === "overlay") &&
    element.name !== "body";
  if (scrolls && (own < scrollWidthMin || (height ?? scrollHeightMin) < scrollHeightMin))
    doubt("inside", "may-be-cut-off");
  if (
    isClipping &&
    !["html", "body"].includes(element.name) &&
    ((height ?? boxMin) < boxMin || (own < boxMin && (width ?? most) !== undefined))
  )
    hidden ??= "zero-size-text";
  hidden = judgePlace(values, basis, context, doubt) ?? hidden;
  return {
    width: own,
    isFilling: width === undefined && most === undefined,
    isFixedTable,
    pullsLine:
      (spaces.pullSide < -0.5 && (isInline || display.startsWith("inline-"))) ||
      Math.max(width ?? 0, least ?? 0) > widthMax,
    height,
    cutsOff: isClipping && !scrolls,
    scrolls,
    hidden,
    doubts,
    asked: isInline ? 0 : Math.max(width ?? 0, least ?? 0),
    movedRight: context.position === "relative" ? Math.max(0, lengthIn(values, "left", inner) ?? 0) : 0,
    corner: (isPainted) => {
      const radius = radiusOf(values, basis);
      return radius > cornerMax && (isPainted || isClipping)
        ? { radius, padding: spaces.paddingLeast }
        : undefined;
    },
  };
}

function judgeSpaces(
  values: Values,
  spaces: Spaces,
  basis: LengthBasis,
  { parent, isInline, isFloating, display }: BoxContext,
  doubt: (reach: StyleDoubt["reach"], why?: Doubt) => void,
): void {
  for (const side of ["left", "right", "top", "bottom"]) {
    const isSide = side === "left" || side === "right";
    const most = isSide ? spaceMax : spaceBelowMax;
    const sizes = [lengthIn(values, `margin-${side}`, basis), lengthIn(values, `padding-${side}`, basis)];
    if (sizes.some((size) => (size ?? 0) > most)) doubt("inside", "may-be-off-screen");
    if (borderOf(values, side, basis) > borderMax) doubt("inside", "may-be-off-screen");
  }
  const spacing = values.get("border-spacing");
  if (spacing !== undefined && spacing !== initialValue)
    for (const part of componentsOf(spacing as Value))
      if ((lengthOf(part, basis) ?? 0) > spacingMax) doubt("inside", "may-be-off-screen");
  if (spaces.pullUp < -0.5) doubt("paints", "may-be-covered");
  if (spaces.pullSide < -0.5 && spaces.pullSide > -surelyOutside) {
    const isBeside = isInline || isFloating || display.startsWith("inline-");
    const isWithin =
      !isBeside &&
      (["left", "right"].every(
        (side) => (lengthIn(values, `margin-${side}`, basis) ?? 0) >= -paddingOf(parent, side) - 0.5,
      ) ||
        (spaces.pullSide >= -backMax && parent.shiftLeft + spaces.pullSide >= -backMax));
    if (!isWithin) doubt(isFloating ? "paints" : isBeside ? "pulls" : "moves", "may-be-covered");
  }
}

function paddingOf(parent: Style, side: string): number {
  const basis = { fontSize: parent.fontSize, lineHeight: 0, whole: 0, isQuirky: false };
  return Math.max(0, lengthIn(parent.values, `padding-${side}`, basis) ?? 0);
}

/** Cells of the row that it stands in; a hundred are as good as all. */
export function cellsBeside(cell: HtmlElement): number {
  let count = 0;
  if ((cell.parent?.children.length ?? 0) > 200) return 100;
  for (const node of cell.parent?.children ?? []) if (node.kind === "element") count++;
  return Math.max(1, count);
}

function heightOf(
  values: Values,
  basis: LengthBasis,
  spaces: Spaces,
  { parent }: BoxContext,
  doubt: (reach: StyleDoubt["reach"], why?: Doubt) => void,
): number | undefined {
  const size = (name: string): number | undefined => {
    const value = values.get(name);
    if (value === undefined || value === initialValue) return undefined;
    if (!value.some(({ type }) => type === "percent")) return lengthOf(value, basis);
    // A share of what is as high as its content is no height; without a doctype it goes by the window.
    const [token] = value;
    const share = value.length === 1 && token?.type === "percent" ? token.number : 0;
    if (name === "min-height" || share >= 100) return undefined;
    if (basis.isQuirky || parent.values.has("height")) doubt("moves", "may-be-cut-off");
    return undefined;
  };
  const [height, least, most] = [size("height"), size("min-height"), size("max-height")];
  if (height === undefined && most === undefined) return undefined;
  const wanted = Math.max(
    least ?? 0,
    Math.min(height ?? Number.POSITIVE_INFINITY, most ?? Number.POSITIVE_INFINITY),
  );
  // From the upper edge of the content to the lower one of the padding.
  return wordIn(values, "box-sizing") === "border-box"
    ? Math.max(wanted - spaces.paddingTop, spaces.paddingBottom)
    : wanted + spaces.paddingBottom;
}

/** Whether it is moved from its place in flow. */
function judgePlace(
  values: Values,
  basis: LengthBasis,
  { position, parent }: BoxContext,
  doubt: (reach: StyleDoubt["reach"], why?: Doubt) => void,
): Removal | undefined {
  if (position === "" || position === "static") return undefined;
  const offsets = ["left", "right", "top", "bottom"].map((side) =>
    lengthIn(values, side, { ...basis, whole: parent.width }),
  );
  const [left, , top] = offsets;
  const layer = values.get("z-index");
  if (layer !== undefined && layer !== initialValue && layer[0]?.type === "number" && layer[0].number < 0)
    doubt("moves", "may-be-covered");
  if (position === "relative") {
    if ((left ?? 0) <= -surelyOutside) {
      doubt("moves", "may-be-off-screen");
      return "off-screen";
    }
    const sizes = offsets.map((offset) => Math.abs(offset ?? 0));
    const isRight =
      (left ?? 0) > 0 && (left ?? 0) <= movedRightMax && sizes.slice(1).every((size) => size <= relativeMax);
    if (!isRight && sizes.some((size) => size > relativeMax)) doubt("moves", "may-be-off-screen");
    else if (sizes.some((size) => size > relativeFree)) doubt("moves");
    return undefined;
  }
  doubt("moves", "may-be-off-screen");
  return (left ?? 0) <= -surelyOutside || (top ?? 0) <= -surelyOutside ? "off-screen" : undefined;
}

function radiusOf(values: Values, basis: LengthBasis): number {
  const value = values.get("border-radius");
  if (value === undefined || value === initialValue) return 0;
  return componentsOf(value).reduce(
    (most, part) =>
      Math.max(
        most,
        part[0]?.type === "percent" ? (part[0].number > 0 ? 9999 : 0) : (lengthOf(part, basis) ?? 0),
      ),
    0,
  );
}
