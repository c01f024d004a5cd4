/** The space that content needs, computed from the number and kind of its characters. Height and least width are upper bounds.
 *  Lengths are in CSS pixels. */

import { isBlank, widestOf, widthOf } from "#/src/formats/html/fonts.ts";
import type { Style } from "./computed-style.ts";

export interface Extent {
  /** Something is painted besides text of a usual size. */
  readonly paints: boolean;
  readonly hasText: boolean;
}

export const noExtent: Extent = { paints: false, hasText: false };

export interface Room {
  readonly height: number;
  readonly width: number;
  /** The width of the longest line if no line is broken because of its width. */
  readonly longest: number;
  /** Some of the content has an unknown size. */
  readonly isUnsure: boolean;
}

export interface BoxInLines {
  readonly display: string;
  readonly height: number;
  readonly width: number;
  /** The width if no line in the box is broken because of its width. */
  readonly longest: number;
  readonly isContext: boolean;
  readonly isFloating: boolean;
  readonly isKept: boolean;
  readonly line: Style | undefined;
}

export interface Lines {
  text(text: string, style: Style): void;
  breakLine(style: Style): void;
  /** Adds space beside the content of a line: margin, border, padding. */
  side(width: number): void;
  /** An inline box makes its line at least as high as its own line height, also without content. */
  strut(style: Style): void;
  /** Adds a picture. `isKept`: no line break is allowed before or after it. */
  picture(height: number, width: number, isKept: boolean): void;
  /** Adds a box. `line`: the style of the box if it is in a line and consists of one line itself. */
  box(of: BoxInLines): void;
  /** Adds something of unknown size. */
  unsure(): void;
  /** Adds something whose width is a percentage of the line; a cell does not grow for it. */
  share(): void;
  readonly hasShare: boolean;
  /** `display` of the box that contains the lines. */
  readonly display: string;
  /** The width of the content since the last forced break, on one line. */
  readonly across: number;
  /** The number of boxes between lines, and of lines with content that were ended by a forced break. */
  readonly ended: number;
  /** The least width so far: that of the widest content that cannot be broken. */
  readonly least: number;
  /** The end of the last text, measured from the last possible break. */
  readonly reached: number;
  end(): Room;
}

/** `line-height: normal` of fonts with high lines, as a factor of the font size. An upper bound. */
const normalLine = 1.37;

/** The greatest height of a line. */
export function lineOf({ lineHeight, fontSize, isLineNormal }: Style): number {
  return isLineNormal ? Math.max(lineHeight, fontSize * normalLine) : lineHeight;
}

/** The part of a line below its baseline, as a factor of the line height. A box in a line stands on the baseline, so the line
 *  becomes higher by this part. */
const belowBaseline = 0.3;

/** Lines of two styles stand on one base line: by so much the first reaches beyond the second, above and below. Fonts differ in
 *  how much of a letter is below the line. */
function beyond(one: Style, other: Style): number {
  const below = (style: Style, share: number): number =>
    (lineOf(style) - style.fontSize * 1.15) / 2 + style.fontSize * share;
  const [most, least] = [below(one, 0.3), below(other, 0.19)];
  const above = lineOf(one) - below(one, 0.19) - (lineOf(other) - below(other, 0.3));
  return Math.max(0, most - least) + Math.max(0, above);
}

function isKeptTogether({ whiteSpace }: Style): boolean {
  return whiteSpace === "nowrap" || whiteSpace === "pre";
}

function isKeeping({ whiteSpace }: Style): boolean {
  return whiteSpace.startsWith("pre") || whiteSpace === "break-spaces";
}

/** Where a line may break: not at a no-break space, and after a hyphen only between letters. */
const breaking = /[ \t\n\u200b]+|(?<=[A-Za-z]-)(?=[A-Za-z])/;

/** `isSqueezed`: the lines may be as narrow as a single word. */
export function createLines(style: Style, isSqueezed = style.isSqueezed): Lines {
  const width = Math.max(1, style.width);
  const { isMeasured } = style;
  const keepsLine = isKeptTogether(style);
  let height = 0;
  let isUnsure = false;
  let hasShare = false;
  /** The width of the content since the last forced break, on one line. */
  let across = Math.max(0, style.textIndent);
  let lastReach = 0;
  let lineHeight = 0;
  let raised = 0;
  /** The height of the highest box in the lines. */
  let tallest = 0;
  /** The lines since the last forced break: the number of full lines, the width of the last one, and the width at its end that
   *  cannot be broken. */
  let fullLines = 0;
  let filled = across;
  let piece = 0;
  /** The width of the space before the next content, and of a space at which no line breaks. */
  let blank = 0;
  let kept = 0;
  let unbroken = across;
  let least = 0;
  let reached = 0;
  let rowWidth = style.spacing;
  let rowHeight = 0;
  let ended = 0;
  let longest = 0;
  /** The width by which the boxes in the line may be wider. */
  let more = 0;
  let rowLongest = style.spacing;

  const endLine = (): void => {
    if (lineHeight > 0) ended++;
    longest = Math.max(longest, across + more);
    more = 0;
    if (across > 0 && lineHeight > 0)
      height +=
        (isMeasured ? fullLines + 1 : Math.ceil(across / width)) *
        (Math.max(lineHeight, lineOf(style)) + 2 * raised);
    across = 0;
    filled = 0;
    fullLines = 0;
    piece = 0;
    blank = 0;
    kept = 0;
    unbroken = 0;
    lineHeight = 0;
    raised = 0;
    tallest = 0;
  };

  /** Adds a piece that cannot be broken, to the line, or to the next one together with the content before it that cannot be
   *  separated from it. */
  const putPiece = (size: number): void => {
    if (size <= 0) return;
    const isFull = isSqueezed ? filled > piece : filled + size > width;
    if (isFull && filled > 0) {
      fullLines++;
      filled = piece;
    }
    filled += size;
    piece += size;
    // A piece that is wider than a line is broken inside, or overflows.
    if (filled > width && !isSqueezed && !keepsLine) {
      const over = Math.floor(filled / width);
      fullLines += over;
      filled -= over * width;
    }
  };
  const endPiece = (): void => {
    piece = 0;
  };

  return {
    display: style.display,
    get across() {
      return across;
    },
    get ended() {
      return ended;
    },
    get least() {
      return widest();
    },
    get reached() {
      return reached;
    },
    text(text, of) {
      const isKept = isKeeping(of);
      // Glyphs that are higher than their line overflow it.
      const own = isBlank(text) ? lineOf(of) : Math.max(lineOf(of), of.fontSize);
      if (isKept) {
        const lines = text.split(/\r\n|[\n\r]/);
        for (const [index, line] of lines.entries()) {
          if (index > 0) {
            lineHeight = Math.max(lineHeight, own);
            across = Math.max(across, 1);
            endLine();
          }
          put(line, of, own);
        }
        return;
      }
      put(text.replace(/[ \t\n]+/g, " "), of, own);
    },
    breakLine(of) {
      lineHeight = Math.max(lineHeight, lineOf(of));
      across = Math.max(across, 1);
      endLine();
    },
    side(size) {
      across += size;
      unbroken += size;
      least = Math.max(least, unbroken);
      // A line without text counts as a line.
      if (size > 0) lineHeight = Math.max(lineHeight, lineOf(style));
      if (isMeasured) putPiece(size);
    },
    strut(of) {
      if (lineOf(of) > lineOf(style) || of.fontSize > style.fontSize)
        lineHeight = Math.max(lineHeight, lineOf(of), of.fontSize);
      raised = Math.max(raised, of.raised);
    },
    picture(high, wide, isKept) {
      putBox(high, wide, isKept);
    },
    box({ display, height: high, width: wide, longest: whole, isContext, isFloating, isKept, line }) {
      // Cells without a row form an anonymous row.
      if (display === "table-cell") {
        rowWidth += wide + style.spacing;
        rowLongest += whole + style.spacing;
        rowHeight = Math.max(rowHeight, high);
        return;
      }
      if (isContext && display.startsWith("inline-")) {
        // Boxes in one line may be aligned at different heights.
        raised = Math.max(raised, Math.min(high, tallest) / 2);
        tallest = Math.max(tallest, high);
        putBox(high, Math.max(wide, 1), isKept, line);
        more += whole - wide;
        return;
      }
      least = Math.max(least, wide);
      // Floats are placed beside each other.
      longest = isContext ? longest + whole : Math.max(longest, whole);
      ended++;
      const before = unbroken;
      endLine();
      // Content after a float continues the line before it.
      if (isFloating) unbroken = before;
      height += high;
    },
    unsure() {
      isUnsure = true;
    },
    share() {
      hasShare = true;
    },
    get hasShare() {
      return hasShare;
    },
    end() {
      endLine();
      return {
        height: height + rowHeight,
        width: widest(),
        longest: Math.max(longest, rowLongest),
        isUnsure,
      };
    },
  };

  /** The least width. Content of a row that is not a cell gets an anonymous cell beside the others. */
  function widest(): number {
    if (rowWidth <= style.spacing) return least;
    return style.display === "table-row" ? rowWidth + least : Math.max(rowWidth, least);
  }

  function putBox(high: number, wide: number, isBeside: boolean, line?: Style): void {
    const isKept = keepsLine || isBeside;
    across = Math.max(across + blank + wide, 0.1);
    blank = 0;
    lineHeight = Math.max(
      lineHeight,
      high + (line === undefined ? lineOf(style) * belowBaseline : beyond(style, line)),
    );
    unbroken = isKept ? unbroken + kept + wide : 0;
    kept = 0;
    least = Math.max(least, wide, unbroken);
    if (!isMeasured) return;
    if (!isKept) endPiece();
    putPiece(wide);
    if (!isKept) endPiece();
  }

  function put(text: string, of: Style, own: number): void {
    if (!/[^ \t\n\f\r]/.test(text)) {
      // Preserved white space has a width.
      if (isKeeping(of) && text.length > 1) {
        across += widthOf(text, of);
        if (of.whiteSpace !== "pre-wrap") unbroken += widthOf(text, of);
        least = Math.max(least, unbroken);
        if (isMeasured) putWords(text, of);
      }
      // Collapsed white space has a width only between other content.
      if (across > 0 && text !== "") blank = Math.max(blank, widthOf(" ", of));
      if (isKeptTogether(of)) kept = Math.max(kept, blank);
      if (text !== "" && !keepsLine) endPiece();
      return;
    }
    if (isSqueezed && of.breaksWords) isUnsure = true;
    const size = widthOf(text, of);
    across += blank + size;
    lineHeight = Math.max(lineHeight, own);
    raised = Math.max(raised, of.raised);
    const keepsText = isKeptTogether(of);
    unbroken += kept;
    kept = 0;
    reached = keepsText ? unbroken + size : reachOf(text, of, size);
    unbroken = keepsText ? reached : lastReach;
    least = Math.max(least, reached);
    if (isMeasured) {
      if (blank > 0 && filled > 0) filled += blank;
      if (keepsText) putPiece(size);
      else putWords(text, of);
    }
    blank = 0;
  }

  /** The width of the widest piece that cannot be broken. The first piece continues the content before it. `lastReach`: the width
   *  of the last piece. */
  function reachOf(text: string, of: Style, size: number): number {
    if (!breaking.test(text)) {
      lastReach = unbroken + size;
      return lastReach;
    }
    const pieces = text.split(breaking);
    const first = unbroken + widthOf(pieces[0]!, of);
    lastReach = widthOf(pieces.at(-1)!, of);
    return Math.max(first, lastReach, widestOf(pieces, of));
  }

  function putWords(text: string, of: Style): void {
    const isKept = isKeeping(of);
    const words = text.split(isKept ? /([ \t]+)/ : /[ \t]+/);
    const space = widthOf(" ", of);
    for (const [index, word] of words.entries()) {
      if (index > 0) {
        endPiece();
        if (filled > 0 && !isKept) filled += space;
      }
      if (word !== "") putPiece(widthOf(word, of));
    }
  }
}
