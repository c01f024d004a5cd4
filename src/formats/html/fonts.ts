/** Fonts: families, sizes, and the widths of text. Lengths are in CSS pixels. */
import { splitByComma } from "#/src/formats/css/tokens.ts";
import type { Value } from "#/src/formats/css/value-forms.ts";
import type { Style } from "./computed-style.ts";

/** Symbol fonts, whose glyphs are not those of the characters. */
const signs =
  /wingding|webding|dingbat|^symbol|standard symbols|opensymbol|d050000l|marlett|emoji|icon|awesome|glyph|blank|barcode|redact|bookshelf symbol|ocr.?b.?ean|adobe not|^mt extra|^ms outlook|reference specialty|last ?resort/;
/** Generic families. */
const defaults = new Set(["serif", "sans-serif", "monospace", "system-ui", "cursive", "fantasy", "math"]);

export function isFontOfSigns(value: Value, ownFonts: ReadonlySet<string>): boolean {
  return splitByComma(value).some((part) => {
    const name = part
      .flatMap((token) => (token.type === "string" || token.type === "ident" ? [token.value] : []))
      .join(" ")
      .trim()
      .toLowerCase();
    return (signs.test(name) && !/emoji(?:font)?$/.test(name)) || ownFonts.has(name);
  });
}

const thinFaces = /hairline|thin|light|slim/;
const hairFaces = /hairline|thin|slim|(?:ultra|extra)[- ]?light/;

/** Whether a family has thin strokes. */
export function isThinFont(value: Value): boolean {
  return namesFace(value, thinFaces);
}

/** Whether a family has strokes that are thinner than those of a light face. */
export function isHairlineFont(value: Value): boolean {
  return namesFace(value, hairFaces);
}

function namesFace(value: Value, faces: RegExp): boolean {
  return value.some(
    (token) => (token.type === "string" || token.type === "ident") && faces.test(token.value.toLowerCase()),
  );
}

/** Whether text that names no family may be drawn with a font of this name, so that a page that defines the name changes such text. */
export function isDefaultFont(name: string): boolean {
  return defaults.has(name) || /^(?:times|courier|dejavu|liberation|arial|helvetica)/.test(name);
}

/** Browsers use 13 instead of 16 pixels for monospace fonts. */
const fixedPitchShare = 13 / 16;

/** The least font size that a browser may use. */
export function leastFontSize({ fontSize, isSizeSaid, isFixedPitch }: FontSize): number {
  return isFixedPitch && !isSizeSaid ? fontSize * fixedPitchShare : fontSize;
}

type FontSize = Pick<Style, "fontSize" | "isSizeSaid" | "isFixedPitch">;

export function isFixedPitchFont(value: Value): boolean {
  return value.length === 1 && value[0]!.type === "ident" && value[0]!.value.toLowerCase() === "monospace";
}

export type Measured = Pick<Style, "fontSize" | "letterSpacing" | "wordSpacing" | "isTransformed">;

/** An upper bound on the width of the text, in the widest of the usual fonts. */
export function widthOf(text: string, style: Measured): number {
  let units = 0;
  let words = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    units += widthOfUnit(unit, style);
    if (unit === 32 || unit === 9 || unit === 160) words++;
  }
  return (
    units * style.fontSize +
    Math.max(0, style.letterSpacing) * text.length +
    Math.max(0, style.wordSpacing) * words
  );
}

/** The widths of ASCII characters in hundredths of the font size: the larger of DejaVu Sans and Verdana, both bold. */
const asciiWidths: readonly number[] = (
  "36 46 59 87 71 128 88 34 55 55 59 87 39 48 39 69 72 72 72 72 72 72 72 72 72 72 41 41 87 87 87 62 " +
  "101 78 77 74 84 69 69 83 84 55 56 78 64 101 85 86 74 86 78 72 69 82 78 112 78 74 73 55 69 55 87 72 " +
  "72 68 72 60 72 69 44 72 72 35 41 68 35 105 72 69 72 72 50 60 48 72 66 98 67 66 60 72 55 72 87"
)
  .split(" ")
  .map((width) => Number(width) / 100);

/** The width of an i in the narrowest usual font, in em. */
const narrowest = 0.15;

/** A lower bound on the width of the text: of its letters and digits. */
export function leastWidthOf(text: string, { fontSize, letterSpacing }: Measured): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) if (isLetter(text.charCodeAt(at))) letters++;
  return letters * Math.max(0, narrowest * fontSize + Math.min(0, letterSpacing));
}

/** Of ASCII, with digits. */
function isLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57);
}

/** The width of every character in monospace fonts. */
const fixedPitch = 0.61;

function widthOfUnit(unit: number, { letterSpacing, wordSpacing, isTransformed }: Measured): number {
  if (unit >= 32 && unit < 127) {
    const isSmall = isTransformed && unit >= 97 && unit <= 122;
    return isSmall ? 1.12 : Math.max(fixedPitch, asciiWidths[unit - 32]!);
  }
  if (unit === 160) return fixedPitch;
  // A tab is at most 16 characters wide, with letter spacing.
  if (unit === 9) return 10 + Math.max(0, letterSpacing + wordSpacing) * 2;
  let width = wideSigns.has(unit) ? wideSign : 0;
  if (width === 0) width = otherWidths.find(([last]) => unit <= last)![1];
  return isTransformed ? Math.max(width, 2.5) : width;
}

const wideSign = 1.5;
/** Wide characters of scripts whose other characters are narrower: ligatures, trade marks, fractions, W, and broad letters of
 *  Cyrillic. */
const wideSigns = new Set(
  [..."\u00a9\u00ae\u00bc\u00bd\u00be\u00c6\u00e6\u0132\u0149\u0152\u0153\u0174\u0175ЉЊЖШЩЫЮжшщыюљњ"].map(
    (sign) => sign.charCodeAt(0),
  ),
);

/** The greatest width in each range of characters, by the last code unit of the range. Characters that are rare in mail count as
 *  several letters. */
const otherWidths: readonly (readonly [last: number, width: number])[] = (
  "17f 0.9, 2af 1.8, 45f 1.2, 5ff 1.8, " +
  // Letters and digits of Arabic: of DejaVu Sans bold none is wider than 1.42.
  "605 2.5, 6d5 1.5, 6ef 2.5, 6f9 1.5, " +
  // From there to the scripts of India and its neighbours, and to phonetic extensions; then dashes, quotation marks, bullets.
  "1dff 2.5, 1e9f 1.5, 1eff 1.2, 200f 2.5, 2027 1.2, 20ab 2.5, 20ac 1.2, 2121 2.5, 2122 1.2, 218f 2.5, " +
  // Arrows; frames, shapes and pictures; mathematical operators made of several; long dashes.
  "21ff 1.2, 24ff 2.5, 259f 1.2, 27bf 1.5, 297f 2.5, 2bff 4, 2e39 2.5, 2e3b 4, 2e7f 2.5, " +
  // Javanese ornaments end at a9cd; cuneiform at d809, Arabic ligatures at fdff.
  "a4cf 1.05, a9c0 2.5, a9cd 4, abff 2.5, d7ff 1.05, d807 3, d809 12, dbff 3, dfff 1.05, f8ff 2.5, faff 1.05, fb4f 4, " +
  "fdff 12, feff 2.5, ffff 1.2"
)
  .split(", ")
  .map((one) => one.split(" "))
  .map(([last, width]) => [Number.parseInt(last!, 16), Number(width)]);

/** The width of the widest of some words. */
export function widestOf(words: readonly string[], style: Measured): number {
  let widest = 0;
  for (const word of words)
    if (word.length * style.fontSize * widthMost > widest) widest = Math.max(widest, widthOf(word, style));
  return widest;
}

/** No character of the usual scripts is wider, in em. */
const widthMost = 12;

/** Whether the text has no visible character. */
export function isBlank(text: string): boolean {
  return !/[^\s\u200b-\u200f\u2060\ufeff\u00ad\u2800]/.test(text);
}

/** Rows of blanks that do not break push the letters after them out of the window. */
const hardBlanks = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]{25,}/;
const keptBlanks = /[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]{60,}/;

export function hasRowOfBlanks(text: string, whiteSpace: Style["whiteSpace"]): boolean {
  const isKept = whiteSpace.startsWith("pre") && whiteSpace !== "pre-line";
  return hardBlanks.test(text) || (isKept && keptBlanks.test(text));
}
