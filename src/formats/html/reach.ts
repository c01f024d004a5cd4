/** How far a flaw reaches: it dooms what it may cover or move, and leaves the rest of the page alone. */
import type { Doubt } from "#/src/model/removal.ts";
import { lineLeast } from "./contents.ts";
import {
  blockAround,
  covers,
  doom,
  edge,
  type Flaw,
  isCell,
  isInLine,
  isWithin,
  type Part,
  tableAround,
} from "./part.ts";
import { attributeOf } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface Reaches {
  readonly meter: WorkMeter;
  page(why: Doubt): void;
  /** Everything beside: the parent of the nearest float, box in a line, flex item or cell around. */
  row(part: Part, why: Doubt): void;
  /** What may stand less than `px` above, below what is painted. */
  over(part: Part, px: number, why: Doubt): void;
  /** What may stand less than `px` below. */
  after(part: Part, px: number, why: Doubt): void;
}

export function createReaches(meter: WorkMeter, page: (why: Doubt) => void): Reaches {
  const doomBeside =
    (step: 1 | -1): Reaches["after"] =>
    (part, px, why) =>
      reachBeside(
        meter,
        part,
        px,
        () => {},
        (one) => doom(one, why),
        step,
      );
  return {
    meter,
    page,
    over: doomBeside(-1),
    after: doomBeside(1),
    row(part, why) {
      for (let at: Part | undefined = part; at !== undefined; at = at.parent) {
        const { parent } = at;
        if (parent === undefined) break;
        if (isCell(at)) {
          doom(tableAround(at) ?? parent, why);
          return;
        }
        if (at.box.isFloat || at.box.display.startsWith("inline-") || parent.box.items !== undefined) {
          doom(parent, why);
          return;
        }
      }
      page(why);
    },
  };
}

/** Dooms what the flaws of every part reach. */
export function applyFlaws(root: Part, reaches: Reaches): void {
  const visit = (part: Part): void => {
    for (const flaw of part.flaws) applyFlaw(part, flaw, reaches);
    for (const child of part.children) visit(child);
  };
  visit(root);
}

function applyFlaw(part: Part, { reach, why, px }: Flaw, reaches: Reaches): void {
  const parent = part.parent ?? part;
  switch (reach) {
    case "inside":
      doom(part, why);
      return;
    case "loose": {
      const loosen = (one: Part): void => {
        one.isOut = true;
        one.isPulled = true;
        if (one.hasAtoms) doom(one, why);
      };
      loosen(part);
      reachBeside(reaches.meter, part, px - part.high, () => {}, loosen, 1);
      return;
    }
    case "nudges":
      if (!part.paints && part.ink !== "signs") return;
      doom(part, why);
      reaches.page(why);
      return;
    case "moves":
      doom(part, why);
      if (covers(part)) reaches.page(why);
      return;
    case "parent":
      doom(parent, why);
      return;
    case "lifts":
      doom(parent, why);
      reachBeside(
        reaches.meter,
        part,
        px - part.high,
        () => reaches.page(why),
        (one) => doom(one, why),
        -1,
      );
      // What follows comes to lie on it, or below it.
      reaches.after(part, px, why);
      return;
    case "parentPaint":
      doom(parent, why);
      if (covers(part)) reaches.page(why);
      return;
    case "row":
      reaches.row(part, why);
      return;
    case "before":
      reachBeside(
        reaches.meter,
        part,
        px,
        // Text that is moved above the page is in no window.
        () => reaches.page(why),
        (one) => {
          if (!beginsBelow(one, part)) doom(one, why);
        },
        -1,
      );
      return;
    case "over":
    case "after":
      reaches[reach](part, px, why);
      return;
    case "below": {
      const block = blockAround(parent);
      doom(block, why);
      reaches.after(block, Number.POSITIVE_INFINITY, why);
      return;
    }
    case "page":
      reaches.page(why);
  }
}

/** The number of boxes beside each other whose work is a step. */
const siblingsOfStep = 8;

/** Takes what may stand less than `px` above (`step` -1) or below the part. Of what stands between, only the least height counts that
 *  it has in every font: of a block what it declares and one line of letters, of lines only what ends with a break. What margins below
 *  zero take away of it counts as not there. */
function reachBeside(
  meter: WorkMeter,
  from: Part,
  px: number,
  atRoot: () => void,
  take: (part: Part) => void,
  step: 1 | -1,
): void {
  let left = px;
  if (left <= 0) return;
  /** Of a box on the way: the side that is left, and the one that is met first. */
  const [side, nearSide] = step < 0 ? (["top", "bottom"] as const) : (["bottom", "top"] as const);
  /** The margin at the edge so far. */
  let margin = isInLine(from) ? 0 : from.box.margin[side];
  /** What of the margins that collapse here was taken off already: of some only the largest counts, also through boxes without height. */
  let counted = 0;
  let context: Part["context"] | undefined;
  for (let at = from; ; ) {
    const { parent } = at;
    meter.spend(((parent?.children.length ?? 0) + at.context.floats.length) / siblingsOfStep / 4);
    // A float of before may reach down to here, and is painted below the lines.
    if (context !== at.context)
      for (const float of at.context.floats) if (!isWithin(from, (one) => one === float)) take(float);
    context = at.context;
    if (parent === undefined) {
      // So little leaves enough of the letters at the top of the page (F5).
      if (left > edge) atRoot();
      return;
    }
    // A cell of a row before may reach down to here.
    if (at.box.display === "table-row")
      for (const row of parent.children) if (row !== at && row.children.some(isTall)) take(row);
    if (parent.box.items !== undefined || isTurned(parent)) {
      // Items stand beside each other.
      for (const sibling of parent.children) if (sibling !== at) take(sibling);
    } else if (isCell(at)) {
      // A cell may stand in the middle of a row that is as high as it likes.
      if (left === Number.POSITIVE_INFINITY) take(parent);
    } else {
      /** Letters since the last end of a line, which are in another line than the part. */
      let hasLine = false;
      let isOwnLine = isInLine(at);
      for (let index = at.at + step; index >= 0 && index < parent.children.length; index += step) {
        const sibling = parent.children[index]!;
        if (index % siblingsOfStep === 0) meter.spend(1);
        const isBreak = sibling.element?.name === "br";
        if (isInLine(sibling) && !isBreak) {
          take(sibling);
          hasLine ||= !isOwnLine && sibling.high > 0 && sibling.text !== undefined;
          continue;
        }
        if (hasLine) left -= lineLeast;
        hasLine = false;
        isOwnLine = false;
        if (left <= 0) return;
        if (isBreak) {
          margin = 0;
          counted = 0;
          continue;
        }
        left += sibling.pull;
        const near = sibling.box.margin[nearSide];
        const gap = gapBetween(sibling, near, margin);
        left -= Math.max(0, gap - counted);
        if (left <= 0) return;
        const far = sibling.box.margin[side];
        const isEmpty = sibling.high <= 0;
        counted = isEmpty ? Math.max(counted, gap) : 0;
        margin = isEmpty ? Math.max(margin, near, far) : far;
        // The padding at the near edge of a block has no letters in it.
        if (left <= edgeOf(sibling, nearSide)) return;
        take(sibling);
        left -= Math.max(0, sibling.high);
        if (left <= 0) return;
      }
      if (hasLine) left -= lineLeast;
      if (hasLine || isInLine(at)) margin = 0;
    }
    const own = parent.box.margin[side];
    left += Math.max(0, -own);
    // Borders of cells may be shared, or none.
    const inner = parent.box.padding[side] + (isCell(parent) ? 0 : parent.box.border[side]);
    if (!parent.box.isInline && !/^table(?!-cell)/.test(parent.box.display)) left -= inner;
    if (left <= 0) return;
    // A margin at the edge of its parent stands outside of it, or, with a padding, before that.
    if (inner > 0 && /^(?:block|table-cell)$/.test(parent.box.display))
      left -= Math.max(0, Math.max(0, margin) * marginSure - counted);
    margin =
      parent.box.display === "block" && !parent.box.isFloat
        ? inner > 0
          ? own
          : Math.min(own, margin) < 0
            ? -1
            : Math.max(own, margin)
        : parent.box.isInline
          ? margin
          : 0;
    if (left <= 0) return;
    if (inner > 0 || parent.box.display !== "block" || parent.box.isFloat) counted = 0;
    at = parent;
  }
}

/** The top of a float is not above that of a box that is written before it (CSS 2.2 section 9.5.1 rule 5), but for groups of a table. */
function beginsBelow(one: Part, from: Part): boolean {
  if (!one.box.isFloat || one.number < from.number) return false;
  for (let at = one.parent; at !== undefined && at.inner === one.context; at = at.parent)
    if (isTurned(at)) return false;
  return true;
}

function isTall({ element }: Part): boolean {
  const rows = element === undefined ? undefined : attributeOf(element, "rowspan");
  return rows !== undefined && rows.trim() !== "1";
}

/** Whether groups of a table stand in another order than they are written in (CSS 2.2 section 17.2). */
function isTurned({ box, children }: Part): boolean {
  if (!box.display.endsWith("table")) return false;
  const groups = children.map((one) => one.box.display).filter((one) => /^table-(?:row|.*group)$/.test(one));
  return groups.lastIndexOf("table-header-group") > 0 || /,?table-footer-group,./.test(groups.join());
}

/** The part of a margin that it has in every font. */
const marginSure = 0.8;

/** The padding that all content of a block or a table keeps from the edge that is the first on the way. */
function edgeOf(part: Part, side: "top" | "bottom"): number {
  const { box, pull, children } = part;
  if (box.isFloat || box.isOutOfFlow || pull > 0) return 0;
  if (/^table(?:-row|-.*group)?$/.test(box.display)) {
    const isWhole = children.every((child) => /^table-(?:row|cell|.*group)$/.test(child.box.display));
    return isWhole && children.length > 0 ? Math.min(...children.map((child) => edgeOf(child, side))) : 0;
  }
  if (box.display !== "block" && box.display !== "table-cell") return 0;
  return box.padding[side];
}

/** Margins collapse: of two only the larger counts, and none where one is below zero. */
function gapBetween(part: Part, one: number, other: number): number {
  const isBlock =
    /^(?:block|list-item)$/.test(part.box.display) && !part.box.isFloat && !part.box.isOutOfFlow;
  if (!isBlock || part.pull > 0 || one < 0 || other < 0) return 0;
  return Math.max(one, other) * marginSure;
}
