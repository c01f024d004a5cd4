/** The tree of parts of a page: its boxes and texts in their order, with what each part holds, for the rules that reach from one
 *  part to others. */
import type { Colour } from "#/src/formats/css/colour.ts";
import type { Doubt } from "#/src/model/removal.ts";
import type { Box } from "./box.ts";
import type { Style } from "./computed-style.ts";
import type { HtmlElement, HtmlText } from "./tree.ts";

/** `moves`: the element's text, and the page if anything of it is seen. `loose`: its text must differ from all colours around. `nudges`: as `moves`, but of letters alone nothing. `parentPaint`: the
 *  parent, and the page too if anything of it is seen. `lifts`: the parent, and what stands less than `px` above or below the end of the element. `before`, `after`: what may stand less than `px` above or below; `over`: as `before`, of paint without letters.
 *  `below`: its lines, and all that follows. */
export type Reach =
  | "inside"
  | "loose"
  | "moves"
  | "nudges"
  | "parent"
  | "parentPaint"
  | "lifts"
  | "row"
  | "before"
  | "over"
  | "after"
  | "below"
  | "page";

export interface Flaw {
  readonly reach: Reach;
  readonly why: Doubt;
  readonly px: number;
}

/** Pixels beyond which nothing is looked for, and below which nobody scrolls to it (F6). */
export const farAway = 2000;
export const farBelow = 20_000;
/** Pixels that leave enough of letters of 7 pixels (F5). */
export const edge = 2;

/** A formatting context: floats and backgrounds of blocks in one context may lie on each other; of two contexts they do not. */
export interface Context {
  readonly around: Context | undefined;
  /** All colours of backgrounds of its boxes; undefined if there are too many. */
  colours: readonly Colour[] | undefined;
  /** The same with those of the contexts in it. */
  all: readonly Colour[] | undefined;
  /** The widths of its borders together. */
  borders: number;
  hasFloat: boolean;
  readonly floats: Part[];
  hasRightFloat: boolean;
  /** Boxes with paint that are positioned or not opaque: they are painted above what is in flow. */
  readonly stacked: Part[];
  /** The same of the whole page. */
  readonly allStacked: Part[];
}

/** What a part holds, known after its content was visited, and what the rules find. */
export const nothingFound = {
  flaws: [] as readonly Flaw[],
  hasText: false,
  /** It or something in it paints more than letters. */
  paints: false,
  /** It holds letters that are painted, or signs, as far as its boxes are known to be in the window. */
  ink: "" as "" | "letters" | "signs",
  /** It or something in it is painted as a whole, over what stands before. */
  hasAtoms: false,
  hasFloat: false,
  hasCells: false,
  /** Lines in it that do not break. */
  keepsLines: false,
  /** A picture or a box in a line that does not break. */
  hasKeptBoxes: false,
  isFromRight: false,
  /** The least width that the content needs, and that the box needs in the one around. */
  content: 0,
  demand: 0,
  /** The width of its longest line, if none breaks. */
  longest: 0,
  /** The least width of the longest line in it, if none breaks and no box around has a width. */
  line: 0,
  /** Of an inline box: the width of its line up to its end, if no line breaks. */
  across: 0,
  /** The least height that it surely takes. */
  high: 0,
  doom: undefined as Doubt | undefined,
  /** It is wider than the box around, or may be. */
  isOut: false,
  /** Its box may leave the one around it, with its content. */
  isMoved: false,
  /** A margin below zero, of it or before it, may move it up onto others. */
  isPulled: false,
  /** How far margins below zero at the top or bottom of it, and of the boxes in it, may move up what follows. */
  pull: 0,
};

type Found = typeof nothingFound;

export interface Part extends Found {
  readonly element: HtmlElement | undefined;
  readonly text: HtmlText | undefined;
  readonly parent: Part | undefined;
  /** In the order of the document. */
  readonly number: number;
  /** Among the children of its parent. */
  readonly at: number;
  readonly children: Part[];
  readonly style: Style;
  readonly box: Box;
  /** The context in which it stands, and the one of its content. */
  readonly context: Context;
  readonly inner: Context;
  /** Its own background covers everything behind its content. */
  readonly isOpaque: boolean;
  /** Nothing in it is painted. */
  readonly isSealed: boolean;
}

export function newContext(around: Context | undefined): Context {
  return {
    around,
    colours: [],
    all: [],
    borders: 0,
    floats: [],
    hasFloat: false,
    hasRightFloat: false,
    stacked: [],
    allStacked: around?.allStacked ?? [],
  };
}

/** Boxes with a formatting context of their own (CSS 2.2 section 9.4.1). */
export function isOwnContext({ display, isFloat, isOutOfFlow, clips }: Box, style: Style): boolean {
  return (
    isFloat ||
    isOutOfFlow ||
    display === "table-cell" ||
    display === "table-caption" ||
    display === "flow-root" ||
    display === "flex" ||
    display === "grid" ||
    display === "table" ||
    (display.startsWith("inline-") && style.display !== "inline") ||
    (clips && display !== "inline")
  );
}

export function doom(part: Part, why: Doubt): void {
  part.doom ??= why;
}

/** Whether it may hide what it lies on, as paint does: signs, or letters, of which many may lie on one place. */
export function covers({ paints, ink }: Part): boolean {
  return paints || ink !== "";
}

export function addInk(part: Part, ink: Part["ink"]): void {
  if (part.ink === "" || ink === "signs") part.ink = ink;
}

export function isCell({ box }: Part): boolean {
  return box.display === "table-cell";
}

/** Whether the part stands in lines, beside others. */
export function isInLine({ text, box }: Part): boolean {
  return text !== undefined || box.display.startsWith("inline");
}

export function isAtom({ box, style, parent }: Part): boolean {
  return (
    box.isFloat ||
    box.display.startsWith("inline-") ||
    parent?.box.items !== undefined ||
    box.position !== "" ||
    style.opacity < (parent?.style.opacity ?? 1)
  );
}

/** Whether it holds for the part or for one around it. */
export function isWithin(part: Part, test: (one: Part) => boolean): boolean {
  for (let at: Part | undefined = part; at !== undefined; at = at.parent) if (test(at)) return true;
  return false;
}

export function tableAround({ parent }: Part): Part | undefined {
  let table = parent;
  while (table !== undefined && !table.box.display.endsWith("table")) table = table.parent;
  return table;
}

export function blockAround(part: Part): Part {
  let block = part;
  while (block.box.isInline && block.parent !== undefined) block = block.parent;
  return block;
}
