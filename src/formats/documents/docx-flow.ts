/** The text of a part of a Word document as it is read, and what shapes before the text may cover of it. No page is laid out: of each piece it
 *  is known how far down it stands at least, counted from the beginning and from the last break of a page. What a shape covers is near its
 *  anchor, or on the page of its anchor. */
import type { Doubt } from "#/src/model/removal.ts";
import {
  type BoxPlace,
  type Cover,
  type Ground,
  isBoxOff,
  type Line,
  mayCover,
  type PageForm,
  type Place,
  type Rect,
  usualWidth,
} from "./docx-covers.ts";
import { differ } from "./docx-letters.ts";

/** Characters of a part. */
const textLengthMax = 1024 * 1024;
/** Ems of a line, and points of a row of a table, at least. */
const lineLeast = 0.75;
const rowLeast = 5;
/** Ems that lines of usual fonts are high at most, points of usual letters, and points of a line of a narrow page. */
const highLine = 1.5;
const usualPoints = 12;
const lineWidth = 300;
/** Ems of a letter: more than usual fonts need on the whole, and less. */
const letterWidth = 0.62;
const letterLeast = 0.3;
/** Square points: a shape that covers a few letters at most, and how many such there may be. */
const smallMost = 400;
const smallShapesMost = 5;
/** Points over the edge of a page that letters may stand. */
const edgeSlack = 4;
/** Pieces of text, and shapes, that are compared with each other. */
const comparisonsMax = 5_000_000;

interface Piece {
  readonly text: string;
  /** undefined of what stands between texts. */
  readonly place: Place | undefined;
  /** Colours of its letters; undefined if they have a ground of their own. */
  readonly inks?: readonly string[] | undefined;
  readonly edge?: Edge;
  doubt?: Doubt;
}

/** How near the edges of its page a text may stand. */
export interface Edge {
  /** Points from the left margin at which it begins, at most. */
  readonly from: number;
  /** Points that it stands over a margin, at most. */
  readonly out: number;
  /** Twentieths of a point from the right margin to where it begins, when all of its table is known. */
  readonly leftward: (() => number) | undefined;
}

const nearEdge: Edge = { from: 0, out: 0, leftward: undefined };

export type Placed = Cover & { readonly at: Place };

function newLine(): Line {
  return { across: 0, end: undefined, gap: 0, isApart: false };
}

export class DocumentFlow {
  readonly #pieces: Piece[] = [];
  readonly #covers: Placed[] = [];
  #length = 0;
  isCut = false;
  #down = 0;
  /** The same, where no line is longer than a usual page is wide, and no letters are narrow. */
  #downUsual = 0;
  #page = 0;
  #pageBegan = 0;
  #pageBeganUsual = 0;
  /** Points of the letters of the paragraph, at least. */
  #least = 0;
  #line = newLine();
  #paragraphs = 0;
  /** Points that its text takes at most, in usual fonts. */
  height = 0;
  /** Lines of the row of a table that have not ended. */
  #lines: Line[] = [];
  /** Of the smallest letters of the paragraph or row so far. */
  #size: number | undefined;
  #boxes = 0;
  /** Text boxes in which the reader is. */
  readonly #open: BoxPlace[] = [];

  /** What stands between texts. */
  separate(text: string): void {
    if (text === "\t") this.#line.across = Number.POSITIVE_INFINITY;
    this.#push({ text, place: undefined });
  }

  /** `size`: points of its letters. `indent`: points; undefined: it does not begin at the left of the page. `isUsual`: its letters are as wide
   *  as those of usual fonts. `inks`: its colours, if it has no ground of its own. */
  write(
    text: string,
    size: number,
    indent: number | undefined,
    isUsual: boolean,
    inks: readonly string[] | undefined,
    edge: Edge = nearEdge,
  ): void {
    if (isUsual) this.#least += text.length * size * letterLeast;
    this.#size = Math.min(this.#size ?? size, size);
    if (this.#open.length === 0) {
      const start = indent ?? Number.POSITIVE_INFINITY;
      this.#line.across = Math.max(this.#line.across, start) + text.length * size * letterWidth;
    }
    this.#push({ text, place: text.trim() === "" ? undefined : this.#place(), inks, edge });
  }

  #push(piece: Piece): void {
    this.isCut ||= this.#length + piece.text.length > textLengthMax;
    if (this.isCut) return;
    this.#length += piece.text.length;
    this.#pieces.push(piece);
  }

  #place(): Place {
    return {
      down: { any: this.#down, usual: this.#downUsual },
      page: this.#page,
      pageBegan: { any: this.#pageBegan, usual: this.#pageBeganUsual },
      line: this.#line,
      paragraph: this.#paragraphs,
      box: this.#open.at(-1),
    };
  }

  beginParagraph(): void {
    if (this.#open.length > 0) return;
    this.#line = newLine();
    this.#paragraphs++;
    this.#lines.push(this.#line);
  }

  /** `isInFlow`: what follows stands below. `gap`: points before or behind it. `points`: of its lines. */
  endParagraph(isInFlow: boolean, gap: number, points: number): void {
    if (this.#open.length > 0) return;
    this.#line.gap = gap;
    this.#line.isApart = !isInFlow;
    const lines = Math.max(1, Math.ceil(this.#line.across / lineWidth));
    this.height += isInFlow
      ? lines * Math.max(points, usualPoints) * highLine + 2 * gap
      : Number.POSITIVE_INFINITY;
    if (!isInFlow) return;
    const line = (this.#size ?? 0) * lineLeast;
    this.#down += line;
    this.#downUsual += line * (1 + Math.floor(this.#least / usualWidth));
    this.#endLines();
  }

  endRow(isInFlow: boolean): void {
    if (this.#open.length > 0) return;
    const row = isInFlow && this.#size !== undefined ? rowLeast : 0;
    this.#down += row;
    this.#downUsual += row;
    this.#endLines();
  }

  #endLines(): void {
    for (const line of this.#lines) line.end = { any: this.#down, usual: this.#downUsual };
    this.#lines = [];
    this.#size = undefined;
    this.#least = 0;
  }

  breakPage(): void {
    if (this.#open.length > 0) return;
    this.#page++;
    this.#pageBegan = this.#down;
    this.#pageBeganUsual = this.#downUsual;
  }

  /** Returns the number of the box. */
  beginBox(rect: Rect | undefined, wide = 0, tall = 0): number {
    this.#open.push({ number: ++this.#boxes, rect, wide, tall });
    return this.#boxes;
  }

  endBox(): void {
    this.#open.pop();
  }

  cover(cover: Cover): void {
    this.#covers.push({ ...cover, at: this.#place() });
  }

  /** The shapes that count: of small ones only if there are many. */
  get covers(): readonly Placed[] {
    const large = this.#covers.filter(({ area }) => !(area <= smallMost));
    return this.#covers.length - large.length > smallShapesMost ? this.#covers : large;
  }

  /** Marks what begins beyond the edges of the widest page. Returns the doubts. */
  settleBeyond(page: PageForm): readonly Doubt[] {
    const beyond = this.#pieces.filter(
      ({ place, edge = nearEdge }) =>
        place !== undefined &&
        (isBeyond(edge, page) || (place.box !== undefined && isBoxOff(place.box, page))),
    );
    for (const piece of beyond) piece.doubt = "may-be-off-screen";
    return beyond.map(() => "may-be-off-screen");
  }

  /** Marks what may be covered, or may not differ from what is behind it, by shapes here or by those of another part. Returns the doubts. */
  settle(
    page: PageForm,
    covers = this.covers,
    mayReach = (cover: Placed, place: Place): boolean => mayCover(cover, cover.at, place, page),
  ): readonly Doubt[] {
    const isTooMuch = covers.length * this.#pieces.length > comparisonsMax;
    const known = new Map<string, boolean>();
    const isSeenOn = (inks: readonly string[], ground: Ground): boolean => {
      const key = `${inks} on ${ground}`;
      const seen = known.get(key) ?? differ(inks, ground);
      known.set(key, seen);
      return seen;
    };
    const found: Doubt[] = [];
    for (const piece of this.#pieces) {
      const { place, inks } = piece;
      if (place === undefined || piece.doubt !== undefined) continue;
      const cover = covers.find(
        (one) =>
          isTooMuch ||
          (mayReach(one, place) && (!one.isBehind || (inks !== undefined && !isSeenOn(inks, one.ground)))),
      );
      if (cover === undefined) continue;
      piece.doubt = cover.isBehind ? "colours-may-match" : "may-be-covered";
      found.push(piece.doubt);
    }
    return found;
  }

  toString(): string {
    return this.#pieces
      .filter(({ doubt }) => doubt === undefined)
      .map(({ text }) => text)
      .join("")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }
}

function isBeyond({ from, out, leftward }: Edge, { width, left, leastSide, right }: PageForm): boolean {
  return (
    left + from > width ||
    out > leastSide + edgeSlack ||
    (leftward !== undefined && leftward() / 20 > width - right + edgeSlack)
  );
}
