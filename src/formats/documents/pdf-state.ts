/** The state of a page's content (ISO 32000-1 section 8.4), as far as it decides what is seen. */
import type { Colour } from "#/src/formats/css/colour.ts";
import { type Box, identity, type Matrix, point, scaleOf } from "./pdf-geometry.ts";
import type { TextState } from "./pdf-runs.ts";
import type { Shape } from "./pdf-shapes.ts";

export interface State extends TextState {
  ctm: Matrix;
  fill: string | undefined;
  /** What is filled has colours between others. */
  gradient: Gradient | undefined;
  stroke: string | undefined;
  fillAlpha: number;
  strokeAlpha: number;
  /** Of the groups around. */
  groupAlpha: number;
  lineWidth: number;
  isDashed: boolean;
  clip: Box;
  /** It is cut by these, too. */
  cuts: readonly Shape[];
  /** It is cut by something that is not known. */
  isCut: boolean;
  isBlended: boolean;
  isMasked: boolean;
  /** Colours go through a function (ISO 32000-1 section 10.4). */
  isTransferred: boolean;
  /** The groups around are. */
  isGroupMixed: boolean;
  leading: number;
  mode: number;
  line: Matrix;
  text: Matrix;
}

/** Of a gradient (ISO 32000-1 section 8.7.4.5.3): colours so near to each other that all others lie between two of them. */
export interface Gradient {
  readonly colours: readonly string[];
  /** It paints wherever it may. */
  readonly isFull: boolean;
}

/** Steps between two colours of a gradient, and its colours. */
const stepsOfGradient = 8;
const coloursMost = 400;
/** Where pdf.js begins a gradient that does not go on beyond its ends. */
const unextended = 2e-6;

/** Units between the ends of a gradient, and how flat what it is turned by may be; nearer and flatter ones paint nothing. */
const axisLeast = 0.01;
const flatLeast = 1e-6;

/** `said`: as pdf.js has read it; undefined for other patterns. `matrix`: from its coordinates to those of the page. */
export function gradientOf(said: unknown, matrix: Matrix): Gradient | undefined {
  if (!Array.isArray(said) || said[0] !== "RadialAxial") return undefined;
  const [, kind, box, stops, from, to] = said as [
    string,
    string,
    unknown,
    readonly [number, string][],
    readonly number[],
    readonly number[],
  ];
  const found = stops.map(([, colour]) => colourOf([colour]));
  if (stops.length === 0 || stops.length * stepsOfGradient > coloursMost) return undefined;
  const known = found.filter((one) => one !== undefined);
  const isExtended = (stops[1]?.[0] ?? 0) > unextended && (stops.at(-2)?.[0] ?? 1) < 1 - unextended;
  const colours = known.flatMap((one, at) =>
    Array.from({ length: stepsOfGradient }, (_, step) =>
      mixed(known[at + 1] ?? one, step / stepsOfGradient, one),
    ),
  );
  return {
    colours: [...new Set(colours)],
    isFull:
      kind === "axial" &&
      box === null &&
      known.length === found.length &&
      isExtended &&
      hasAxis(from, to, matrix),
  };
}

/** A gradient between two equal points paints nothing (ISO 32000-1 section 8.7.4.5.3). */
function hasAxis(from: readonly number[], to: readonly number[], matrix: Matrix): boolean {
  const [a, b, c, d] = matrix;
  const [x, y] = point(matrix, from[0]!, from[1]!);
  const [otherX, otherY] = point(matrix, to[0]!, to[1]!);
  return (
    Math.hypot(otherX - x, otherY - y) > axisLeast &&
    Math.abs(a * d - b * c) > flatLeast * Math.max(1, scaleOf(matrix) ** 2)
  );
}

export function channels(colour: string): Colour {
  const at = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return [at(1), at(3), at(5), 1];
}

/** A colour on another one. */
export function mixed(colour: string, alpha: number, behind: string): string {
  const under = channels(behind);
  return `#${channels(colour)
    .slice(0, 3)
    .map((one, at) =>
      Math.round(one * alpha + under[at]! * (1 - alpha))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

export const everywhere: Box = { left: -1e6, bottom: -1e6, right: 1e6, top: 1e6 };

export function firstState(): State {
  return {
    ctm: identity,
    fill: "#000000",
    gradient: undefined,
    stroke: "#000000",
    fillAlpha: 1,
    strokeAlpha: 1,
    groupAlpha: 1,
    lineWidth: 1,
    isDashed: false,
    clip: everywhere,
    cuts: [],
    isCut: false,
    isBlended: false,
    isMasked: false,
    isTransferred: false,
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

/** What is painted is mixed with what is behind it, or has other colours than are said. */
export function isMixed({ isBlended, isMasked, isTransferred, isGroupMixed }: State): boolean {
  return isBlended || isMasked || isTransferred || isGroupMixed;
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
