/** The one measure (H8): the width that content demands against the room of a box that does not grow; and the rules that depend on what a
 *  box holds. Room is a lower bound. Lengths are in CSS pixels. */

import { windowLeast } from "#/src/formats/css/media.ts";
import { insideOf, isPartOfTable, outsideOf } from "./box.ts";
import type { Cascade } from "./cascade.ts";
import { initialStyle } from "./computed-style.ts";
import { judgeCorner } from "./corners.ts";
import { heightsOf } from "./declared-heights.ts";
import { keepsLine } from "./demand.ts";
import { covers, doom, edge, isInLine, isWithin, type Part } from "./part.ts";
import { judgePlaced, placedMost } from "./placed.ts";
import { signsOf } from "./pseudo.ts";
import type { Reaches } from "./reach.ts";
import { clipsItself, isRoot, type Room, roomLeast, roomsOf, sizeIn, standsBeside } from "./room.ts";
import { attributeOf } from "./tree.ts";
import type { Values } from "./values.ts";

export interface FitOptions {
  readonly cascade: Cascade;
  readonly valuesOf: ReadonlyMap<Part, Values>;
  readonly reaches: Reaches;
}

export function judgeFits(root: Part, { cascade, valuesOf, reaches }: FitOptions): void {
  const roomOf = roomsOf({ cascade, valuesOf });
  const highIn = heightsOf(valuesOf);
  /** Boxes so far whose letters may leave them. */
  let overflowing = 0;
  /** Boxes out of flow so far. */
  let placed = 0;
  const visit = (part: Part, around: Room): void => {
    if (part.text !== undefined) {
      judgeText(part, around);
      return;
    }
    const room = roomOf(part, around);
    if (part.box.position === "absolute" && part.style.hidden !== "off-screen" && covers(part)) {
      if (++placed > placedMost) reaches.page("may-be-covered");
      else judgePlaced(part, (one) => highIn(one, false, true), reaches);
    }
    if (!part.box.isInline) {
      judgeWidth(part, around, room);
      judgeCorner(part, cascade);
      judgeHeight(part, around, room);
    } else judgeLine(part, around);
    // A line that does not break is not moved below a float: what is painted in it lies on the float.
    const isPaintInLine = part.paints && part.box.display.startsWith("inline");
    if (isPaintInLine && part.parent !== undefined && keepsLine(part.parent.style) && part.context.hasFloat)
      reaches.page("may-be-covered");
    for (const child of part.children) visit(child, room);
  };

  function judgeText(part: Part, { isInShares }: Room): void {
    if (isInShares) part.isOut = true;
    // A cell does not grow with a line beside a float that does not break.
    if (part.keepsLines && part.context.hasFloat) part.isOut = true;
  }

  function judgeWidth(part: Part, around: Room, room: Room): void {
    const { box } = part;
    if (part.children.length === 0) return;
    const clips = clipsItself(part);
    if (clips) judgeClip(part, room);
    const isTable = box.display.endsWith("table");
    const isBound =
      (!isTable && (box.width !== undefined || box.maxWidth !== undefined)) ||
      part.element?.name === "html" ||
      clips ||
      // What is wider may leave it on both sides.
      box.items?.isFilled === false ||
      part.parent?.box.items !== undefined ||
      (box.display === "table-cell" && !room.isGrowing);
    const used = box.margin.left + box.margin.right + insideOf(box);
    if (
      used > roomLeast &&
      !around.isGrowing &&
      around.room >= roomLeast &&
      room.room < roomLeast &&
      part.hasText
    )
      doom(part, "may-be-off-screen");
    const overflowX = isRoot(part) ? (valuesOf.get(part)?.word("overflow-x") ?? "") : "";
    if (overflowX === "hidden" || overflowX === "clip")
      if (part.content > Math.min(room.room, windowLeast)) doom(part, "may-be-cut-off");
    if (box.items?.isRow && overflowsBy(part)) overflow(part, room);
    if (part.hasText && leavesBy(part, around) > edge) {
      part.isMoved = true;
      if (around.cutter !== undefined) doom(around.cutter, "may-be-cut-off");
      if (part.isFromRight) doom(part, "may-be-off-screen");
      if (around.isBeside) doom(part, "may-be-covered");
      if (around.isBeside && fills(part)) reaches.row(part, "may-be-covered");
    }
    // An item that is wider than its column lies on the next.
    const track = part.parent?.box.items?.track;
    const own = Math.max(box.width?.share === 0 ? box.width.px : 0, box.minWidth);
    if (
      track !== undefined &&
      own + used - (box.isBorderBox ? insideOf(box) : 0) > sizeIn(track, around.whole) + 0.5
    )
      doom(part.parent!, "may-be-covered");
    if (room.isGrowing || part.content <= room.room + 0.5) return;
    // A box without a width does not grow beyond the one around it: what is wider leaves its background as well.
    if (!isBound) {
      leave(part, room.room);
      return;
    }
    // The background of the page is behind all that can be scrolled to.
    if (
      isRoot(part) &&
      !clips &&
      box.items === undefined &&
      part.parent?.style.backdrops === initialStyle.backdrops &&
      !part.isFromRight
    )
      return;
    overflow(part, room);
  }

  /** Whether the part may leave a box of this width: its lines, or a box with a width of its own. Of another box, what is in it does. */
  function isWider({ box, text, demand }: Part, width: number): boolean {
    if (text !== undefined || box.display.startsWith("inline") || isPartOfTable(box.display)) return true;
    const isPlain = /^(?:block|list-item)$/.test(box.display) && !box.isFloat && !box.isFitted;
    const own = Math.max(box.width?.px ?? 0, box.minWidth) + insideOf(box) + outsideOf(box);
    return (isPlain ? own : demand) > width + 0.5;
  }

  /** How far a box whose width is a share leaves the box around it by its paddings and margins. */
  function leavesBy({ box }: Part, { room }: Room): number {
    const share = Math.max(box.width?.share ?? 0, box.minShare);
    if (share <= 0 || isPartOfTable(box.display)) return 0;
    const beside = outsideOf(box) + (box.isBorderBox ? 0 : insideOf(box)) + (box.width?.px ?? 0);
    return beside - (1 - share - box.sideShare) * room;
  }

  /** Whether shares of the width that do not get smaller may add up to more than the line of the items. */
  function overflowsBy({ children, box }: Part): boolean {
    if (children.some((child) => child.box.sideShare > 0)) return true;
    const keepers = children.filter((child) => child.box.basis?.keeps);
    const shares = keepers.map(({ box: one }) => Math.max(one.width?.share ?? 0, one.basis?.size.share ?? 0));
    const sum = shares.reduce((all, one) => all + one, 0);
    return sum > 0 && (sum > 1.001 || (box.items?.gap ?? 0) > 0 || children.length > keepers.length);
  }

  /** What is wider leaves the background of a box of this width. */
  function leave(part: Part, width: number): void {
    for (const child of part.children) {
      if (!isWider(child, width)) continue;
      child.isOut = true;
      // A float from the right leaves the box to the left.
      if (child.box.isFromRight) doom(child, "may-be-off-screen");
    }
  }

  /** Content that is wider than its box. */
  function overflow(part: Part, { cutter, isBeside, room: width }: Room): void {
    leave(part, width);
    if (cutter !== undefined) doom(cutter, "may-be-cut-off");
    // Of the page, what floats from the right is judged in the box around it.
    const isLeft = part.element?.name === "html" ? hasLinesFromRight(part) : part.isFromRight;
    if (isLeft || part.box.items !== undefined) doom(part, "may-be-off-screen");
    // What leaves its box to the right meets floats from the right, and, inside of a float, the next one.
    const isBesideFloat = part.isFromRight
      ? hasAround(part, "hasFloat")
      : hasAround(part, "hasRightFloat") || isWithin(part, (one) => one.box.isFloat);
    if (isBesideFloat) {
      doom(part, "may-be-covered");
      if (fills(part)) reaches.page("may-be-covered");
    } else if (isBeside || standsBeside(part)) {
      doom(part, "may-be-covered");
      if (fills(part) || ++overflowing > layersMost) reaches.row(part, "may-be-covered");
    }
  }

  /** H12: a box that cuts off has nothing to cut off where lines break inside of it and it grows downwards. */
  function judgeClip(part: Part, room: Room): void {
    const outermost = room.cutter ?? part;
    // Boxes in a line that does not break may be as wide as they like.
    const isOpen =
      part.hasKeptBoxes || (part.keepsLines && part.style.isIndentShare) || part.box.items !== undefined;
    // It grows around floats in it (CSS 2.2 section 10.6.7). Beside a float it may be narrower than it says.
    if ((part.hasFloat && part.keepsLines) || part.context.hasFloat || isOpen)
      doom(outermost, "may-be-cut-off");
    const isGrownCell = part.box.display === "table-cell" && room.isGrowing;
    if (isPartOfTable(part.box.display) && !isGrownCell) doom(outermost, "may-be-cut-off");
  }

  /** H9, H10, H11: cells, tables and pictures grow; in another box, what is not as high as it is fits. */
  function judgeHeight(part: Part, around: Room, within: Room): void {
    const { box, element, children } = part;
    const name = element?.name ?? "";
    const isRootPart = isRoot(part);
    const values = valuesOf.get(part);
    if (isRootPart) {
      const overflowY = values?.word("overflow-y") ?? "";
      const hasSize = box.height !== undefined || box.maxHeight !== undefined;
      if (
        overflowY === "hidden" ||
        overflowY === "clip" ||
        (hasSize && box.clips) ||
        (box.clips && box.isHeightShare)
      )
        reaches.page("may-be-cut-off");
      if (!hasSize) return;
    }
    const signs = values === undefined ? 0 : signsOf(values.declared.parts, part.style).high;
    const isGrown =
      isPartOfTable(box.display) || box.display.endsWith("table") || (children.length === 0 && signs === 0);
    const limits = [box.height, box.maxHeight].filter((px) => px !== undefined);
    const limit = limits.length === 0 ? undefined : Math.min(...limits);
    const isTall = box.isHeightShare || ((element && attributeOf(element, "height")) ?? "").includes("%");
    // A share of the height, beside other content, pushes that out.
    if (isTall && part.parent !== undefined && !isRootPart && part.parent.children.length > 1)
      if (around.hasHeight || (part.parent.box.height ?? 0) > 0) doom(part.parent, "may-be-cut-off");
    const isAuto = !around.hasHeight && !cascade.isQuirky && !box.clips && around.cutter === undefined;
    if (box.isHeightShare && !isGrown && !isAuto && !isRootPart) {
      // What paints in it may leave it, over what follows.
      if (children.some(({ paints }) => paints))
        reaches.after(part, highIn(part, false, true), "may-be-covered");
      if (part.hasText) doom(part, "may-be-covered");
    }
    if (limit === undefined || isGrown || part.style.hidden !== undefined || name === "hr") return;
    const hasWords = signs > 0 || children.some((child) => child.text !== undefined || child.hasText);
    const held = highIn(part, part.longest <= within.room) + signs;
    // What leaves it by this little covers no letter (F5).
    if (!hasWords && held <= limit + edge) return;
    doom(room(part, around), box.clips ? "may-be-cut-off" : "may-be-covered");
    part.isOut = true;
    // What is shown in the dark scheme alone, without its bound, is as high as it is there.
    const isSwapped =
      values?.word("display") === "none" && values.isUnsure("max-height") && box.position === "";
    const isSure = !["overflow-x", "overflow-y"].some((one) => values?.isUnsure(one));
    if (box.clips && (isSure || isSwapped)) return;
    // Items may leave it at both ends.
    const isLifted = box.items !== undefined && held > limit + edge;
    if (isLifted || children.some((child) => child.paints)) reaches.page("may-be-covered");
    // Its letters may lie behind those that follow. Few layers of them leave enough of those, many at one place do not.
    else if (held > limit + edge && (signs > 0 || fills(part) || ++overflowing > layersMost))
      reaches.after(part, held - limit, "may-be-covered");
  }

  function room(part: Part, { cutter }: Room): Part {
    return part.box.clips ? (cutter ?? part) : part;
  }

  /** H20: an inline box with more paint than its line has to stay in one line. */
  function judgeLine(part: Part, { room }: Room): void {
    if (!part.flaws.some(({ reach }) => reach === "over" || reach === "after") || !part.hasText) return;
    const isOneLine = part.across <= room || part.keepsLines;
    if (!isOneLine || hasBlock(part)) doom(part, "may-be-covered");
  }

  visit(root, {
    room: windowLeast,
    whole: windowLeast,
    line: windowLeast,
    isGrowing: false,
    fixed: undefined,
    cutter: undefined,
    hasHeight: false,
    isBeside: false,
    isInShares: false,
  });
}

const layersMost = 2;

function hasLinesFromRight({ style, children }: Part): boolean {
  return style.isEverFromRight || children.some(hasLinesFromRight);
}

/** Whether an inline box stands in several lines since a block stands in it. */
function hasBlock({ children }: Part): boolean {
  return children.some((one) => !isInLine(one) || (one.box.isInline && hasBlock(one)));
}

/** Whether what leaves the box may hide what it lies on: one line of letters does not. */
function fills({ paints, ink }: Part): boolean {
  return paints || ink === "signs";
}

/** Whether a context around has one. */
function hasAround({ context }: Part, which: "hasFloat" | "hasRightFloat"): boolean {
  for (let at: Part["context"] | undefined = context; at !== undefined; at = at.around)
    if (at[which]) return true;
  return false;
}
