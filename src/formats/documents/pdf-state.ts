/** The state of a page's content (ISO 32000-1 section 8.4), as far as it decides what is seen. */
import { type Box, identity, type Matrix } from "./pdf-geometry.ts";
import type { TextState } from "./pdf-runs.ts";

export interface State extends TextState {
  ctm: Matrix;
  fill: string | undefined;
  stroke: string | undefined;
  fillAlpha: number;
  strokeAlpha: number;
  /** Of the groups around. */
  groupAlpha: number;
  lineWidth: number;
  isDashed: boolean;
  clip: Box;
  /** It is cut by something else than a box. */
  isCut: boolean;
  isBlended: boolean;
  isMasked: boolean;
  /** The groups around are. */
  isGroupMixed: boolean;
  leading: number;
  mode: number;
  line: Matrix;
  text: Matrix;
}

export const everywhere: Box = { left: -1e6, bottom: -1e6, right: 1e6, top: 1e6 };

export function firstState(): State {
  return {
    ctm: identity,
    fill: "#000000",
    stroke: "#000000",
    fillAlpha: 1,
    strokeAlpha: 1,
    groupAlpha: 1,
    lineWidth: 1,
    isDashed: false,
    clip: everywhere,
    isCut: false,
    isBlended: false,
    isMasked: false,
    isGroupMixed: false,
    font: undefined,
    size: 0,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    leading: 0,
    rise: 0,
    mode: 0,
    line: identity,
    text: identity,
  };
}

/** What is painted is mixed with what is behind it. */
export function isMixed({ isBlended, isMasked, isGroupMixed }: State): boolean {
  return isBlended || isMasked || isGroupMixed;
}

/** `args`: lengths of strokes and gaps, and where they begin. */
export function isDashed(args: readonly unknown[]): boolean {
  const [lengths] = args;
  return Array.isArray(lengths) && lengths.length > 0;
}

export function colourOf(args: readonly unknown[]): string | undefined {
  const [first] = args;
  return typeof first === "string" && /^#[0-9a-f]{6}$/i.test(first) ? first : undefined;
}
