/** What a box out of flow may lie on. It stands in the nearest positioned box around it (CSS 2.2 section 10.1), and leaves that above and
 *  below by no more than its distances, its margins and the greatest height of its content add up to. Lengths are in CSS pixels. */
import { sideNames, tallInsideOf, tallOutsideOf } from "./box.ts";
import { doom, type Part } from "./part.ts";
import type { Reaches } from "./reach.ts";
import { isReplaced } from "./replaced.ts";
import { standsBeside } from "./room.ts";

/** A box with distances or margins beyond these may be anywhere. */
const distanceLeast = -60;
const distanceMost = 400;
/** Of boxes in boxes, all out of flow, and of those of a page. */
const depthMost = 3;
export const placedMost = 50;

/** Dooms all that it may lie on. `highIn`: the greatest height of what is in a part. */
export function judgePlaced(part: Part, highIn: (part: Part) => number, reaches: Reaches): void {
  let [above, below] = [0, 0];
  let at = part;
  let holder: Part;
  for (let depth = 0; ; depth++) {
    const next = holderOf(at);
    if (next === undefined || depth >= depthMost || !isPlaced(at) || next.style.hidden !== undefined) {
      reaches.page("may-be-covered");
      return;
    }
    const far = reachesOut(at, highIn, next);
    above += far.above;
    below += far.below;
    holder = next;
    if (next.box.position === "relative") break;
    at = next;
  }
  doom(holder, "may-be-covered");
  for (let around: Part["context"] | undefined = holder.context; around !== undefined; around = around.around)
    for (const float of around.floats) doom(float, "may-be-covered");
  reaches.over(holder, above, "may-be-covered");
  reaches.after(holder, below, "may-be-covered");
  // It may be wider than the box that it stands in.
  let row: Part | undefined;
  for (let one: Part | undefined = holder; one !== undefined; one = one.parent)
    if (standsBeside(one)) row = one;
  if (row !== undefined) reaches.row(row, "may-be-covered");
}

/** How far it leaves the box above and below. */
function reachesOut(
  part: Part,
  highIn: (part: Part) => number,
  holder: Part,
): { readonly above: number; readonly below: number } {
  const { inset, height, minHeight, maxHeight, isHeightShare } = part.box;
  const [top, , bottom] = inset.map((size) => (typeof size === "object" ? size : undefined));
  const high = Math.max(highIn(part), height ?? 0, minHeight) + tallInsideOf(part.box);
  // What margins below zero move, of it or in it, and what is painted beside a box of its content.
  const back = part.pull + spillOf(part);
  const backed = back + Math.max(0, -(top?.px ?? 0)) + Math.max(0, -(bottom?.px ?? 0));
  const on = Math.max(0, top?.px ?? 0) + Math.max(0, bottom?.px ?? 0);
  const far = high + tallOutsideOf(part.box) + on + backed;
  // As high as a share of the box around it, it ends anywhere in that, and what it holds ends where it likes.
  if (isHeightShare) return { above: far, below: far };
  // What begins at a distance from the top ends below. The distances are those to the inside of the border.
  if (top !== undefined) {
    const over = top.share > 0 ? far : Math.max(0, far + holder.box.border.top - holder.high);
    // Between two distances, it ends at the second or as far from the first as it is high, and begins above where margins are `auto`.
    return bottom === undefined
      ? { above: backed, below: over }
      : { above: far, below: Math.max(over, backed) };
  }
  // What ends at a distance from the bottom, and is as high as its content, begins above.
  return { above: far, below: height !== undefined || maxHeight !== undefined ? far : backed };
}

/** How far letters and shadows of it, or in it, are painted beside the boxes that they are of. */
function spillOf({ flaws, children }: Part): number {
  return Math.max(
    0,
    ...flaws.map(({ reach, px }) => (reach === "over" || reach === "after" ? px : 0)),
    ...children.map(spillOf),
  );
}

/** Whether its place is known: at distances, in pixels or shares of the box around it, from its top or its bottom. */
function isPlaced({ box, element, children }: Part): boolean {
  const { position, inset, margin, sideShare, tallShare, isHeightShare } = box;
  const isKnown = inset.every(
    (size) =>
      size === undefined ||
      (size !== "unknown" &&
        size.px >= distanceLeast &&
        size.px <= distanceMost &&
        size.share >= 0 &&
        size.share <= 1 &&
        // A share of the height, at a share of it from the top, ends far below.
        !(isHeightShare && size.share > 0)),
  );
  return (
    position === "absolute" &&
    // What browsers draw for an element has a height that nobody declared.
    element !== undefined &&
    !isReplaced(element) &&
    (inset[0] ?? inset[2]) !== undefined &&
    isKnown &&
    sideShare + tallShare === 0 &&
    sideNames.every((side) => margin[side] >= distanceLeast && margin[side] <= distanceMost) &&
    !children.some(hasHeightShare)
  );
}

function hasHeightShare({ box, children }: Part): boolean {
  return box.isHeightShare || children.some(hasHeightShare);
}

function holderOf(part: Part): Part | undefined {
  let at = part.parent;
  while (at !== undefined && at.box.position === "") at = at.parent;
  return at !== undefined && holders.test(at.box.display) ? at : undefined;
}

const holders = /^(?:block|inline-block|list-item|flow-root|table-cell)$/;
