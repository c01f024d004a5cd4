/** The computed style of an element that its content inherits. Lengths are in CSS pixels. */
import { black, type Colour, white } from "#/src/formats/css/colour.ts";
import { initialFontSize } from "#/src/formats/css/length.ts";
import type { Removal } from "#/src/model/removal.ts";
import { noValues, type ValueMap } from "./values.ts";
import { noVariables, type Variables } from "./variables.ts";

export interface Letters {
  readonly isVisible: boolean;
  readonly fontSize: number;
  readonly rootFontSize: number;
  /** The font size was declared in an absolute unit, here or on an ancestor. */
  readonly isSizeSaid: boolean;
  /** The font is monospace. Browsers draw it smaller if the size is not declared. */
  readonly isFixedPitch: boolean;
  readonly lineHeight: number;
  /** The line height as a factor of the font size, if it is inherited as a factor. */
  readonly lineFactor: number | undefined;
  readonly isThin: boolean;
  /** Thinner than the weight of 300. */
  readonly isHairline: boolean;
  readonly letterSpacing: number;
  readonly wordSpacing: number;
  readonly textIndent: number;
  /** `text-indent` is a percentage. */
  readonly isIndentShare: boolean;
  readonly colour: Colour;
  readonly fill: Colour | undefined;
  readonly strokeWidth: number;
  readonly stroke: Colour | undefined;
  readonly linkColour: Colour;
  /** The colour of the text if the link around it was visited; undefined if it is the same. */
  readonly visitedColour: Colour | undefined;
  readonly visitedLinkColour: Colour;
  readonly bodyColour: Colour;
  readonly whiteSpace: string;
  readonly isRightToLeft: boolean;
  /** The element or one around it is from the right: what is too wide leaves it to the left. */
  readonly isEverFromRight: boolean;
  readonly isTransformed: boolean;
  /** A word may break at any letter, also where that makes its box narrower. */
  readonly breaksWords: boolean;
  /** A word may break between its syllables. */
  readonly hyphenates: boolean;
  readonly isMarkInside: boolean;
  /** The thickness of all text decorations together. */
  readonly lined: number;
  /** That of the lines through the letters. */
  readonly struck: number;
  readonly isMasked: boolean;
  /** The font size or the line height may be another one. */
  readonly isSizeUnsure: boolean;
  readonly spacing: number;
}

export interface Style extends Letters {
  /** Why all text inside of the element is hidden. */
  readonly hidden: Removal | undefined;
  readonly display: string;
  /** The opacity of the element multiplied by that of its ancestors; `under`: the colours below the outermost that is not opaque. */
  readonly opacity: number;
  readonly under: readonly Colour[];
  /** The colours that may be behind the text, and those behind the boxes around it. */
  readonly backdrops: readonly Colour[];
  readonly around: readonly Colour[];
  /** The background of an inline box: the font size up to which it covers the glyphs, and the colours behind it. */
  readonly lineBackground: { readonly fontSize: number; readonly behind: readonly Colour[] } | undefined;
  /** The colours of the glyphs where `background-clip: text` shows the background through them. */
  readonly shownThrough: readonly Colour[] | undefined;
  /** The space above and below the content. */
  readonly above: number;
  readonly below: number;
  readonly variables: Variables;
  readonly values: ValueMap;
}

export const initialStyle: Style = {
  isVisible: true,
  fontSize: initialFontSize,
  rootFontSize: initialFontSize,
  isSizeSaid: false,
  isFixedPitch: false,
  lineHeight: initialFontSize * 1.2,
  lineFactor: 1.2,
  isThin: false,
  isHairline: false,
  letterSpacing: 0,
  wordSpacing: 0,
  textIndent: 0,
  isIndentShare: false,
  colour: black,
  fill: undefined,
  strokeWidth: 0,
  stroke: undefined,
  linkColour: [0, 0, 238, 1],
  visitedColour: undefined,
  visitedLinkColour: [85, 26, 139, 1],
  bodyColour: black,
  whiteSpace: "normal",
  isRightToLeft: false,
  isEverFromRight: false,
  isTransformed: false,
  breaksWords: false,
  hyphenates: false,
  isMarkInside: false,
  lined: 0,
  struck: 0,
  isMasked: false,
  isSizeUnsure: false,
  spacing: 2,
  hidden: undefined,
  display: "block",
  opacity: 1,
  under: [white],
  backdrops: [white],
  around: [white],
  lineBackground: undefined,
  shownThrough: undefined,
  above: 0,
  below: 0,
  variables: noVariables,
  values: noValues,
};
