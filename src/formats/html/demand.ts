/** Demand: the least width that content needs, by the widest usual font. It is an upper bound. Lengths are in CSS pixels. */

import type { Style } from "./computed-style.ts";
import { widestOf, widthOf } from "./fonts.ts";

const blanks = /[ \t\n\u200b]+/;
/** Lines of other texts break at blanks alone. */
const beyondBlanks = /[-\u3041-\u30fa\u4e00-\u9fff]/;
/** Lines break at blanks, after a hyphen between letters, and, but for words that are kept, between ideographs. */
const breakingKept = new RegExp(`${blanks.source}|(?<=[A-Za-z]-)(?=[A-Za-z])`);
const breakingUsual = new RegExp(
  `${breakingKept.source}|(?<=[\\u3041-\\u30fa\\u4e00-\\u9fff])(?=[\\u3041-\\u30fa\\u4e00-\\u9fff])`,
);
/** Letters of a word that may break anywhere. */
const brokenLetters = 3;
/** The widest of the usual letters, in em. */
const widestLetter = 1.5;

export function keepsLine({ whiteSpace }: Pick<Style, "whiteSpace">): boolean {
  return whiteSpace === "nowrap" || whiteSpace === "pre";
}

/** The lines of one block. */
export class Lines {
  #piece = 0;
  #longest = 0;
  /** The widest piece that cannot break. */
  least = 0;
  /** The width of the line so far, if it breaks only where it has to. */
  across = 0;

  get longest(): number {
    return Math.max(this.#longest, this.across);
  }

  #add(width: number): void {
    this.#piece += width;
    this.across += width;
    this.#longest = Math.max(this.#longest, this.across);
    this.#endPiece();
  }

  #endPiece(): void {
    if (this.#piece > this.least) this.least = this.#piece;
  }

  text(text: string, style: Style): void {
    if (keepsLine(style)) {
      const lines =
        style.whiteSpace === "pre" ? text.split(/\r\n|[\n\r]/) : [text.replace(/[ \t\n\f\r]+/g, " ")];
      for (const [index, line] of lines.entries()) {
        if (index > 0) {
          this.#piece = 0;
          this.across = 0;
        }
        this.#add(widthOf(line, style));
      }
      return;
    }
    if (style.whiteSpace.startsWith("pre") || style.whiteSpace === "break-spaces") {
      const at = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
      const first = text.split(/[\n\r]/, 1)[0]!;
      this.across =
        at === -1
          ? this.across + widthOf(text, style)
          : Math.max(this.across + widthOf(first, style), widthOf(text.slice(at + 1), style));
    } else this.across += widthOf(text.replace(/[ \t\n\f\r]+/g, " "), style);
    if (style.breaksWords) {
      this.#piece =
        Math.min(brokenLetters, text.length) *
        (style.fontSize * widestLetter + Math.max(0, style.letterSpacing));
      this.#endPiece();
      return;
    }
    const breaking = !beyondBlanks.test(text) ? blanks : style.keepsWords ? breakingKept : breakingUsual;
    const pieces = text.split(breaking);
    this.#piece += widthOf(pieces[0]!, style);
    this.#endPiece();
    if (pieces.length === 1) return;
    this.#piece = widthOf(pieces.at(-1)!, style);
    this.least = Math.max(this.least, this.#piece, widestOf(pieces, style));
  }

  /** A picture or a box in the line. `keeps`: no line breaks beside it. */
  box(width: number, keeps: boolean): void {
    if (!keeps) this.#piece = 0;
    this.#add(width);
    if (!keeps) this.#piece = 0;
  }

  /** A box in an inline box that is not in the line: a block, or a float. */
  aside(width: number): void {
    this.#longest = Math.max(this.#longest, width);
    this.least = Math.max(this.least, width);
  }

  /** Space beside letters: padding, a mark. */
  side(width: number): void {
    if (width > 0) this.#add(width);
  }

  /** The end of a line. */
  end(): void {
    this.#longest = this.longest;
    this.#piece = 0;
    this.across = 0;
  }
}

/** The demand of the columns of a table: of each, the most of its cells; a cell over several columns adds what is missing, and a
 *  cell over several rows stands in each of them. */
export class Columns {
  #widths: number[] = [];
  #extra = 0;

  /** `cells`: demand and number of columns of each cell of a row. `rowspans`: the demand of its cells over several rows. */
  row(cells: readonly (readonly [demand: number, columns: number])[], rowspans: number): void {
    this.#extra += rowspans;
    let at = 0;
    for (const [demand, columns] of cells) {
      const end = Math.min(columnsMost, at + columns);
      if (columns === 1 && at < columnsMost) this.#widths[at] = Math.max(this.#widths[at] ?? 0, demand);
      else {
        let sum = 0;
        for (let one = at; one < end; one++) sum += this.#widths[one] ?? 0;
        const last = Math.max(0, end - 1);
        this.#widths[last] = (this.#widths[last] ?? 0) + Math.max(0, demand - sum);
      }
      at = end;
    }
  }

  get sum(): number {
    let sum = this.#extra;
    for (let at = 0; at < this.#widths.length; at++) sum += this.#widths[at] ?? 0;
    return sum;
  }

  get count(): number {
    return this.#widths.length;
  }
}

const columnsMost = 100;
