/** The text of a part of a Word document as it is read, and what shapes before the text may cover of it. No page is laid out: of each piece it
 *  is known how far down it stands at least, counted from the beginning and from the last break of a page. What a shape covers is near its
 *  anchor, or on the page of its anchor. */
import type { Doubt } from "#/src/model/removal.ts";
import { type Cover, mayCover, type PageForm, type Place, type Rect } from "./docx-covers.ts";

/** Characters of a part. */
const textLengthMax = 1024 * 1024;
/** Ems of a line, and points of a row of a table, at least. */
const lineLeast = 0.75;
const rowLeast = 5;
/** Ems of a letter: more than usual fonts need on the whole. */
const letterWidth = 0.62;
/** Square points: a shape that covers a few letters at most, and how many such there may be. */
const smallMost = 400;
const smallShapesMost = 5;
/** Pieces of text, and shapes, that are compared with each other. */
const comparisonsMax = 5_000_000;

interface Piece {
  readonly text: string;
  /** undefined of what stands between texts. */
  readonly place: Place | undefined;
  doubt?: Doubt;
}

export class DocumentFlow {
  readonly #pieces: Piece[] = [];
  readonly #covers: (Cover & { readonly at: Place })[] = [];
  #length = 0;
  isCut = false;
  #down = 0;
  #page = 0;
  #pageBegan = 0;
  #line = { across: 0 };
  /** Of the smallest letters of the paragraph or row so far. */
  #size: number | undefined;
  #boxes = 0;
  /** Text boxes in which the reader is. */
  readonly #open: { readonly number: number; readonly rect: Rect | undefined }[] = [];

  /** What stands between texts. */
  separate(text: string): void {
    if (text === "\t") this.#line.across = Number.POSITIVE_INFINITY;
    this.#push({ text, place: undefined });
  }

  /** `size`: points of its letters. `indent`: points; undefined: it does not begin at the left of the page. */
  write(text: string, size: number, indent: number | undefined): void {
    this.#size = Math.min(this.#size ?? size, size);
    if (this.#open.length === 0) {
      const start = indent ?? Number.POSITIVE_INFINITY;
      this.#line.across = Math.max(this.#line.across, start) + text.length * size * letterWidth;
    }
    this.#push({ text, place: text.trim() === "" ? undefined : this.#place() });
  }

  #push(piece: Piece): void {
    this.isCut ||= this.#length > textLengthMax;
    if (this.isCut) return;
    this.#length += piece.text.length;
    this.#pieces.push(piece);
  }

  #place(): Place {
    return {
      down: this.#down,
      page: this.#page,
      pageBegan: this.#pageBegan,
      line: this.#line,
      box: this.#open.at(-1),
    };
  }

  beginParagraph(): void {
    if (this.#open.length === 0) this.#line = { across: 0 };
  }

  /** `isInFlow`: what follows stands below. */
  endParagraph(isInFlow: boolean): void {
    if (this.#open.length > 0 || !isInFlow) return;
    this.#down += (this.#size ?? 0) * lineLeast;
    this.#size = undefined;
  }

  endRow(isInFlow: boolean): void {
    if (this.#open.length > 0) return;
    if (isInFlow && this.#size !== undefined) this.#down += rowLeast;
    this.#size = undefined;
  }

  breakPage(): void {
    if (this.#open.length > 0) return;
    this.#page++;
    this.#pageBegan = this.#down;
  }

  /** Returns the number of the box. */
  beginBox(rect: Rect | undefined): number {
    this.#open.push({ number: ++this.#boxes, rect });
    return this.#boxes;
  }

  endBox(): void {
    this.#open.pop();
  }

  cover(cover: Cover): void {
    this.#covers.push({ ...cover, at: this.#place() });
  }

  /** The shapes that count: of small ones only if there are many. */
  get covers(): readonly (Cover & { readonly at: Place })[] {
    const large = this.#covers.filter(({ area }) => !(area <= smallMost));
    return this.#covers.length - large.length > smallShapesMost ? this.#covers : large;
  }

  /** Marks what may be covered. Returns how many pieces are. */
  settle(page: PageForm): number {
    const covers = this.covers;
    if (covers.length === 0) return 0;
    const isTooMuch = covers.length * this.#pieces.length > comparisonsMax;
    let count = 0;
    for (const piece of this.#pieces) {
      const { place } = piece;
      if (place === undefined) continue;
      if (!isTooMuch && !covers.some((cover) => mayCover(cover, cover.at, place, page))) continue;
      piece.doubt = "may-be-covered";
      count++;
    }
    return count;
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
