/** Paint of inline boxes below their lines: text that follows is drawn over it (CSS 2.2, appendix E), and has to differ from it too. */
import type { Colour } from "#/src/formats/css/colour.ts";
import type { Style } from "./computed-style.ts";
import { clarityOf, union } from "./contrast.ts";

export interface LinePaint {
  /** An inline box paints so many pixels below its line. `colours` is undefined where they are not known. */
  paint(reach: number, colours: readonly Colour[] | undefined, around: Style): void;
  /** Whether the next text melts into it. `gap`: pixels that surely lie between that text and the one before. */
  hides(style: Style, gap: number): boolean;
}

/** Letters stand so far below the upper edge of their line, as a share of their size. */
const slack = 0.25;

export function createLinePaint(): LinePaint {
  /** Below the text that was visited last. */
  let left = 0;
  let colours: readonly Colour[] | undefined = [];
  let around: readonly Colour[] = [];
  let lastLine = 0;
  return {
    paint(reach, added, { backdrops }) {
      if (reach <= 0) return;
      colours = left <= 0 ? added : colours && added && union(colours, added);
      around = left <= 0 ? backdrops : union(around, backdrops);
      left = Math.max(left, reach);
      lastLine = 0;
    },
    hides(style, gap) {
      if (left <= 0) return false;
      // A gap is between two blocks, so the text before has at least one line.
      if (gap > 0) left -= gap + lastLine;
      lastLine = style.lineHeight;
      if (left <= style.fontSize * slack) return false;
      const standsThere = union(style.backdrops, around) === style.backdrops;
      return standsThere && (colours === undefined || clarityOf(style, colours) !== "clear");
    },
  };
}
