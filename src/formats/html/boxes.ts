/** The box of an element: its size where that is given, the space around it, where it is moved, and what it cuts off. */
import { type LengthBasis, leastEx, lengthOf } from "#/src/formats/css/length.ts";
import { componentsOf, type Value } from "#/src/formats/css/value-forms.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { StyleDoubt } from "./cascade.ts";
import { type Box, initialValue, type Style } from "./computed-style.ts";
import { leastFontSize } from "./fonts.ts";
import { judgePlace, movedBy, surelyOutside } from "./places.ts";
import {
  isFitted,
  isInOwnCell,
  isPartOfTable,
  isShareOf,
  sharesBeside,
  smallShare,
  wholeShare,
} from "./shares.ts";
import { borderOf, cutsOffAny, isReplaced, lengthIn, type Spaces, type Values, wordIn } from "./spaces.ts";
import type { HtmlElement } from "./tree.ts";

/** Boxes that cut off and are narrower or lower than this show no letter. */
const boxMin = 5;
const widthMax = 1300;
/** Of a box that is as wide as what it holds. */
const endless = 5000;
const spaceMax = 400;
const spaceBelowMax = 2000;
const borderMax = 60;
const spacingMax = 100;
/** Of numbers that are the same. */
const rounding = 0.001;
/** Moved back by so much, letters still stand in the window: its own margin is as wide. */
const backMax = 8;
/** A wider border at the side of a box is a backdrop of its own. */
export const sideBorderFree = 4;
const cornerMax = 30;
const scrollWidthMin = 60;
/** Of a share, and in a cell, where padding and other cells take of it. */
const scrollShareMin = 80;
export const scrollHeightMin = 40;

interface BoxContext {
  readonly isInline: boolean;
  readonly isFloating: boolean;
  readonly position: string;
  readonly display: string;
  readonly parent: Style;
  /** Of a cell of a table whose layout is fixed. */
  readonly columnWidth: number | undefined;
}

export interface BoxFacts {
  readonly width: number;
  readonly isFilling: boolean;
  /** Of a cell: it does not grow with what it holds. */
  readonly isFixedTable: boolean;
  /** What stands beside it in its line is pulled too. */
  readonly pullsLine: boolean;
  readonly height: number | undefined;
  readonly leastHeight: number;
  readonly isUnsure: boolean;
  readonly isShareHigh: boolean;
  /** Pulled to the left, out of the padding of its parent. */
  readonly isPulledBack: boolean;
  /** Its width is a share of its parent's. */
  readonly isShare: boolean;
  /** That, or what stands beside its content, also of a picture in a line. */
  readonly isShareWide: boolean;
  readonly mostWidth: number | undefined;
  readonly moved: number;
  readonly lifted: number;
  readonly cutsOff: boolean;
  readonly scrolls: boolean;
  readonly hidden: Removal | undefined;
  readonly doubts: readonly StyleDoubt[];
  /** Space beside its lines is a share of a width: no cell grows for that. */
  readonly hasShareBeside: boolean;
  /** As wide as what it holds, by its own width. */
  readonly isFitted: boolean;
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
  const isShrunk = parent.isShrunk || isInOwnCell(display, parent.display);
  const doubts: StyleDoubt[] = [];
  const doubt = (reach: StyleDoubt["reach"], why?: Doubt): void =>
    void doubts.push({ reach, why: why ?? undefined });
  let hidden: Removal | undefined;

  const isPulledBack = judgeSpaces(values, spaces, basis, context, doubt);
  if (spaces.shiftLeft <= -surelyOutside) hidden = "off-screen";
  const isSized = !isInline || isReplaced(element.name);
  const isPart = isPartOfTable(display);
  const inner = { ...basis, whole: parent.width };
  const low = { ...inner, ex: leastEx };
  const length = (name: string): number | undefined => {
    const size = isSized ? lengthIn(values, name, low) : undefined;
    return size === undefined ? undefined : Math.max(0, size);
  };
  const [width, least, most] = [length("width"), length("min-width"), length("max-width")];
  if (!isInline && Math.max(width ?? 0, least ?? 0) > widthMax) doubt("moves", "may-be-off-screen");
  const room = Math.max(0, parent.width - spaces.left - spaces.right);
  let own = Math.max(least ?? 0, Math.min(width ?? room, most ?? Number.POSITIVE_INFINITY));
  const isBorderBox = sizingOf(values, element) === "border-box";
  if (isBorderBox && (width ?? least ?? most) !== undefined) own = Math.max(0, own - spaces.paddingSides);
  if (isInline) own = parent.width;
  else if (context.columnWidth !== undefined) own = Math.max(0, context.columnWidth - spaces.paddingSides);
  else if (display === "table-cell")
    own = Math.min(width ?? most ?? room, width === undefined ? room / cellsBeside(element) : room);
  else if (display.startsWith("table-") && display !== "table-cell" && display !== "table-caption")
    own = parent.width;

  // A part of the width of its own content may be as narrow as a letter.
  const isShareBelow = (share: number): boolean =>
    ["width", "max-width"].some((name) => isShareOf(values, name, share));
  if (isShrunk && !isInline && !isPart) if (isShareBelow(wholeShare)) own = Math.min(own, boxMin);

  const sizes = isSized
    ? heightOf(
        values,
        { ...basis, ex: leastEx },
        spaces,
        { parent, isBorderBox },
        isInline ? () => undefined : doubt,
      )
    : noSizes;
  const height = isPart ? undefined : sizes.height;
  const leastHeight = isPart ? Math.max(sizes.height ?? 0, sizes.least) : sizes.least;
  const overflow = ["overflow-x", "overflow-y"]
    .map((name) => wordIn(values, name))
    .filter((word) => word !== "" && word !== "visible");
  const isFixedTable = parent.isFixedTable || (display === "table-cell" && most !== undefined);
  const isClipping =
    overflow.length > 0 &&
    !isInline &&
    (!isPart || /^(?:inline-)?table$/.test(display) || (display === "table-cell" && isFixedTable));
  const scrolls =
    isClipping &&
    overflow.every((word) => word === "auto" || word === "scroll" || word === "overlay") &&
    element.name !== "body";
  // Its size goes by what it holds, or has to be fitted to it in a way of its own.
  if (isClipping && isSizedByContent(values, element, context)) doubt("inside", "may-be-cut-off");
  // Where it is cut off, and not where it is scrolled to, stands a mark for what is left out.
  if (scrolls && !["", "clip"].includes(wordIn(values, "text-overflow"))) doubt("inside", "may-be-cut-off");
  const isShare = ["width", "min-width", "max-width"].some((name) => isShareOf(values, name));
  const scrollWidth = isShare || parent.isGrowing ? scrollShareMin : scrollWidthMin;
  if (scrolls && (own < scrollWidth || (height ?? scrollHeightMin) < scrollHeightMin))
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
      (spaces.pullSide < 0 && (isInline || display.startsWith("inline-"))) ||
      Math.max(width ?? 0, least ?? 0) > widthMax ||
      ["left", "right"].some((side) => isFarAway(values, side, basis)),
    height,
    leastHeight,
    isUnsure:
      (parent.isMeasured && ["height", "min-height"].some((name) => isShareOf(values, name))) ||
      (!isInline &&
        ["width", "min-width", "max-width"].some((name) => /(?:min|max)-content/.test(wordIn(values, name)))),
    isShareHigh: ["height", "min-height"].some((name) => isShareOf(values, name)),
    isPulledBack,
    isShare: !isInline && isShareOf(values, "width"),
    isShareWide: [...sharesBeside, "width", "min-width"].some((name) => isShareOf(values, name)),
    mostWidth: most,
    moved: parent.moved + movedBy(values, basis, context, ["left", "right", "top", "bottom"]),
    lifted: parent.lifted + movedBy(values, basis, context, ["top", "bottom"]),
    cutsOff: isClipping && !scrolls,
    scrolls,
    hidden,
    doubts,
    isFitted: isFitted(values, element),
    hasShareBeside: sharesBeside.some(
      (name) => isShareOf(values, name) && !isShareOf(values, name, smallShare),
    ),
    asked: ["width", "min-width"].some((name) => wordIn(values, name).endsWith("max-content"))
      ? endless
      : isSized
        ? Math.max(width ?? 0, least ?? 0)
        : 0,
    movedRight: context.position === "relative" ? Math.max(0, lengthIn(values, "left", inner) ?? 0) : 0,
    corner: (isPainted) => {
      const radius = radiusOf(values, basis);
      return radius > cornerMax && (isPainted || isClipping)
        ? { radius, padding: spaces.paddingLeast }
        : undefined;
    },
  };
}

/** Browsers size tables and buttons so by themselves. */
const borderBoxes = new Set(["table", "button"]);

function sizingOf(values: Values, { name }: HtmlElement): string {
  return wordIn(values, "box-sizing") || (borderBoxes.has(name) ? "border-box" : "");
}

const fittedElements = new Set(["button", "fieldset", "legend", "summary"]);

/** A box that cuts off, and whose width or height is not known from what is declared. */
function isSizedByContent(values: Values, element: HtmlElement, { parent, display }: BoxContext): boolean {
  const isBound = boundingSizes.some((name) => values.has(name));
  if (isBound && (fittedElements.has(element.name) || display === "table-caption" || display === "list-item"))
    return true;
  if (boundingSizes.some((name) => /content|stretch|fill|intrinsic/.test(wordIn(values, name)))) return true;
  return (
    (parent.isShrunk || isInOwnCell(display, parent.display)) &&
    ["width", "min-width", "max-width"].some((name) => isShareOf(values, name, wholeShare))
  );
}

const boundingSizes = ["width", "min-width", "max-width", "height", "min-height", "max-height"];

function judgeSpaces(
  values: Values,
  spaces: Spaces,
  basis: LengthBasis,
  { parent, isInline, isFloating, display }: BoxContext,
  doubt: (reach: StyleDoubt["reach"], why?: Doubt) => void,
): boolean {
  let isPulledBack = false;
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
  // The smallest pulls add up.
  if (spaces.pullUp < 0) doubt("paints", "may-be-covered");
  if (spaces.pullSide < 0 && spaces.pullSide > -surelyOutside) {
    const isBeside = isInline || isFloating || display.startsWith("inline-");
    const isInPadding =
      !isBeside &&
      ["left", "right"].every(
        (side) => (lengthIn(values, `margin-${side}`, basis) ?? 0) >= -paddingOf(parent, side) - rounding,
      );
    isPulledBack = !isInPadding;
    const isWithin =
      isInPadding ||
      (!isBeside &&
        spaces.pullSide >= -backMax &&
        parent.shiftLeft + spaces.pullSide >= 0 &&
        parent.sideBorder <= sideBorderFree);
    if (!isWithin) doubt(isFloating ? "paints" : isBeside ? "pulls" : "moves", "may-be-covered");
  }
  return isPulledBack;
}

/** What stands behind it is pushed along its line. */
function isFarAway(values: Values, side: string, basis: LengthBasis): boolean {
  const sizes = [`margin-${side}`, `padding-${side}`].map((name) => lengthIn(values, name, basis) ?? 0);
  return Math.max(...sizes) > spaceMax || borderOf(values, side, basis) > spaceMax;
}

function paddingOf(parent: Style, side: string): number {
  if (parent.display === "inline" || parent.display.startsWith("table")) return 0;
  const basis = { fontSize: leastFontSize(parent), lineHeight: 0, whole: 0, isQuirky: false };
  return Math.max(0, lengthIn(parent.values, `padding-${side}`, basis) ?? 0);
}

/** Cells of the row that it stands in; a hundred are as good as all. */
export function cellsBeside(cell: HtmlElement): number {
  let count = 0;
  if ((cell.parent?.children.length ?? 0) > 200) return 100;
  for (const node of cell.parent?.children ?? []) if (node.kind === "element") count++;
  return Math.max(1, count);
}

/** Per cent of a height: a larger one pushes what follows far away. */
const shareMax = 1000;

function heightOf(
  values: Values,
  basis: LengthBasis,
  spaces: Spaces,
  { parent, isBorderBox }: { readonly parent: Style; readonly isBorderBox: boolean },
  doubt: (reach: StyleDoubt["reach"], why?: Doubt) => void,
): Sizes {
  const size = (name: string): number | undefined => {
    const value = values.get(name);
    if (value === undefined || value === initialValue) return undefined;
    if (!value.some(({ type }) => type === "percent")) return lengthOf(value, basis);
    // A share of what is as high as its content is no height.
    const [token] = value;
    const share = value.length === 1 && token?.type === "percent" ? token.number : 0;
    if (share > shareMax) doubt("paints", "may-be-covered");
    if (name === "min-height") return undefined;
    if (cutsOffAny(values)) {
      const isCut = parent.values.has("height") && cutsOffAny(parent.values);
      // Without a doctype it goes by the window, less the margins of all around.
      if (parent.hasHeight || isCut || share < 100 || basis.isQuirky) doubt("moves", "may-be-cut-off");
      return undefined;
    }
    if (share >= 100) return undefined;
    if (basis.isQuirky || parent.values.has("height")) doubt("moves", "may-be-cut-off");
    return undefined;
  };
  const [height, least, most] = [size("height"), size("min-height"), size("max-height")];
  if (height === undefined && most === undefined) return { height: undefined, least: least ?? 0 };
  const wanted = Math.max(
    least ?? 0,
    Math.min(height ?? Number.POSITIVE_INFINITY, most ?? Number.POSITIVE_INFINITY),
  );
  // From the upper edge of the content to the lower one of the padding: it cuts off there, and its border is drawn below.
  const paddingBelow = spaces.paddingBottom - spaces.borderBelow;
  const inner = isBorderBox
    ? Math.max(wanted - spaces.paddingTop - spaces.borderBelow, paddingBelow)
    : wanted + paddingBelow;
  return { height: inner, least: least ?? 0 };
}

interface Sizes {
  readonly height: number | undefined;
  readonly least: number;
}

const noSizes: Sizes = { height: undefined, least: 0 };

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
