/** The position of a box: the distance from its place in flow. Lengths are in CSS pixels. */
import type { LengthBasis } from "#/src/formats/css/length.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import { initialValue, type Style, type StyleDoubt } from "./computed-style.ts";
import { lengthIn, type Values } from "./spaces.ts";

export const relativeMax = 6;
/** A box that is moved by at most this distance covers nothing. */
export const relativeFree = 1.5;
/** A box that is moved to the right by at most this distance lies beside its place, where nothing else is painted. */
const movedRightMax = 64;
/** A box that begins at least this far to the left of the window or above it does not reach into the window. */
export const surelyOutside = 3000;

interface PlaceContext {
  readonly position: string;
  readonly parent: Style;
}

/** The distance of the box from its place in flow. */
export function movedBy(
  values: Values,
  basis: LengthBasis,
  { position, parent }: PlaceContext,
  sides: readonly string[],
): number {
  if (position !== "relative") return 0;
  const sizes = sides.map((side) => Math.abs(lengthIn(values, side, { ...basis, whole: parent.width }) ?? 0));
  return Math.max(...sizes);
}

/** Reports what a change of position may hide. Returns why the element is hidden, if that is certain. */
export function judgePlace(
  values: Values,
  basis: LengthBasis,
  { position, parent }: PlaceContext,
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
      parent.moved <= relativeFree &&
      (left ?? 0) > 0 &&
      (left ?? 0) <= movedRightMax &&
      sizes.slice(1).every((size) => size <= relativeMax);
    if (!isRight && sizes.some((size) => parent.moved + size > relativeMax))
      doubt("moves", "may-be-off-screen");
    else if (sizes.some((size) => parent.moved + size > relativeFree)) doubt("moves");
    return undefined;
  }
  doubt("moves", "may-be-off-screen");
  return (left ?? 0) <= -surelyOutside || (top ?? 0) <= -surelyOutside ? "off-screen" : undefined;
}
