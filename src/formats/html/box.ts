/** The box of an element: its size where that is given, where it is placed, and what it cuts off. */
import { type LengthBasis, lengthOf } from "#/src/formats/css/length.ts";
import { viewport } from "#/src/formats/css/media.ts";
import { type Value, wordOf } from "#/src/formats/css/properties.ts";
import { initialStyle, type Style } from "./computed-style.ts";

type Values = ReadonlyMap<string, Value>;

/** Boxes narrower or lower than this show no letter. */
const boxMin = 5;

export interface Box {
  readonly width: number;
  readonly isNothing: boolean;
  readonly clipsX: boolean;
  readonly clipsLines: boolean;
  readonly height: number | undefined;
  readonly cutsY: boolean;
}

export interface Place {
  readonly dx: number;
  readonly dy: number;
  readonly isExactX: boolean;
  readonly isExactY: boolean;
}

export function isPositioned(position: string): boolean {
  return position !== "" && position !== "static";
}

function bounded(
  size: number | undefined,
  least: number | undefined,
  most: number | undefined,
  otherwise?: number,
): number | undefined {
  const wanted =
    size ?? (most === undefined ? undefined : otherwise === undefined ? most : Math.min(most, otherwise));
  if (wanted === undefined) return undefined;
  return Math.max(least ?? 0, Math.min(wanted, most ?? Number.POSITIVE_INFINITY));
}

/** How far something is moved that stands so far from the right or lower edge. */
function beyond(distance: number, whole: number): number {
  return distance < 0 || distance > whole ? whole - distance : 0;
}

/** Size of a box, and what it cuts off. */
export function boxOf(
  values: Values,
  parent: Style,
  isInline: boolean,
  display: string,
  basis: LengthBasis,
): Box {
  const { width } = parent;
  // Cells and tables grow with what they hold.
  if (isInline || display.includes("table"))
    return { width, isNothing: false, clipsX: false, clipsLines: false, height: undefined, cutsY: false };
  const cuts = (axis: "x" | "y"): boolean => !["", "visible"].includes(wordIn(values, `overflow-${axis}`));
  const isCutting = cuts("x") || cuts("y");
  // A part of what is as high as its content is no known height.
  const heightBasis = { ...basis, whole: Number.NaN };
  const size = (name: string, of: LengthBasis): number | undefined => {
    const length = lengthIn(values, name, of);
    return length === undefined || Number.isNaN(length) ? undefined : Math.max(0, length);
  };
  const height = bounded(
    size("height", heightBasis),
    size("min-height", heightBasis),
    size("max-height", heightBasis),
  );
  const own = bounded(size("width", basis), size("min-width", basis), size("max-width", basis), width);
  return {
    width: own ?? width,
    isNothing: isCutting && ((height ?? boxMin) < boxMin || (own ?? boxMin) < boxMin),
    clipsX: cuts("x"),
    clipsLines: isCutting && height === undefined,
    height,
    cutsY:
      ["hidden", "clip"].includes(wordIn(values, "overflow-y")) ||
      ["hidden", "clip"].includes(wordIn(values, "overflow-x")),
  };
}

export function spacingOf(
  values: Values,
  basis: LengthBasis,
): { readonly above: number; readonly below: number } {
  const sum = (side: string): number =>
    Math.max(0, lengthIn(values, `margin-${side}`, basis) ?? 0) +
    Math.max(0, lengthIn(values, `padding-${side}`, basis) ?? 0);
  return { above: sum("top"), below: sum("bottom") };
}

/** How far a box is moved from where it would be. */
export function placeOf(
  values: Values,
  parent: Style,
  position: string,
  isInline: boolean,
  basis: LengthBasis,
): Place {
  const at = (name: string): number | undefined => lengthIn(values, name, basis);
  const ofHeight = (name: string): number | undefined =>
    lengthIn(values, name, { ...basis, whole: parent.block.isWindow ? viewport.height : 0 });
  let { dx, dy, isExactX, isExactY } = parent;
  if (position === "absolute" || position === "fixed") {
    const block = position === "fixed" ? initialStyle.block : parent.block;
    const [left, right, top, bottom] = [at("left"), at("right"), ofHeight("top"), ofHeight("bottom")];
    if (left !== undefined) [dx, isExactX] = [block.dx + left, block.isWindow];
    else if (right !== undefined) [dx, isExactX] = [block.dx + beyond(right, viewport.width), false];
    if (top !== undefined) [dy, isExactY] = [block.dy + top, block.isWindow];
    else if (bottom !== undefined) [dy, isExactY] = [block.dy + beyond(bottom, viewport.height), false];
  } else if (isPositioned(position)) {
    const right = at("right");
    const bottom = ofHeight("bottom");
    dx += at("left") ?? (right === undefined ? 0 : -right);
    dy += ofHeight("top") ?? (bottom === undefined ? 0 : -bottom);
  }
  dx += at("margin-left") ?? 0;
  if (!isInline) dy += Math.min(0, at("margin-top") ?? 0);
  return { dx, dy, isExactX, isExactY };
}

function wordIn(values: Values, name: string): string {
  const value = values.get(name);
  return value === undefined ? "" : wordOf(value);
}

function lengthIn(values: Values, name: string, basis: LengthBasis): number | undefined {
  const value = values.get(name);
  return value === undefined ? undefined : lengthOf(value, basis);
}
