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

/** A word in its place, without what it is painted with. */
export interface Placed {
  readonly text: string;
  readonly letters: readonly Glyph[];
  /** A space stands before it in its piece of text. */
  readonly isAfterSpace: boolean;
  /** The lower half of its letters, which all of them have. */
  readonly box: Box;
  /** All that its letters may paint; undefined if they paint nothing. */
  readonly ink: Box | undefined;
  /** The same of each letter; of a font that is not known, the box. */
  readonly inks: readonly Box[];
  /** The ends of its base line, and its direction, of length 1. */
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly along: readonly [number, number];
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
/** Ems between two letters of which the second begins another word. */
export const spaceLeast = 0.13;
/** Letters of one piece whose own outline is looked at, and the ink of others, in ems. */
const inkedMost = 500;
const usualInk: Box = { left: 0, bottom: -0.25, right: 1, top: 1 };

/** A word of a piece of text: its letters, the places where they begin and end, and what they paint, in units of the text. */
interface Word {
  readonly letters: Glyph[];
  readonly inks: Box[];
  from: number;
  to: number;
  isAfterSpace: boolean;
}

/** `said`: letters, and thousandths of an em between. `matrix`: from the text's units to those of the page. Returns its words, and how far the
 *  next piece is. */
export function place(
  said: readonly (Glyph | number | null)[],
  state: TextState,
  matrix: Matrix,
  drawingBox: (drawing: Drawing) => Box | undefined,
): { readonly advance: number; readonly placed: readonly Placed[] } {
  const { font, size, scale, rise } = state;
  const unit = font?.unit ?? 0.001;
  const words: Word[] = [];
  let x = 0;
  let inked = 0;
  let isVertical = false;
  let isAfterSpace = false;
  for (const glyph of said) {
    if (typeof glyph === "number") {
      x -= (glyph * size * scale) / 1000;
      continue;
    }
    if (glyph === null || typeof glyph !== "object") continue;
    const wide = glyph.width * unit * size * scale;
    const isBlank = glyph.unicode.trim() === "";
    const ink = ++inked <= inkedMost ? inkOfLetter(glyph, font, drawingBox) : isBlank ? undefined : usualInk;
    const last = words.at(-1);
    const gap = last === undefined ? 0 : x - last.to - state.charSpacing * scale;
    const isNear = Math.abs(gap) < spaceLeast * Math.abs(size * scale);
    if (!isBlank || ink !== undefined) {
      const isNext = last !== undefined && isNear && !isAfterSpace && !isBlank;
      const word = isNext ? last : { letters: [], inks: [], from: x, to: x, isAfterSpace };
      if (!isNext) words.push(word);
      if (!isBlank) {
        word.letters.push(glyph);
        word.to = x + wide;
      }
      if (ink !== undefined)
        word.inks.push({
          left: x + ink.left * size * scale,
          right: x + ink.right * size * scale,
          bottom: rise + ink.bottom * size,
          top: rise + ink.top * size,
        });
    }
    isAfterSpace = isBlank;
    isVertical ||= glyph.vmetric !== undefined && glyph.vmetric !== null;
    x += wide + (state.charSpacing + (glyph.isSpace ? state.wordSpacing : 0)) * scale;
  }
  const tall = Math.hypot(matrix[2], matrix[3]) * Math.abs(size);
  const wide = Math.hypot(matrix[0], matrix[1]) * Math.abs(size * scale);
  const turned = (matrix[0] * matrix[3] - matrix[1] * matrix[2]) * Math.sign(scale);
  const slant = turned / (Math.hypot(matrix[0], matrix[1]) * Math.hypot(matrix[2], matrix[3]));
  const isCrowded = (letters: number, from: number, to: number): boolean =>
    letters >= lettersOfCrowd && Math.abs(to - from) < advanceLeast * Math.abs(size * scale) * letters;
  const isAllCrowded = isCrowded(
    words.reduce((sum, { letters }) => sum + letters.length, 0),
    words.find(({ letters }) => letters.length > 0)?.from ?? 0,
    words.findLast(({ letters }) => letters.length > 0)?.to ?? 0,
  );
  const isDistorted = wide * stretchMost < tall || tall * 2 * stretchMost < wide || !(slant >= slantLeast);
  const placed = words.map(({ letters, inks, from, to, isAfterSpace: isAfter }): Placed => {
    const box = transformed({ left: from, right: to, bottom: rise, top: rise + 0.55 * size }, matrix);
    const inkOfLetters = inks.map((one) => transformed(one, matrix));
    const isUnknown = font === undefined || font.isMissing;
    return {
      text: letters.map(({ unicode }) => unicode).join(""),
      letters,
      isAfterSpace: isAfter,
      box,
      ink: isUnknown ? box : unionOf(inkOfLetters),
      inks: isUnknown ? [box] : inkOfLetters,
      from: point(matrix, from, rise),
      to: point(matrix, to, rise),
      along: directionOf(matrix, Math.sign(size * scale) || 1),
      size: Math.min(tall, wide * stretchMost),
      isDistorted: isDistorted || isAllCrowded || isCrowded(letters.length, from, to),
      isVertical,
    };
  });
  return { advance: x, placed };
}

function directionOf([a, b]: Matrix, sign: number): readonly [number, number] {
  const length = Math.hypot(a, b) || 1;
  return [(sign * a) / length, (sign * b) / length];
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
