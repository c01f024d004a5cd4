/** Paint of inline boxes below their lines. Text that follows is drawn over it (CSS 2.2, appendix E), over the backgrounds of the
 *  blocks that it stands in, and has to differ from it. What follows and floats is drawn below it. */
import type { Colour } from "#/src/formats/css/colour.ts";
import { clarityOf, coloursMax, union } from "#/src/formats/html/contrast.ts";
import type { Style } from "./computed-style.ts";

/** Of the paint that goes beyond the text that was visited last. */
export interface PaintLeft {
  readonly pixels: number;
  /** undefined where they are not known. */
  readonly colours: readonly Colour[] | undefined;
  /** Height of a line that was visited since. */
  readonly line: number;
}

export interface LinePaint {
  /** An inline box paints so many pixels below its line. */
  paint(reach: number, colours: PaintLeft["colours"]): void;
  /** Whether the next text melts into it. `gap`: pixels that surely lie between that text and the one before. */
  hides(style: Style, gap: number): boolean;
  /** Whether it covers what floats. */
  covers(gap: number): boolean;
  left(): PaintLeft;
  /** What comes may stand below that too. */
  join(other: PaintLeft): void;
}

/** Letters stand so far below the upper edge of their line, as a share of their size. */
const slack = 0.25;
/** Of the smallest letters. */
const slackLeast = 2;

const nothing: PaintLeft = { pixels: 0, colours: [], line: 0 };

function few(colours: PaintLeft["colours"]): PaintLeft["colours"] {
  return colours !== undefined && colours.length > coloursMax ? undefined : colours;
}

export function createLinePaint(): LinePaint {
  let now = nothing;
  const join = (other: PaintLeft): void => {
    if (other === now || other.pixels <= 0) return;
    if (now.pixels <= 0) now = other;
    else
      now = {
        pixels: Math.max(now.pixels, other.pixels),
        colours: few(now.colours && other.colours && union(now.colours, other.colours)),
        line: Math.min(now.line, other.line),
      };
  };
  // A gap is between two blocks, so the text before has at least one line.
  const beyond = (gap: number): number => (gap > 0 ? now.pixels - gap - now.line : now.pixels);
  return {
    paint: (reach, colours) => join({ pixels: reach, colours, line: 0 }),
    hides(style, gap) {
      if (now.pixels <= 0) return false;
      now = { pixels: beyond(gap), colours: now.colours, line: style.lineHeight };
      if (now.pixels <= style.fontSize * slack) return false;
      return now.colours === undefined || clarityOf(style, now.colours) !== "clear";
    },
    covers: (gap) => beyond(gap) > slackLeast,
    left: () => now,
    join,
  };
}
