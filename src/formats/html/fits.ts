/** The one measure: the width that content demands against the room of a box that does not grow; and the rules that depend on what a
 *  box holds. Room is a lower bound. Lengths are in CSS pixels.
 *  Long because it is one walk. */

import { windowLeast, windowMost } from "#/src/formats/css/media.ts";
import { type Box, insideOf, isPartOfTable, outsideOf } from "./box.ts";
import type { Cascade } from "./cascade.ts";
import { initialStyle } from "./computed-style.ts";
import { judgeCorner } from "./corners.ts";
import { keepsLine } from "./demand.ts";
import { fixedColumnWidth } from "./fixed-table.ts";
import { isBlank } from "./fonts.ts";
import { contentArea } from "./ink.ts";
import { doom, isInLine, type Part } from "./part.ts";
import { signsOf } from "./pseudo.ts";
import type { Reaches } from "./reach.ts";
import { hasColumns } from "./table-slots.ts";
import { attributeOf } from "./tree.ts";
import type { Values } from "./values.ts";

/** Room that has to be left beside margins and padding. */
const roomLeast = 20;
const unsureRoom = 200;

interface Room {
  readonly room: number;
  /** The width that a share refers to: 0 where the box around is as wide as its content. */
  readonly whole: number;
  /** The width that the content of the table around surely has, of which shares are paddings; 0 where it is not known. */
  readonly line: number;
  /** The nearest box with a width of its own grows with its content (F4). */
  readonly isGrowing: boolean;
  /** Columns of the table around do not grow: its width. */
  readonly fixed: number | undefined;
  /** The outermost box around that cuts off. */
  readonly cutter: Part | undefined;
  /** A box around has a height. */
  readonly hasHeight: boolean;
  /** Something stands beside a box around. */
  readonly isBeside: boolean;
  /** Shares of a width beside the lines, in a cell that stands beside others. */
  readonly isInShares: boolean;
}

export interface FitOptions {
  readonly cascade: Cascade;
  readonly valuesOf: ReadonlyMap<Part, Values>;
  readonly reaches: Reaches;
}

export function judgeFits(root: Part, { cascade, valuesOf, reaches }: FitOptions): void {
  /** Boxes so far whose letters may leave them. */
  let overflowing = 0;
  const visit = (part: Part, around: Room): void => {
    if (part.text !== undefined) {
      judgeText(part, around);
      return;
    }
    const room = roomOf(part, around);
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

  function roomOf(part: Part, around: Room): Room {
    const { box, element } = part;
    if (element === undefined) return around;
    const values = valuesOf.get(part);
    const cutter = around.cutter ?? (!box.isInline && clipsItself(part) ? part : undefined);
    const hasHeight =
      around.hasHeight ||
      (box.height !== undefined && !isPartOfTable(box.display) && !isRoot(part)) ||
      (box.isHeightShare && (around.hasHeight || cascade.isQuirky)) ||
      // Items are as high as the others in their line.
      box.items !== undefined;
    const isBeside = around.isBeside || standsBeside(part);
    // A part of a table without its table, and a box in a table without a cell, are as wide as their content.
    const isStray = part.parent !== undefined && !isInPlace(box.display, part.parent.box.display);
    const next = { ...around, cutter, hasHeight, isBeside, ...(isStray ? { whole: 0, room: 0 } : {}) };
    if (isStray) around = next;
    if (box.isInline) return next;
    const inside = insideOf(box);
    const { display } = box;
    const line = lineIn(part, around, inside);
    const isShareBeside = box.sideShare > smallShare && part.style.display !== "table";
    const isSqueezed = isShareBeside && isInCell(part) && part.content > line;
    // Beside its shares, a cell without others and without floats is at least as wide as the line; of what needs more, only that is wider.
    const isOfLine = isSqueezed && display === "table-cell" && line >= roomLeast && !part.hasFloat;
    const isInShares = around.isInShares || (isSqueezed && !isOfLine) || hasShareInLine(part);
    if (display.endsWith("table")) {
      const width = widthIn(box, around.whole, values);
      // Without a width the layout is automatic (CSS 2.2 section 17.5.2).
      const isFixed = values?.word("table-layout") === "fixed" && width !== undefined;
      const most = box.maxWidth === undefined ? windowMost : sizeIn(box.maxWidth, around.whole);
      const outer = Math.min(most, width ?? Math.max(0, around.room - outsideOf(box)));
      const within = Math.max(0, outer - (box.isBorderBox ? inside : 0));
      return {
        ...next,
        isInShares,
        room: within,
        whole: width === undefined ? 0 : within,
        // An automatic table is as wide as its longest line, if there is room (CSS 2.2 section 17.5.2.2).
        line: width === undefined ? Math.min(within, part.line) : within,
        isGrowing: true,
        fixed: isFixed ? (width ?? 0) : undefined,
      };
    }
    if (display === "table-cell") {
      const cell = cellRoom(part, { ...next, isInShares, line });
      const bound = { room: Math.min(cell.room, line), whole: Math.min(cell.whole, line), isGrowing: false };
      return isOfLine ? { ...cell, ...bound } : cell;
    }
    if (isPartOfTable(display)) return next;
    const isFitting =
      box.isFloat ||
      box.isOutOfFlow ||
      display.startsWith("inline-") ||
      display === "table-caption" ||
      box.isFitted ||
      isFittingItem(part, values);
    const free = Math.max(0, around.room - outsideOf(box) - inside - box.sideShare * around.whole);
    const share = box.width?.share ?? 0;
    // A whole share in a box that grows is as wide as its content, like no width at all.
    const isWhole =
      box.width !== undefined &&
      share >= 1 &&
      box.width.px === 0 &&
      (around.whole === 0 || around.isGrowing) &&
      inside + outsideOf(box) === 0;
    const width = isWhole && around.whole === 0 ? undefined : widthIn(box, around.whole, values);
    const isMostWhole = box.maxWidth !== undefined && box.maxWidth.share >= 1 && box.maxWidth.px >= 0;
    // It bounds a width of its own, where the box around does not grow with that.
    const isUnbound = isMostWhole && (width === undefined || around.isGrowing || around.whole === 0);
    const most = box.maxWidth === undefined || isUnbound ? undefined : sizeIn(box.maxWidth, around.whole);
    const isOfPixels = share === 0 && (box.width !== undefined || (box.maxWidth?.px ?? 0) > 0);
    // Paddings that are shares take of a box of pixels what they take of the widest window.
    const outer = box.isBorderBox ? inside + box.sideShare * (isOfPixels ? windowMost : around.whole) : 0;
    let room = width === undefined ? free : width - outer;
    if (most !== undefined) room = Math.min(room, most - outer);
    const track = part.parent?.box.items?.track;
    const isTrack = track !== undefined && width === undefined;
    if (isTrack) room = Math.min(room, sizeIn(track, around.whole) - outsideOf(box) - inside);
    // A least width takes the place of that of the content (css-flexbox-1 section 4.5).
    const isShrinking = part.parent?.box.items !== undefined && values?.has("min-width") === true;
    if (isShrinking && width === undefined) room = 0;
    room = Math.max(0, room, box.minWidth - outer);
    // Below a greatest width in pixels a box grows like one without (css-sizing-3 section 5.1).
    const isBelowMost = most === undefined || (box.maxWidth?.share === 0 && part.content <= most - outer);
    const isGrowing =
      (width === undefined || isWhole) &&
      isBelowMost &&
      !isTrack &&
      !isShrinking &&
      (isFitting || around.isGrowing);
    return {
      ...next,
      isInShares,
      room,
      whole:
        width === undefined && (isFitting || around.whole === 0)
          ? Math.max(0, box.minWidth - outer)
          : width === undefined
            ? Math.max(0, Math.min(room, around.whole - outsideOf(box) - inside))
            : room,
      line: isFitting || width !== undefined ? 0 : line,
      isGrowing,
      fixed: undefined,
    };
  }

  /** The width that is left of the line in a box, or in a cell without others beside it. */
  function lineIn(part: Part, around: Room, inside: number): number {
    const { box, element, style } = part;
    const isCell = box.display === "table-cell";
    if (isCell && (around.fixed !== undefined || element === undefined || hasColumns(element))) return 0;
    const apart = isCell ? 2 * style.spacing : outsideOf(box);
    return Math.max(0, around.line * (1 - box.sideShare) - inside - apart);
  }

  function cellRoom(part: Part, around: Room): Room {
    const { box, element } = part;
    const inside = insideOf(box);
    if (around.fixed !== undefined && element !== undefined) {
      const column = Math.max(
        0,
        fixedColumnWidth(element, around.fixed, part.style.spacing, cascade) - inside,
      );
      return { ...around, room: column, whole: column, isGrowing: false, fixed: undefined };
    }
    const isAlone = element !== undefined && !hasColumns(element);
    const room = isAlone ? Math.max(0, around.room - inside - 2 * part.style.spacing) : 0;
    const whole = isAlone ? Math.max(0, around.whole - inside - 2 * part.style.spacing) : 0;
    const most = box.maxWidth;
    if (most !== undefined && !(most.share >= 1))
      return {
        ...around,
        room: most.share === 0 ? most.px : 0,
        whole: 0,
        isGrowing: false,
        fixed: undefined,
      };
    return { ...around, room, whole, isGrowing: true, fixed: undefined };
  }

  /** An item of a flex container or a grid that is as wide as its content. */
  function isFittingItem({ parent, box }: Part, values: Values | undefined): boolean {
    if (parent?.box.items === undefined) return false;
    const across = values?.word("align-self") ?? "";
    const isMoved = ["margin-left", "margin-right"].some((name) => values?.word(name) === "auto");
    return (
      parent.box.items.isFitting ||
      isMoved ||
      box.isFloat ||
      !["", "auto", "normal", "stretch"].includes(across)
    );
  }

  function isInCell(part: Part): boolean {
    for (let at: Part | undefined = part; at !== undefined; at = at.parent)
      if (at.box.display === "table-cell") return true;
    return false;
  }

  /** A box in a line whose width is a share: a line that does not break leaves its box by as much. */
  function hasShareInLine(part: Part): boolean {
    const isShare = (one: Part): boolean =>
      one.text === undefined &&
      ((one.box.display.startsWith("inline") &&
        ((one.box.width?.share ?? 0) > 0 || /%/.test(attributeOf(one.element!, "width") ?? ""))) ||
        (one.box.isInline && one.children.some(isShare)));
    return part.keepsLines && part.children.some(isShare);
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
    if (part.isFromRight ? hasFloatAround(part) : hasRightFloat(part) || isInFloat(part)) {
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

  /** H9 to H11: cells, tables and pictures grow; in another box, what is not as high as it is fits. */
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
    if (box.isHeightShare && !isGrown && part.hasText) {
      const isAuto = !around.hasHeight && !cascade.isQuirky && !box.clips && around.cutter === undefined;
      if (!isAuto && !isRootPart) doom(part, "may-be-covered");
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

  /** The heights that the content is declared to have. `isOneLine`: no line of it breaks; else each word may have a line. */
  function highIn(part: Part, isOneLine: boolean, isInPaint = false): number {
    const { items } = part.box;
    const gaps = items === undefined || items.isRow ? 0 : items.gap * (part.children.length - 1);
    let high = (isInPaint ? blankHigh(part) : 0) + gaps;
    for (const child of part.children) {
      const { box, text } = child;
      const isPaint = isInPaint || child.paints;
      if (text !== undefined) {
        const { lineHeight, fontSize, whiteSpace } = child.style;
        const lines = isOneLine && whiteSpace === "normal" ? 1 : text.text.trim().split(/\s+/).length;
        high += lines * Math.max(lineHeight, fontSize * contentArea);
        continue;
      }
      if (box.isOutOfFlow) continue;
      // A table, and each part of it, grows with what it holds.
      const isGrown = isPartOfTable(box.display) || box.display.endsWith("table");
      const inner =
        box.height !== undefined && !isGrown
          ? 0
          : child.children.length > 0
            ? highIn(child, isOneLine, isPaint)
            : child.high > 0
              ? child.high
              : child.paints && isPicture(child)
                ? Number.POSITIVE_INFINITY
                : isPaint
                  ? blankHigh(child)
                  : 0;
      const own = Math.max(inner, box.height ?? 0, box.minHeight);
      const line = box.isInline ? child.style.lineHeight : 0;
      // What has no letters stands on the line of those around, which is as high as they are, and painted by a box around.
      const below = isInPaint && isInLine(child) ? part.style.lineHeight - (child.hasText ? line : 0) : 0;
      // What is raised or lowered makes its line higher by no more than the letters.
      const isRaised =
        /^su[bp]$/.test(child.element?.name ?? "") || valuesOf.get(child)?.has("vertical-align") === true;
      const raised = isInPaint && isInLine(child) && isRaised ? part.style.fontSize : 0;
      high +=
        Math.max(own, line) +
        Math.max(0, below) +
        raised +
        box.tallShare * windowMost +
        box.padding.top +
        box.padding.bottom +
        box.border.top +
        box.border.bottom +
        Math.max(0, box.margin.top) +
        Math.max(0, box.margin.bottom);
    }
    return high;
  }

  /** The height of what has no letters: blanks that do not go away, marks, the space between rows, parts before and after. */
  function blankHigh(part: Part): number {
    const { element, style, box } = part;
    const line = Math.max(style.lineHeight, style.fontSize * contentArea);
    const isKept = !/^(?:normal|nowrap)$/.test(style.whiteSpace);
    let lines = box.display === "list-item" ? 1 : 0;
    for (const one of element?.children ?? [])
      if (one.kind === "text" && (isKept || /[\u0080-\uffff]/.test(one.text)) && isBlank(one.text))
        lines += isKept ? one.text.split("\n").length : 1;
    const isOfRows = box.display.endsWith("table") || box.display === "table-row";
    const hasParts = (valuesOf.get(part)?.declared.parts.size ?? 0) > 0;
    return lines * line + (isOfRows ? 2 * style.spacing : 0) + (hasParts ? partsMost : 0);
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

const smallShare = 0.1;
const layersMost = 2;
/** The height of two parts with distances of 20 pixels each (H25). */
const partsMost = 200;
/** Pixels that leave enough of letters (F5). */
const edge = 2;

function hasLinesFromRight({ style, children }: Part): boolean {
  return style.isEverFromRight || children.some(hasLinesFromRight);
}

/** Whether an inline box stands in several lines since a block stands in it. */
function hasBlock({ children }: Part): boolean {
  return children.some((one) => !isInLine(one) || (one.box.isInline && hasBlock(one)));
}

function isInPlace(display: string, parent: string): boolean {
  if (display === "inline" || display === "table-caption") return true;
  if (display === "table-cell") return parent === "table-row";
  if (display === "table-row") return parent.endsWith("table") || /group$/.test(parent);
  if (isPartOfTable(display)) return parent.endsWith("table");
  return parent === "table-cell" || !(isPartOfTable(parent) || parent.endsWith("table"));
}

function isPicture({ element }: Part): boolean {
  return element !== undefined && !/^(?:hr|br|div|p|span|td|table)$/.test(element.name);
}

/** Whether what leaves the box may hide what it lies on: one line of letters does not. */
function fills({ paints, ink }: Part): boolean {
  return paints || ink === "signs";
}

function isRoot({ element }: Part): boolean {
  return element?.name === "html" || element?.name === "body";
}

/** The window takes the overflow of `html`, or else that of `body` (css-overflow-3 section 3.3). */
function clipsItself(part: Part): boolean {
  return (
    part.box.clips && (!isRoot(part) || (part.element?.name === "body" && part.parent?.box.clips === true))
  );
}

/** The width in pixels, of a share by the width around; undefined for none. */
function widthIn({ width }: Box, whole: number, values: Values | undefined): number | undefined {
  const isUnsure = values?.isUnsure("width") === true || values?.isUnsure("max-width") === true;
  if (width === undefined) return isUnsure ? unsureRoom : undefined;
  // A share below nothing leaves no more than the least width.
  const px = width.share < 0 ? 0 : sizeIn(width, whole);
  return isUnsure ? Math.min(px, unsureRoom) : px;
}

function sizeIn({ px, share }: { readonly px: number; readonly share: number }, whole: number): number {
  return px + share * whole;
}

function standsBeside(part: Part): boolean {
  const { box, parent } = part;
  if (box.isFloat) return true;
  if (parent === undefined) return false;
  if (box.display === "table-cell") return parent.children.length > 1;
  if (box.display.startsWith("inline-"))
    return parent.children.some((one) => one !== part && isInLine(one)) || parent.box.isInline;
  return parent.box.items !== undefined;
}

function hasRightFloat(part: Part): boolean {
  for (let at: Part["context"] | undefined = part.context; at !== undefined; at = at.around)
    if (at.hasRightFloat) return true;
  return false;
}

function isInFloat(part: Part): boolean {
  for (let at: Part | undefined = part; at !== undefined; at = at.parent) if (at.box.isFloat) return true;
  return false;
}

function hasFloatAround(part: Part): boolean {
  for (let at: Part["context"] | undefined = part.context; at !== undefined; at = at.around)
    if (at.hasFloat) return true;
  return false;
}
