/** What a page of a PDF paints: words, and boxes and shapes of everything else. Coordinates are those of the page (ISO 32000-1 section 8.3). */
import type { PageFont } from "./pdf-fonts.ts";
import type { Box } from "./pdf-geometry.ts";
import type { Placed } from "./pdf-runs.ts";
import type { Shape } from "./pdf-shapes.ts";
import type { Gradient } from "./pdf-state.ts";

/** A box that something opaque or not is painted into. `colour` is undefined for pictures and patterns. */
export interface Paint {
  readonly kind: "fill" | "line" | "picture" | "text";
  readonly box: Box;
  readonly colour: string | undefined;
  /** It has these, and those between two of them. */
  readonly gradient?: Gradient | undefined;
  readonly alpha: number;
  /** It fills all of its box. */
  readonly isWhole: boolean;
  /** It fills no more than this. */
  readonly shape?: Shape | undefined;
  /** It is cut by these. */
  readonly cuts: readonly Shape[];
  /** In which annotation it stands. */
  readonly annotation?: string | undefined;
  /** Its place among all paints. */
  readonly at: number;
  /** Of text: what it says. */
  readonly text?: string;
  /** Of text: pixels of an em, of lines: their width. */
  readonly size: number;
}

export interface TextRun extends Paint, Omit<Placed, "ink" | "isVertical"> {
  readonly text: string;
  readonly font: PageFont | undefined;
  readonly mode: number;
  readonly clip: Box;
  /** It is cut by something that is not known, mixed with what is behind it, seen through a mask, or drawn by a font made of drawings or by
   *  lines that may hide it. */
  readonly isUnclear: boolean;
  /** It belongs to a layer that is not shown. */
  readonly isLayerOff: boolean;
}

export interface PagePaint {
  readonly runs: readonly TextRun[];
  readonly paints: readonly Paint[];
}

/** As pdf.js has read them. */
export interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}
