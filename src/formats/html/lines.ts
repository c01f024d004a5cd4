/** How much room content takes: its height is counted high and its least width too, from the number and kind of its letters. */
import type { Style } from "./computed-style.ts";
import { isBlank, widestWord, widthOf } from "./fonts.ts";

export interface Extent {
  /** Something is drawn in it besides letters of a usual size. */
  readonly paints: boolean;
  readonly hasText: boolean;
}

export const noExtent: Extent = { paints: false, hasText: false };

export interface Lines {
  text(text: string, style: Style): void;
  breakLine(style: Style): void;
  /** Space beside what is in a line. */
  side(width: number): void;
  picture(height: number, width: number): void;
  box(display: string, height: number, width: number, isContext: boolean): void;
  end(): { readonly height: number; readonly width: number };
}

export function createLines(style: Style): Lines {
  const width = Math.max(1, style.width);
  const isRow = style.display === "table-row";
  let height = 0;
  let across = Math.max(0, style.textIndent);
  let lineHeight = 0;
  let blank = 0;
  let unbroken = Math.max(0, style.textIndent);
  let least = 0;
  let rowWidth = 0;
  let rowHeight = 0;

  const endLine = (): void => {
    if (across > 0 && lineHeight > 0) {
      // Words that do not fit leave room at the end of a line.
      const lines = Math.ceil((across * (across > width ? 1.15 : 1)) / width);
      height += lines * lineHeight;
    }
    across = 0;
    blank = 0;
    unbroken = 0;
    lineHeight = 0;
  };

  return {
    text(text, of) {
      const isKept = of.whiteSpace.startsWith("pre") || of.whiteSpace === "break-spaces";
      // Letters that are higher than their line reach out of it.
      const own = isBlank(text) ? of.lineHeight : Math.max(of.lineHeight, of.fontSize);
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
      put(text.replace(/[ \t\n\f\r]+/g, " "), of, own);
    },
    breakLine(of) {
      lineHeight = Math.max(lineHeight, of.lineHeight);
      across = Math.max(across, 1);
      endLine();
    },
    side(size) {
      across += size;
      unbroken += size;
      least = Math.max(least, unbroken);
    },
    picture(high, wide) {
      across += wide;
      // It stands on the line of the letters.
      lineHeight = Math.max(lineHeight, high + style.lineHeight * 0.3);
      least = Math.max(least, wide);
    },
    box(display, high, wide, isContext) {
      if (isRow && display === "table-cell") {
        rowWidth += wide;
        rowHeight = Math.max(rowHeight, high);
        least = Math.max(least, rowWidth);
        return;
      }
      least = Math.max(least, wide);
      if (isContext && display.startsWith("inline-")) {
        across += blank + Math.max(wide, 1);
        blank = 0;
        lineHeight = Math.max(lineHeight, high);
        return;
      }
      endLine();
      height += high;
    },
    end() {
      endLine();
      return { height: height + rowHeight, width: least };
    },
  };

  function put(text: string, of: Style, own: number): void {
    if (text.trim() === "") {
      // It takes room only between others.
      if (across > 0 && text !== "") blank = of.fontSize * 0.36;
      return;
    }
    const size = widthOf(text, of);
    across += blank + size;
    blank = 0;
    lineHeight = Math.max(lineHeight, own);
    if (of.whiteSpace === "nowrap" || of.whiteSpace === "pre") {
      unbroken += size;
      least = Math.max(least, unbroken);
    } else {
      least = Math.max(least, widestWord(text, of));
      if (/\s/.test(text)) unbroken = 0;
    }
  }
}
