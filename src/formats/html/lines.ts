/** How much room content takes: its height is counted high and its least width too, from the number and kind of its letters. */
import type { Style } from "./computed-style.ts";
import { isBlank, widestOf, widthOf } from "./fonts.ts";

export interface Extent {
  /** Something is drawn in it besides letters of a usual size. */
  readonly paints: boolean;
  readonly hasText: boolean;
}

export const noExtent: Extent = { paints: false, hasText: false };

export interface Room {
  readonly height: number;
  readonly width: number;
  /** Of the longest line, where none breaks by its width. */
  readonly longest: number;
  /** There is something in it whose size is not known. */
  readonly isUnsure: boolean;
}

export interface BoxInLines {
  readonly display: string;
  readonly height: number;
  readonly width: number;
  /** Where no line in it breaks by its width. */
  readonly longest: number;
  readonly isContext: boolean;
  readonly isFloating: boolean;
  readonly isKept: boolean;
  readonly line: Style | undefined;
}

export interface Lines {
  text(text: string, style: Style): void;
  breakLine(style: Style): void;
  /** Space beside what is in a line. */
  side(width: number): void;
  /** An inline box makes its line as high as itself, whatever it holds. */
  strut(style: Style): void;
  /** `isKept`: no line breaks before or behind it. */
  picture(height: number, width: number, isKept: boolean): void;
  /** `line`: of a box in a line that is nothing but one line itself, the style of that. */
  box(of: BoxInLines): void;
  /** Something of a size that is not known. */
  unsure(): void;
  /** Something in a line is as wide as a share of it: a cell does not grow for that. */
  share(): void;
  readonly hasShare: boolean;
  /** Of the box that they are in. */
  readonly display: string;
  /** What its lines take so far, the one that is not ended too. */
  readonly across: number;
  /** Boxes that stand between lines, and lines with something in them that were ended by other than their width. */
  readonly ended: number;
  /** How wide it has to be so far, for what does not break. */
  readonly least: number;
  /** How far the text that was put last reaches where no line breaks. */
  readonly reached: number;
  end(): Room;
}

/** Of fonts whose lines are high, as a share of the letters' size. */
const normalLine = 1.37;

/** What a line is high at most. */
export function lineOf({ lineHeight, fontSize, isLineNormal }: Style): number {
  return isLineNormal ? Math.max(lineHeight, fontSize * normalLine) : lineHeight;
}

/** A line with a box in it is so much higher, as a share of the line: the box stands on the letters' line. */
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

/** Where lines break: not at a no-break space, and behind a hyphen only between letters. */
const breaking = /[ \t\n\u200b]+|(?<=[A-Za-z]-)(?=[A-Za-z])/;

/** `isSqueezed`: the lines may be as narrow as a word. */
export function createLines(style: Style, isSqueezed = style.isSqueezed): Lines {
  const width = Math.max(1, style.width);
  const { isMeasured } = style;
  const keepsLine = isKeptTogether(style);
  let height = 0;
  let isUnsure = false;
  let hasShare = false;
  /** What the lines since the last break take, put behind each other. */
  let across = Math.max(0, style.textIndent);
  let lastReach = 0;
  let lineHeight = 0;
  let raised = 0;
  /** Of the boxes in the lines. */
  let tallest = 0;
  /** Of the lines since the last break: how many are full, how far the last one goes, and what of it does not break. */
  let fullLines = 0;
  let filled = across;
  let piece = 0;
  /** Of the blank that comes before what is put next, and of one at which no line breaks. */
  let blank = 0;
  let kept = 0;
  let unbroken = across;
  let least = 0;
  let reached = 0;
  let rowWidth = style.spacing;
  let rowHeight = 0;
  let ended = 0;
  let longest = 0;
  /** By how much the boxes in the line may be wider. */
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

  /** One more piece that does not break: in the line, or in the next one together with what it hangs on. */
  const putPiece = (size: number): void => {
    if (size <= 0) return;
    const isFull = isSqueezed ? filled > piece : filled + size > width;
    if (isFull && filled > 0) {
      fullLines++;
      filled = piece;
    }
    filled += size;
    piece += size;
    // What is wider than a line breaks inside, or reaches out of it.
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
      // Letters that are higher than their line reach out of it.
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
      // A line without letters is a line.
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
      // Cells outside of a row make one.
      if (display === "table-cell") {
        rowWidth += wide + style.spacing;
        rowLongest += whole + style.spacing;
        rowHeight = Math.max(rowHeight, high);
        return;
      }
      if (isContext && display.startsWith("inline-")) {
        // Boxes of one line may stand one higher and one lower.
        raised = Math.max(raised, Math.min(high, tallest) / 2);
        tallest = Math.max(tallest, high);
        putBox(high, Math.max(wide, 1), isKept, line);
        more += whole - wide;
        return;
      }
      least = Math.max(least, wide);
      // Floats stand beside each other.
      longest = isContext ? longest + whole : Math.max(longest, whole);
      ended++;
      const before = unbroken;
      endLine();
      // What stands behind a float hangs on what stands before it.
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

  /** What stands in a row and is no cell has a cell of its own beside the others. */
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
      // What is kept takes its own room.
      if (isKeeping(of) && text.length > 1) {
        across += widthOf(text, of);
        if (of.whiteSpace !== "pre-wrap") unbroken += widthOf(text, of);
        least = Math.max(least, unbroken);
        if (isMeasured) putWords(text, of);
      }
      // It takes room only between others.
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

  /** The widest piece of it that does not break; the first one hangs on what stands before. `lastReach`: the last one. */
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
