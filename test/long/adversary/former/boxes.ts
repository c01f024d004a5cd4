/** The box of an element: its declared size, the space around it, its position, and whether it clips. Lengths are in CSS pixels. */
import { type LengthBasis, leastEx, lengthOf } from "#/src/formats/css/length.ts";
import { componentsOf, type Value } from "#/src/formats/css/value-forms.ts";
import { leastFontSize } from "#/src/formats/html/fonts.ts";
import type { HtmlElement } from "#/src/formats/html/tree.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import { type Box, initialValue, type Style, type StyleDoubt } from "./computed-style.ts";
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

/** A box that clips and is narrower or lower than this shows no glyph. */
const boxMin = 5;
const widthMax = 1300;
/** The width that is assumed for a box that is as wide as its content. */
const endless = 5000;
const spaceMax = 400;
const spaceBelowMax = 2000;
const borderMax = 60;
const spacingMax = 100;
/** Rounding error within which two numbers are equal. */
const rounding = 0.001;
/** A negative margin up to this width leaves the text in the window, because the margin of the body is as wide. */
const backMax = 8;
/** A wider border at a side of a box counts as a backdrop. */
export const sideBorderFree = 4;
const cornerMax = 30;
const scrollWidthMin = 60;
/** The least width of a scrolling box if its width is a percentage or it is in a cell, where padding and other cells take space. */
const scrollShareMin = 80;
export const scrollHeightMin = 40;

interface BoxContext {
  readonly isInline: boolean;
  readonly isFloating: boolean;
  readonly position: string;
  readonly display: string;
  readonly parent: Style;
  /** The width of the column, for a cell of a table with a fixed layout. */
  readonly columnWidth: number | undefined;
}

export interface BoxFacts {
  readonly width: number;
  readonly isFilling: boolean;
  /** The cell does not grow with its content. */
  readonly isFixedTable: boolean;
  /** Content beside it in its line is moved with it. */
  readonly pullsLine: boolean;
  readonly height: number | undefined;
  readonly leastHeight: number;
  readonly isUnsure: boolean;
  readonly isShareHigh: boolean;
  /** A negative margin moves the box out of the padding of its parent. */
  readonly isPulledBack: boolean;
  /** The width is a percentage of the parent's width. */
  readonly isShare: boolean;
  /** The width or the space beside the content is a percentage, also for a picture in a line. */
  readonly isShareWide: boolean;
  readonly mostWidth: number | undefined;
  readonly moved: number;
  readonly lifted: number;
  readonly cutsOff: boolean;
  readonly scrolls: boolean;
  readonly hidden: Removal | undefined;
  readonly doubts: readonly StyleDoubt[];
  /** Space beside its lines is a percentage of a width; cells do not grow for such space. */
  readonly hasShareBeside: boolean;
  /** The box is as wide as its content. */
  readonly isFitted: boolean;
  /** The least width that is declared. */
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

  // A percentage of the width of its own content may be as narrow as a glyph.
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
  // The size depends on the content.
  if (isClipping && isSizedByContent(values, element, context)) doubt("inside", "may-be-cut-off");
  // `text-overflow` replaces text at the edge of the box, also while the box can be scrolled.
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

/** Elements that have `box-sizing: border-box` in the style sheets of browsers. */
const borderBoxes = new Set(["table", "button"]);

function sizingOf(values: Values, { name }: HtmlElement): string {
  return wordIn(values, "box-sizing") || (borderBoxes.has(name) ? "border-box" : "");
}

const fittedElements = new Set(["button", "fieldset", "legend", "summary"]);

/** Whether the width or height of a box that clips cannot be known from its declarations. */
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
  // Negative margins of any size count, because many small ones add up.
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

/** Whether content after the box is pushed far along its line. */
function isFarAway(values: Values, side: string, basis: LengthBasis): boolean {
  const sizes = [`margin-${side}`, `padding-${side}`].map((name) => lengthIn(values, name, basis) ?? 0);
  return Math.max(...sizes) > spaceMax || borderOf(values, side, basis) > spaceMax;
}

function paddingOf(parent: Style, side: string): number {
  if (parent.display === "inline" || parent.display.startsWith("table")) return 0;
  const basis = { fontSize: leastFontSize(parent), lineHeight: 0, whole: 0, isQuirky: false };
  return Math.max(0, lengthIn(parent.values, `padding-${side}`, basis) ?? 0);
}

/** The number of cells in the row of a cell; more than 200 children count as a hundred. */
export function cellsBeside(cell: HtmlElement): number {
  let count = 0;
  if ((cell.parent?.children.length ?? 0) > 200) return 100;
  for (const node of cell.parent?.children ?? []) if (node.kind === "element") count++;
  return Math.max(1, count);
}

/** Bound on a height in percent; a larger one pushes what follows far away. */
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
    // A percentage of the height of a parent that grows with its content is no height.
    const [token] = value;
    const share = value.length === 1 && token?.type === "percent" ? token.number : 0;
    if (share > shareMax) doubt("paints", "may-be-covered");
    if (name === "min-height") return undefined;
    if (cutsOffAny(values)) {
      const isCut = parent.values.has("height") && cutsOffAny(parent.values);
      // Without a doctype, a percentage refers to the height of the window, minus the margins of all ancestors.
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
  // The distance from the upper edge of the content to the lower edge of the padding, where the box clips. The border is painted
  // below.
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
