/** The room that the content of a box has. It is a lower bound. Lengths are in CSS pixels. */
import { windowMost } from "#/src/formats/css/media.ts";
import { type Box, insideOf, isPartOfTable, outsideOf } from "./box.ts";
import type { Cascade } from "./cascade.ts";
import { columnShare, isFilled } from "./column-shares.ts";
import { fixedColumnWidth } from "./fixed-table.ts";
import { isCell, isInLine, isWithin, type Part, tableAround } from "./part.ts";
import { hasColumns } from "./table-slots.ts";
import { attributeOf } from "./tree.ts";
import type { Values } from "./values.ts";

/** Room that has to be left beside margins and padding. */
export const roomLeast = 20;
const unsureRoom = 200;
const smallShare = 0.1;

export interface Room {
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

interface RoomOptions {
  readonly cascade: Cascade;
  readonly valuesOf: ReadonlyMap<Part, Values>;
}

/** The function that finds the room in a part, by that around it. */
export function roomsOf({ cascade, valuesOf }: RoomOptions): (part: Part, around: Room) => Room {
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
    const isSqueezed = isShareBeside && isWithin(part, isCell) && part.content > line;
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
        whole:
          width !== undefined
            ? within
            : isFilled(part, valuesOf)
              ? Math.max(0, Math.min(within, around.whole - outsideOf(box)))
              : 0,
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
        fixedColumnWidth(element, around.fixed, part.style.spacing, insidesOfFirst(part), cascade) - inside,
      );
      return { ...around, room: column, whole: column, isGrowing: false, fixed: undefined };
    }
    const isAlone = element !== undefined && !hasColumns(element);
    const share = isAlone ? 0 : Math.max(0, columnShare(part, around.whole, valuesOf) - inside);
    const room = isAlone ? Math.max(0, around.room - inside - 2 * part.style.spacing) : share;
    const whole = isAlone ? Math.max(0, around.whole - inside - 2 * part.style.spacing) : share;
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

  /** A box in a line whose width is a share: a line that does not break leaves its box by as much. */
  function hasShareInLine(part: Part): boolean {
    const isShare = (one: Part): boolean =>
      one.text === undefined &&
      ((one.box.display.startsWith("inline") &&
        ((one.box.width?.share ?? 0) > 0 || /%/.test(attributeOf(one.element!, "width") ?? ""))) ||
        (one.box.isInline && one.children.some(isShare)));
    return part.keepsLines && part.children.some(isShare);
  }

  return roomOf;
}

/** The paddings and borders of the cells of the first row of the table. */
function insidesOfFirst(cell: Part): readonly number[] {
  let row = tableAround(cell);
  while (row !== undefined && row.box.display !== "table-row")
    row = row.children.find(({ box }) => /^table-(?:row|.*group)$/.test(box.display));
  return row?.children.map(({ box }) => insideOf(box)) ?? [];
}

function isInPlace(display: string, parent: string): boolean {
  if (display === "inline" || display === "table-caption") return true;
  if (display === "table-cell") return parent === "table-row";
  if (display === "table-row") return parent.endsWith("table") || /group$/.test(parent);
  if (isPartOfTable(display)) return parent.endsWith("table");
  return parent === "table-cell" || !(isPartOfTable(parent) || parent.endsWith("table"));
}

export function isRoot({ element }: Part): boolean {
  return element?.name === "html" || element?.name === "body";
}

/** The window takes the overflow of `html`, or else that of `body` (css-overflow-3 section 3.3). */
export function clipsItself(part: Part): boolean {
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

export function sizeIn(
  { px, share }: { readonly px: number; readonly share: number },
  whole: number,
): number {
  return px + share * whole;
}

export function standsBeside(part: Part): boolean {
  const { box, parent } = part;
  if (box.isFloat) return true;
  if (parent === undefined) return false;
  if (box.display === "table-cell") return parent.children.length > 1;
  if (box.display.startsWith("inline-"))
    return parent.children.some((one) => one !== part && isInLine(one)) || parent.box.isInline;
  return parent.box.items !== undefined;
}
