/** The style of an element as far as it decides whether its text is seen. */
import { black, type Colour, white } from "#/src/formats/css/colour.ts";
import { initialFontSize } from "#/src/formats/css/length.ts";
import { viewport } from "#/src/formats/css/media.ts";
import type { Value } from "#/src/formats/css/value-forms.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import { noVariables, type Variables } from "./variables.ts";

/** What a value is where nothing is declared by the page. */
export const initialValue = "initial";
export type StyleValue = Value | typeof initialValue;

export interface Style {
  /** Why nothing inside of the element is seen, whatever its own style. */
  readonly hidden: Removal | undefined;
  /** Why nothing inside of the element is proven to be seen. */
  readonly doubt: Doubt | undefined;
  readonly display: string;
  readonly isVisible: boolean;
  /** Of the element and all around it, and what may be behind the first that lets something through. */
  readonly opacity: number;
  readonly under: readonly Colour[];
  readonly fontSize: number;
  readonly rootFontSize: number;
  /** Its size is said in pixels, by it or around it. */
  readonly isSizeSaid: boolean;
  /** Letters of one width: browsers draw them smaller where their size is not said. */
  readonly isFixedPitch: boolean;
  readonly lineHeight: number;
  /** Times the size of the letters, where it is inherited so. */
  readonly lineFactor: number | undefined;
  /** Lines are as high as their font says. */
  readonly isLineNormal: boolean;
  /** Letters are drawn in thin lines. */
  readonly isThin: boolean;
  readonly letterSpacing: number;
  readonly wordSpacing: number;
  readonly textIndent: number;
  /** Space at the left of the block itself, for lines that begin further left. */
  readonly indentRoom: number;
  /** The colour, what `-webkit-text-fill-color` says instead, and the outline of letters. */
  readonly colour: Colour;
  readonly fill: Colour | undefined;
  readonly strokeWidth: number;
  readonly stroke: Colour | undefined;
  readonly linkColour: Colour;
  /** The colour of letters whose link has been followed; undefined where it is the same. */
  readonly visitedColour: Colour | undefined;
  readonly visitedLinkColour: Colour;
  readonly bodyColour: Colour;
  /** Colours that may be behind the text; the text has to differ from each. */
  readonly backdrops: readonly Colour[];
  /** Those of everything around, for what may not stand in its box. */
  readonly around: readonly Colour[];
  /** Of a line's own background: how large letters may be in front of it, and what is behind it. */
  readonly lineBackground: { readonly fontSize: number; readonly behind: readonly Colour[] } | undefined;
  /** The letters show the background: its colours are theirs. */
  readonly shownThrough: readonly Colour[] | undefined;
  readonly whiteSpace: string;
  readonly isRightToLeft: boolean;
  /** Pixels that a line has. */
  readonly width: number;
  /** Cells grow with a word that is wider. */
  readonly isGrowing: boolean;
  /** Space beside its lines is a share of a width: cells do not grow for that. */
  readonly hasShareBeside: boolean;
  /** Of that space, the padding: its own background is behind it. */
  readonly indentPadding: number;
  /** Moved from its place in flow by so much, together with all around it. */
  readonly moved: number;
  /** Of that, up or down. */
  readonly lifted: number;
  /** Of lines: raised or lowered from the line of their block by so much. */
  readonly raised: number;
  /** Pixels of the borders at a side of it and of the boxes around it: no backdrop is known there. */
  readonly sideBorder: number;
  /** Of the lower borders in the same formatting context: floats hang over them. */
  readonly borderBelow: number;
  /** A box of a given height is around it, so that its lines are counted. */
  readonly isMeasured: boolean;
  /** Letters are drawn as others, which may be wider. */
  readonly isTransformed: boolean;
  /** A line may break inside of a word. */
  readonly breaksWords: boolean;
  /** Marks of items stand in their lines. */
  readonly isMarkInside: boolean;
  /** Pixels that lines below and through its letters are thick, together. */
  readonly lined: number;
  /** The size of its letters, and the height of its lines, may be another one. */
  readonly isSizeUnsure: boolean;
  readonly isLineUnsure: boolean;
  /** A height is declared for it or a box around it. */
  readonly hasHeight: boolean;
  /** It is as wide as what it holds, so that a share of its width is not known. */
  readonly isShrunk: boolean;
  /** Its lines may be as narrow as a word. */
  readonly isSqueezed: boolean;
  /** Lines begin at the right in it or in a box around it: what reaches out to the right may be out of reach. */
  readonly isEverFromRight: boolean;
  /** Of a table: room between its cells. */
  readonly spacing: number;
  /** Pushed from its sides by so much, by the author. */
  readonly shiftLeft: number;
  readonly shiftRight: number;
  /** A box around it cuts off what is wider. */
  readonly isClipped: boolean;
  /** A box around it scrolls what is wider. */
  readonly isScrolled: boolean;
  /** Pixels by which first lines around it pull it out of their blocks. */
  readonly pulled: number;
  /** Of the table around it: columns do not grow with what they hold. */
  readonly isFixedTable: boolean;
  readonly isMasked: boolean;
  /** Space of its own above and below what is in it. */
  readonly above: number;
  readonly below: number;
  readonly variables: Variables;
  readonly values: ReadonlyMap<string, StyleValue>;
}

export const noValues: ReadonlyMap<string, StyleValue> = new Map();

export const initialStyle: Style = {
  hidden: undefined,
  doubt: undefined,
  display: "block",
  isVisible: true,
  opacity: 1,
  under: [white],
  fontSize: initialFontSize,
  rootFontSize: initialFontSize,
  isSizeSaid: false,
  isFixedPitch: false,
  lineHeight: initialFontSize * 1.2,
  lineFactor: 1.2,
  isLineNormal: true,
  isThin: false,
  letterSpacing: 0,
  wordSpacing: 0,
  textIndent: 0,
  indentRoom: 0,
  indentPadding: 0,
  moved: 0,
  lifted: 0,
  raised: 0,
  sideBorder: 0,
  borderBelow: 0,
  isMeasured: false,
  isTransformed: false,
  breaksWords: false,
  isMarkInside: false,
  lined: 0,
  isSizeUnsure: false,
  isLineUnsure: false,
  hasHeight: false,
  isShrunk: false,
  isSqueezed: false,
  isEverFromRight: false,
  spacing: 2,
  colour: black,
  fill: undefined,
  strokeWidth: 0,
  stroke: undefined,
  linkColour: [0, 0, 238, 1],
  visitedColour: undefined,
  visitedLinkColour: [85, 26, 139, 1],
  bodyColour: black,
  backdrops: [white],
  around: [white],
  lineBackground: undefined,
  shownThrough: undefined,
  whiteSpace: "normal",
  isRightToLeft: false,
  width: viewport.width,
  isGrowing: false,
  hasShareBeside: false,
  shiftLeft: 0,
  shiftRight: 0,
  isClipped: false,
  isScrolled: false,
  pulled: 0,
  isFixedTable: false,
  isMasked: false,
  above: 0,
  below: 0,
  variables: noVariables,
  values: noValues,
};

/** What of a box is its own: nothing of it is inherited. */
export interface Box {
  readonly isInline: boolean;
  /** A formatting context: what is in it overlaps nothing outside. */
  readonly isContext: boolean;
  /** Something is drawn for it besides letters. */
  readonly paints: boolean;
  /** What it may do to the page (`understood.ts`). */
  readonly reach: "none" | "inside" | "moves" | "pulls" | "paints";
  /** How far the paint of an inline box goes above and below its line. */
  readonly linePaint: number;
  /** Of that, the border. */
  readonly lineBorder: number;
  /** Of the padding box, in pixels; undefined where it grows. */
  readonly height: number | undefined;
  /** At least so high, whatever it holds. */
  readonly leastHeight: number;
  /** Its size goes by what it holds, in a way that is not counted. */
  readonly isUnsure: boolean;
  /** Its width, or what stands beside its content, is a share of a width. */
  readonly isShareWide: boolean;
  /** Its height is a share of that of its parent. */
  readonly isShareHigh: boolean;
  readonly cutsOff: boolean;
  readonly scrolls: boolean;
  /** Pixels that a round corner takes off, and that padding gives to it. */
  readonly corner: { readonly radius: number; readonly padding: number } | undefined;
  readonly spaceAbove: number;
  readonly spaceBelow: number;
  /** Of that, what surely lies between what is above and below. */
  readonly gapAbove: number;
  readonly gapBelow: number;
  readonly shadow: number;
  /** Floats to the right: what is wider than its parent reaches out at the left. */
  readonly isFromRight: boolean;
  /** Of a picture: at most so wide. */
  readonly mostWidth: number | undefined;
  /** Floats before it stand above it. */
  readonly isCleared: boolean;
  /** It is drawn over what is in flow: positioned, or not opaque. */
  readonly isStacked: boolean;
  /** Least width that it asks for, and what stands beside its content. */
  readonly asked: number;
  readonly sides: number;
  /** Of that, at the side where lines begin. */
  readonly sideBefore: number;
  readonly isOutOfFlow: boolean;
  readonly isFloating: boolean;
  readonly pullsLine: boolean;
}

export const plainBox: Box = {
  isInline: false,
  isContext: false,
  paints: false,
  reach: "none",
  linePaint: 0,
  lineBorder: 0,
  height: undefined,
  leastHeight: 0,
  isUnsure: false,
  isShareWide: false,
  isShareHigh: false,
  cutsOff: false,
  scrolls: false,
  corner: undefined,
  spaceAbove: 0,
  spaceBelow: 0,
  gapAbove: 0,
  gapBelow: 0,
  shadow: 0,
  isFromRight: false,
  mostWidth: undefined,
  isCleared: false,
  isStacked: false,
  asked: 0,
  sides: 0,
  sideBefore: 0,
  isOutOfFlow: false,
  isFloating: false,
  pullsLine: false,
};
