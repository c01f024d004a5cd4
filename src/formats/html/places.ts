/** The place of a box: by how much it is moved from where it stands in flow. */
import type { LengthBasis } from "#/src/formats/css/length.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { StyleDoubt } from "./cascade.ts";
import { initialValue, type Style } from "./computed-style.ts";
import { lengthIn, type Values } from "./spaces.ts";

export const relativeMax = 6;
/** Moved by so little, nothing is covered. */
export const relativeFree = 1.5;
/** Moved to the right by so much, it stands beside its place where nothing else is painted. */
const movedRightMax = 64;
/** Nothing that begins so far out reaches into the window. */
export const surelyOutside = 3000;

interface PlaceContext {
  readonly position: string;
  readonly parent: Style;
}

/** By how much it stands elsewhere than in its place. */
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

/** Whether it is moved from its place in flow. */
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
