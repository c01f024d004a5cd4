/** Pieces of text of a PDF, placed as pdf.js places them (ISO 32000-1 section 9.4.4). */
import type { Drawing, Glyph, PageFont } from "./pdf-fonts.ts";
import { inkOf } from "./pdf-fonts.ts";
import { type Box, type Matrix, point, transformed, unionOf } from "./pdf-geometry.ts";

export interface TextState {
  font: PageFont | undefined;
  size: number;
  charSpacing: number;
  wordSpacing: number;
  scale: number;
  rise: number;
}

/** A piece of text in its place, without what it is painted with. */
export interface Placed {
  readonly text: string;
  readonly letters: readonly Glyph[];
  /** The lower half of its letters, which all of them have. */
  readonly box: Box;
  /** All that its letters may paint; undefined if they paint nothing. */
  readonly ink: Box | undefined;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly size: number;
  readonly isDistorted: boolean;
  /** Nobody knows here how it lies. */
  readonly isVertical: boolean;
}

/** Letters that are wider than so many times their height, or the other way round, are not read. */
const stretchMost = 3;
/** Sine of the angle between the base line and the stems of letters. */
const slantLeast = 0.4;
/** Ems from a letter to the next one, on the whole. */
const advanceLeast = 0.2;
const lettersOfCrowd = 4;
/** Letters of one piece whose own outline is looked at. */
const inkedMost = 500;

/** `said`: letters, and thousandths of an em between. `matrix`: from the text's units to those of the page. */
export function place(
  said: readonly (Glyph | number | null)[],
  state: TextState,
  matrix: Matrix,
  drawingBox: (drawing: Drawing) => Box | undefined,
): { readonly advance: number; readonly placed?: Placed } {
  const { font, size, scale, rise } = state;
  const unit = font?.unit ?? 0.001;
  const letters: Glyph[] = [];
  const inks: Box[] = [];
  let x = 0;
  let first: number | undefined;
  let last = 0;
  let isVertical = false;
  for (const glyph of said) {
    if (typeof glyph === "number") {
      x -= (glyph * size * scale) / 1000;
      continue;
    }
    if (glyph === null || typeof glyph !== "object") continue;
    const wide = glyph.width * unit * size * scale;
    const ink = inks.length < inkedMost ? inkOfLetter(glyph, font, drawingBox) : undefined;
    if (ink !== undefined)
      inks.push({
        left: x + ink.left * size * scale,
        right: x + ink.right * size * scale,
        bottom: rise + ink.bottom * size,
        top: rise + ink.top * size,
      });
    if (glyph.unicode.trim() !== "") {
      first ??= x;
      last = x + wide;
      letters.push(glyph);
    }
    isVertical ||= glyph.vmetric !== undefined && glyph.vmetric !== null;
    x += wide + (state.charSpacing + (glyph.isSpace ? state.wordSpacing : 0)) * scale;
  }
  if (first === undefined && inks.length === 0) return { advance: x };
  const from = first ?? 0;
  const tall = Math.hypot(matrix[2], matrix[3]) * Math.abs(size);
  const wide = Math.hypot(matrix[0], matrix[1]) * Math.abs(size * scale);
  const turned = (matrix[0] * matrix[3] - matrix[1] * matrix[2]) * Math.sign(scale);
  const slant = turned / (Math.hypot(matrix[0], matrix[1]) * Math.hypot(matrix[2], matrix[3]));
  const isCrowded =
    letters.length >= lettersOfCrowd &&
    Math.abs(last - from) < advanceLeast * Math.abs(size * scale) * letters.length;
  const box = transformed(
    {
      left: Math.min(from, last),
      right: Math.max(from, last),
      bottom: rise + Math.min(0, 0.55 * size),
      top: rise + Math.max(0, 0.55 * size),
    },
    matrix,
  );
  return {
    advance: x,
    placed: {
      text: letters.map(({ unicode }) => unicode).join(""),
      letters,
      box,
      ink: inked(
        inks.map((one) => transformed(normal(one), matrix)),
        font,
        box,
      ),
      from: point(matrix, from, rise),
      to: point(matrix, last, rise),
      size: Math.min(tall, wide * stretchMost),
      isDistorted:
        wide * stretchMost < tall || tall * 2 * stretchMost < wide || !(slant >= slantLeast) || isCrowded,
      isVertical,
    },
  };
}

function inked(inks: readonly Box[], font: PageFont | undefined, box: Box): Box | undefined {
  return font === undefined || font.isMissing ? box : unionOf(inks);
}

function inkOfLetter(
  glyph: Glyph,
  font: PageFont | undefined,
  drawingBox: (drawing: Drawing) => Box | undefined,
): Box | undefined {
  if (font === undefined || font.isMissing) return undefined;
  const outline = font.outlineOf(glyph);
  if (outline !== undefined || !font.isDrawn) return outline && inkOf(outline);
  const drawing = font.drawingOf(glyph);
  return drawing && drawingBox(drawing);
}

function normal({ left, bottom, right, top }: Box): Box {
  return {
    left: Math.min(left, right),
    right: Math.max(left, right),
    bottom: Math.min(bottom, top),
    top: Math.max(bottom, top),
  };
}
