/** The style of an element, as far as it decides whether the text is visible. Lengths are in CSS pixels. */
import { black, type Colour, white } from "#/src/formats/css/colour.ts";
import { initialFontSize } from "#/src/formats/css/length.ts";
import type { Value } from "#/src/formats/css/value-forms.ts";
import { noVariables, type Variables } from "#/src/formats/html/variables.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";

/** What a declaration may do; "pulls": other boxes may cover content before the element. */
export interface StyleDoubt {
  readonly reach: "inside" | "moves" | "pulls" | "paints";
  /** undefined if the element's own text is proven visible nevertheless. */
  readonly why: Doubt | undefined;
}

/** The value of a property that was reset to its initial value. */
export const initialValue = "initial";
export type StyleValue = Value | typeof initialValue;

export interface Style {
  /** Why all text inside of the element is hidden; undefined if it is not known to be hidden. */
  readonly hidden: Removal | undefined;
  /** Why no text inside of the element is proven to be visible; undefined if nothing speaks against it. */
  readonly doubt: Doubt | undefined;
  readonly display: string;
  readonly isVisible: boolean;
  /** The opacity of the element multiplied by that of its ancestors. `under`: the colours that may be behind the outermost element
   *  that is not opaque. */
  readonly opacity: number;
  readonly under: readonly Colour[];
  readonly fontSize: number;
  readonly rootFontSize: number;
  /** The font size was declared in an absolute unit, here or on an ancestor. */
  readonly isSizeSaid: boolean;
  /** The font is monospace. Browsers draw it smaller if the size is not declared. */
  readonly isFixedPitch: boolean;
  readonly lineHeight: number;
  /** The line height as a factor of the font size, if it is inherited as a factor. */
  readonly lineFactor: number | undefined;
  /** `line-height` is `normal`. */
  readonly isLineNormal: boolean;
  /** The font weight is light. */
  readonly isThin: boolean;
  readonly isHairline: boolean;
  readonly letterSpacing: number;
  readonly wordSpacing: number;
  readonly textIndent: number;
  /** Space at the left of the lines within the block, which a negative indent may use. */
  readonly indentRoom: number;
  /** The colour of the text, `-webkit-text-fill-color` if it is declared, and the outline of the glyphs. */
  readonly colour: Colour;
  readonly fill: Colour | undefined;
  readonly strokeWidth: number;
  readonly stroke: Colour | undefined;
  readonly linkColour: Colour;
  /** The colour of the text if the link around it was visited; undefined if it is the same. */
  readonly visitedColour: Colour | undefined;
  readonly visitedLinkColour: Colour;
  readonly bodyColour: Colour;
  /** The colours that may be behind the text. The text must contrast with each of them. */
  readonly backdrops: readonly Colour[];
  /** The backdrops of all ancestors too, for text that may lie outside of its box. */
  readonly around: readonly Colour[];
  /** The background of an inline box: the font size up to which it covers the glyphs, and the colours behind it. */
  readonly lineBackground: { readonly fontSize: number; readonly behind: readonly Colour[] } | undefined;
  /** The colours of the glyphs where `background-clip: text` shows the background through them. */
  readonly shownThrough: readonly Colour[] | undefined;
  readonly whiteSpace: string;
  readonly isRightToLeft: boolean;
  /** The width of a line. */
  readonly width: number;
  /** The element is in a table cell, which grows with a word that is wider than it. */
  readonly isGrowing: boolean;
  /** Space beside its lines is a percentage of a width; cells do not grow for such space. */
  readonly hasShareBeside: boolean;
  /** The part of `indentRoom` that is padding, so that the element's own background is behind it. */
  readonly indentPadding: number;
  /** The distance by which the element and its ancestors are moved by `position: relative`. */
  readonly moved: number;
  /** The vertical part of `moved`. */
  readonly lifted: number;
  /** The distance by which the text is raised or lowered from the baseline of its block. */
  readonly raised: number;
  /** The widths of the left or right borders of the element and its ancestors together. Text over a border has no known backdrop. */
  readonly sideBorder: number;
  /** The widths of the lower borders in the same formatting context; floats may overlap them. */
  readonly borderBelow: number;
  /** An ancestor has a declared height, so the lines are counted. */
  readonly isMeasured: boolean;
  /** `text-transform` or a similar property replaces glyphs by others, which may be wider. */
  readonly isTransformed: boolean;
  /** A line may break inside a word. */
  readonly breaksWords: boolean;
  /** `list-style-position` is `inside`. */
  readonly isMarkInside: boolean;
  /** The thickness of all text decorations of the text together. */
  readonly lined: number;
  /** The font size and the line height that are stored here may be wrong. */
  readonly isSizeUnsure: boolean;
  readonly isLineUnsure: boolean;
  /** The element or an ancestor has a declared height. */
  readonly hasHeight: boolean;
  /** The element is as wide as its content (shrink-to-fit), so a percentage of its width is not known. */
  readonly isShrunk: boolean;
  /** The lines may be as narrow as a single word. */
  readonly isSqueezed: boolean;
  /** The element or an ancestor is right-to-left or aligned to the right, so content that is too wide may overflow to the left,
   *  where it cannot be scrolled to. */
  readonly isEverFromRight: boolean;
  /** `border-spacing` of a table. */
  readonly spacing: number;
  /** The declared distance of the content from the left and the right side of the containing block. */
  readonly shiftLeft: number;
  readonly shiftRight: number;
  /** An ancestor clips what is wider than itself. */
  readonly isClipped: boolean;
  /** An ancestor scrolls what is wider than itself. */
  readonly isScrolled: boolean;
  /** The sum of the negative indents of the first lines around the element. */
  readonly pulled: number;
  /** The table around the element has a fixed layout: columns do not grow with their content. */
  readonly isFixedTable: boolean;
  readonly isMasked: boolean;
  /** The space above and below the content of the element. */
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
  isHairline: false,
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
  width: 1024,
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

/** The properties of a box that are not inherited. Lengths are in CSS pixels. */
export interface Box {
  readonly isInline: boolean;
  /** The box is a formatting context of its own: floats inside do not overlap content outside. */
  readonly isContext: boolean;
  /** The box paints something besides text: a background, a border, a picture. */
  readonly paints: boolean;
  /** How far the effect of declarations that are not understood may go (`understood.ts`). */
  readonly reach: "none" | "inside" | "moves" | "pulls" | "paints";
  /** The distance by which the paint of an inline box extends above and below its line. */
  readonly linePaint: number;
  /** The part of `linePaint` that is border. */
  readonly lineBorder: number;
  /** The height of the padding box; undefined if it grows with the content. */
  readonly height: number | undefined;
  /** The minimum height. */
  readonly leastHeight: number;
  /** The size depends on the content in a way that is not computed. */
  readonly isUnsure: boolean;
  /** The width, or the space beside the content, is a percentage. */
  readonly isShareWide: boolean;
  /** The height is a percentage of the parent's height. */
  readonly isShareHigh: boolean;
  readonly cutsOff: boolean;
  readonly scrolls: boolean;
  /** The radius of the largest round corner, and the least padding, which keeps text away from it. */
  readonly corner: { readonly radius: number; readonly padding: number } | undefined;
  readonly spaceAbove: number;
  readonly spaceBelow: number;
  /** The part of `spaceAbove` and `spaceBelow` that surely separates the box from others. A lower bound. */
  readonly gapAbove: number;
  readonly gapBelow: number;
  readonly shadow: number;
  /** The box floats to the right: if it is wider than its parent, it overflows to the left. */
  readonly isFromRight: boolean;
  /** The maximum width of a picture. */
  readonly mostWidth: number | undefined;
  /** `clear` places the box below earlier floats. */
  readonly isCleared: boolean;
  /** The box is painted above content in flow, because it is positioned or not opaque. */
  readonly isStacked: boolean;
  /** The least width that is declared for the box, and the space beside its content. */
  readonly asked: number;
  readonly sides: number;
  /** The part of `sides` at the start of the lines. */
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
