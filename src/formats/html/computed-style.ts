/** The computed style of an element that its content inherits. Lengths are in CSS pixels. */
import { black, type Colour, white } from "#/src/formats/css/colour.ts";
import { initialFontSize } from "#/src/formats/css/length.ts";
import type { Removal } from "#/src/model/removal.ts";
import { noValues } from "./values.ts";
import { noVariables } from "./variables.ts";

/** Of the root: each element inherits of it. */
const initialLetters = {
  isVisible: true,
  fontSize: initialFontSize,
  rootFontSize: initialFontSize,
  /** The font size was declared in an absolute unit, here or on an ancestor. */
  isSizeSaid: false,
  /** The font is monospace. Browsers draw it smaller if the size is not declared. */
  isFixedPitch: false,
  lineHeight: initialFontSize * 1.2,
  /** The line height as a factor of the font size, if it is inherited as a factor. */
  lineFactor: 1.2 as number | undefined,
  isThin: false,
  /** Thinner than the weight of 300. */
  isHairline: false,
  letterSpacing: 0,
  wordSpacing: 0,
  textIndent: 0,
  /** `text-indent` is a percentage. */
  isIndentShare: false,
  colour: black,
  fill: undefined as Colour | undefined,
  strokeWidth: 0,
  stroke: undefined as Colour | undefined,
  linkColour: [0, 0, 238, 1] as Colour,
  /** The colour of the text if the link around it was visited; undefined if it is the same. */
  visitedColour: undefined as Colour | undefined,
  visitedLinkColour: [85, 26, 139, 1] as Colour,
  bodyColour: black,
  whiteSpace: "normal",
  isRightToLeft: false,
  /** The element or one around it is from the right: what is too wide leaves it to the left. */
  isEverFromRight: false,
  isTransformed: false,
  /** A word may break at any letter, also where that makes its box narrower. */
  breaksWords: false,
  /** Words of ideographs do not break. */
  keepsWords: false,
  /** A word may break between its syllables. */
  hyphenates: false,
  isMarkInside: false,
  /** The thickness of all text decorations together. */
  lined: 0,
  /** That of the lines through the letters. */
  struck: 0,
  isMasked: false,
  /** Letters have shadows. */
  isShaded: false,
  /** The font size or the line height may be another one. */
  isSizeUnsure: false,
  /** The font size depends on the window, and is given as its greatest. */
  isSizeGrowing: false,
  spacing: 2,
};

export type Letters = Readonly<typeof initialLetters>;

const initialBox = {
  /** Why all text inside of the element is hidden. */
  hidden: undefined as Removal | undefined,
  display: "block",
  /** The opacity of the element multiplied by that of its ancestors; `under`: the colours below the outermost that is not opaque. */
  opacity: 1,
  under: [white] as readonly Colour[],
  /** The colours that may be behind the text, and those behind the boxes around it. */
  backdrops: [white] as readonly Colour[],
  around: [white] as readonly Colour[],
  /** The background of an inline box: the font size up to which it covers the glyphs, and the colours behind it. */
  lineBackground: undefined as { readonly fontSize: number; readonly behind: readonly Colour[] } | undefined,
  /** The colours of the glyphs where `background-clip: text` shows the background through them. */
  shownThrough: undefined as readonly Colour[] | undefined,
  /** The space above and below the content. */
  above: 0,
  below: 0,
  variables: noVariables,
  values: noValues,
};

export interface Style extends Letters, Readonly<typeof initialBox> {}

export const initialStyle: Style = { ...initialLetters, ...initialBox };
