/** Letters: their font, size and distances. */
import { splitByComma } from "#/src/formats/css/tokens.ts";
import type { Value } from "#/src/formats/css/value-forms.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { Style } from "./computed-style.ts";

/** Fonts that draw other signs than the text says. */
const signs =
  /wingding|webding|dingbat|^symbol|marlett|emoji|icon|awesome|glyph|blank|barcode|redact|bookshelf symbol|ocr.?b.?ean|adobe not/;
/** Families by which text is drawn that names no other. */
const defaults = new Set(["serif", "sans-serif", "monospace", "system-ui", "cursive", "fantasy", "math"]);

export function isFontOfSigns(value: Value, ownFonts: ReadonlySet<string>): boolean {
  return splitByComma(value).some((part) => {
    const name = part
      .flatMap((token) => (token.type === "string" || token.type === "ident" ? [token.value] : []))
      .join(" ")
      .trim()
      .toLowerCase();
    return (signs.test(name) && !/emoji$/.test(name)) || ownFonts.has(name);
  });
}

/** An own font of a name that text has without asking for it. */
export function isDefaultFont(name: string): boolean {
  return defaults.has(name) || /^(?:times|courier|dejavu|liberation|arial|helvetica)/.test(name);
}

/** Pixels. Nobody reads letters below the first; those below the second are doubtful. */
const fontSizeHidden = 4;
const fontSizeMin = 7;
export const fontSizeMax = 200;

export function judgeLetters(style: Style, text: string): Removal | { readonly why: Doubt } | undefined {
  const { fontSize, letterSpacing, wordSpacing, lineHeight, textIndent } = style;
  if (fontSize < fontSizeHidden) return "zero-size-text";
  if (fontSize < fontSizeMin) return { why: "may-be-too-small" };
  if (letterSpacing <= -0.45 * fontSize && text.length > 1) return "zero-size-text";
  if (letterSpacing < -0.12 * fontSize || letterSpacing > fontSize) return { why: "may-be-too-small" };
  if (wordSpacing < -0.2 * fontSize || wordSpacing > 2 * fontSize) return { why: "may-be-too-small" };
  if (lineHeight < 0.75 * fontSize || lineHeight > Math.max(200, 10 * fontSize))
    return { why: "may-be-covered" };
  if (fontSize > fontSizeMax) return { why: "may-be-covered" };
  if (textIndent < -3000) return "off-screen";
  if (textIndent > 300 || textIndent < -style.indentRoom - 2) return { why: "may-be-off-screen" };
  return undefined;
}

/** A width that the text surely does not exceed, in the widest of the usual fonts. */
export function widthOf(text: string, style: Style): number {
  let units = 0;
  for (let at = 0; at < text.length; at++) units += widthOfUnit(text.charCodeAt(at));
  return (
    units * style.fontSize +
    Math.max(0, style.letterSpacing) * text.length +
    Math.max(0, style.wordSpacing) * (text.length >> 2)
  );
}

function widthOfUnit(unit: number): number {
  if (unit >= 0x2e80) return 1.05;
  if (unit === 32 || unit === 160) return 0.36;
  // A tab is at most 16 letters wide.
  if (unit === 9) return 10;
  if (unit >= 65 && unit <= 90) return 0.76;
  return unit > 0x250 ? 0.8 : 0.62;
}

/** The widest part of it that does not break. */
export function widestWord(text: string, style: Style): number {
  if (style.whiteSpace === "nowrap") return widthOf(text, style);
  let widest = 0;
  const words = style.whiteSpace === "pre" ? text.split(/[\n\r]+/) : text.split(/[\s\u200b-]+/);
  for (const word of words)
    if (word.length * style.fontSize > widest) widest = Math.max(widest, widthOf(word, style));
  return widest;
}

/** Nothing that a reader could see or look for. */
export function isBlank(text: string): boolean {
  return !/[^\s\u200b-\u200f\u2060\ufeff\u00ad\u2800]/.test(text);
}
