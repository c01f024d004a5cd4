/** The style of an element as far as it decides whether its text is seen. */
import { black, type Colour, white } from "#/src/formats/css/colour.ts";
import { initialFontSize } from "#/src/formats/css/length.ts";
import { viewport } from "#/src/formats/css/media.ts";
import type { Value } from "#/src/formats/css/properties.ts";
import type { Removal } from "#/src/model/removal.ts";
import { noVariables, type Variables } from "./variables.ts";

export interface Style {
  /** Why nothing inside of the element is seen, whatever its own style. */
  readonly hidden: Removal | undefined;
  readonly display: string;
  readonly isVisible: boolean;
  readonly opacity: number;
  readonly fontSize: number;
  /** Of transforms and zoom. */
  readonly scale: number;
  readonly lineHeight: number;
  readonly letterSpacing: number;
  readonly textIndent: number;
  readonly colour: Colour;
  readonly linkColour: Colour;
  /** What text stands on; several where it is a gradient. */
  readonly backdrops: readonly Colour[];
  readonly whiteSpace: string;
  readonly isMasked: boolean;
  /** How far the element is moved from where it would be; exact where it is placed in the window. */
  readonly dx: number;
  readonly dy: number;
  readonly isExactX: boolean;
  readonly isExactY: boolean;
  /** What is positioned inside goes by this. */
  readonly block: { readonly dx: number; readonly dy: number; readonly isWindow: boolean };
  readonly width: number;
  /** Inside of a box that cuts off what does not fit; with a height of its lines. */
  readonly clipsX: boolean;
  readonly clipsLines: boolean;
  /** Something that is painted below its context's content would be covered by a background. */
  readonly isOverBackground: boolean;
  /** Space of its own above and below what is in it, and its height where that is given. */
  readonly above: number;
  readonly below: number;
  readonly height: number | undefined;
  /** What does not fit into the height is cut off. */
  readonly cutsHeight: boolean;
  readonly variables: Variables;
  readonly values: ReadonlyMap<string, Value>;
}

export const noValues: ReadonlyMap<string, Value> = new Map();

export const initialStyle: Style = {
  hidden: undefined,
  display: "block",
  isVisible: true,
  opacity: 1,
  fontSize: initialFontSize,
  scale: 1,
  lineHeight: initialFontSize * 1.2,
  letterSpacing: 0,
  textIndent: 0,
  colour: black,
  linkColour: [0, 0, 238, 1],
  backdrops: [white],
  whiteSpace: "normal",
  isMasked: false,
  dx: 0,
  dy: 0,
  isExactX: false,
  isExactY: false,
  block: { dx: 0, dy: 0, isWindow: true },
  width: viewport.width,
  clipsX: false,
  clipsLines: false,
  isOverBackground: false,
  above: 0,
  below: 0,
  height: undefined,
  cutsHeight: false,
  variables: noVariables,
  values: noValues,
};

export const noBox = { above: 0, below: 0, height: undefined, cutsHeight: false } as const;
