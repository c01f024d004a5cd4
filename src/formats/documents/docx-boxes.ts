/** What is known of a box or a shape of a Word document while it is read. */
import type { Doubt } from "#/src/model/removal.ts";
import { Lines } from "./docx-lines.ts";

/** Points from the edges of a page in which a box surely stands on it. */
export const acrossMost = 500;
export const downMost = 700;
export const backMost = 72;

export interface Box {
  doubt: Doubt | undefined;
  /** It is a shape of an old program. */
  isOld: boolean;
  isHidden: boolean;
  /** All that it may be. */
  paper: readonly string[];
  isFilled: boolean;
  /** The shape says itself what it is filled with. */
  isFillSaid: boolean;
  hasColour: boolean;
  width: number;
  height: number;
  readonly lines: Lines;
  holdsText: boolean;
  /** It stands in the page, and not in a line of text. */
  isAnchored: boolean;
  isBehind: boolean;
  /** Text flows around it. */
  isAside: boolean;
  isTurned: boolean;
  isPainted: boolean;
  /** It is not known in which colours. */
  isColourful: boolean;
  /** Of its letters. */
  readonly inks: Set<string>;
  /** It reaches over its place by no length that is known. */
  isFar: boolean;
  /** Points that it may be wide and tall. */
  wide: number;
  tall: number;
  left: number | undefined;
  top: number | undefined;
  acrossFrom: string;
  downFrom: string;
  readonly boxes: number[];
}

export function unknownBox(): Box {
  return {
    doubt: "element-not-understood",
    isOld: false,
    isHidden: false,
    paper: [],
    isFilled: false,
    isFillSaid: false,
    hasColour: false,
    width: 0,
    height: 0,
    lines: new Lines(),
    holdsText: false,
    isAnchored: false,
    isBehind: false,
    isAside: false,
    isTurned: false,
    isPainted: false,
    isColourful: false,
    inks: new Set(),
    isFar: false,
    wide: 0,
    tall: 0,
    left: undefined,
    top: undefined,
    acrossFrom: "",
    downFrom: "",
    boxes: [],
  };
}
