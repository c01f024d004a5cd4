/** Whether letters can be read, as the engine of layout judged it. */
import { leastFontSize } from "#/src/formats/html/fonts.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { Style } from "./computed-style.ts";

/** Font sizes in pixels: text below the first is hidden, text below the second is doubtful. */
const fontSizeHidden = 4;
const fontSizeMin = 7;
const thinSizeMin = 9;
export const fontSizeMax = 200;

export function judgeLetters(style: Style, text: string): Removal | { readonly why: Doubt } | undefined {
  const { fontSize, letterSpacing, wordSpacing, lineHeight, textIndent } = style;
  if (fontSize < fontSizeHidden) return "zero-size-text";
  if (leastFontSize(style) < (style.isThin ? thinSizeMin : fontSizeMin)) return { why: "may-be-too-small" };
  if (letterSpacing <= -0.45 * fontSize && text.length > 1) return "zero-size-text";
  if (letterSpacing < -0.12 * fontSize || letterSpacing > fontSize) return { why: "may-be-too-small" };
  // Many characters that are narrower than the negative letter spacing pull the following content back.
  if (letterSpacing < 0 && widthless.test(text)) return { why: "may-be-off-screen" };
  if (letterSpacing + wordSpacing < -0.2 * fontSize && blanks.test(text)) return { why: "may-be-off-screen" };
  if (wordSpacing < -0.2 * fontSize || wordSpacing > 2 * fontSize) return { why: "may-be-too-small" };
  if (lineHeight < 0.75 * fontSize || lineHeight > Math.max(200, 10 * fontSize))
    return { why: "may-be-covered" };
  if (fontSize > fontSizeMax) return { why: "may-be-covered" };
  if (textIndent < -3000) return "off-screen";
  if (isFarIndent(style)) return { why: "may-be-off-screen" };
  return undefined;
}

/** Judges an indent that begins the first line outside of its block, or far inside. Small indents add up in nested blocks. */
export function isFarIndent(style: Indented): boolean {
  return style.textIndent > 300 || style.pulled + outdentOf(style) > 2;
}

/** The distance by which the first line begins outside of its block. */
export function outdentOf({ textIndent, indentRoom }: Indented): number {
  return Math.max(0, -textIndent - indentRoom);
}

type Indented = Pick<Style, "textIndent" | "indentRoom" | "pulled">;

const widthless =
  /[\p{Zl}\p{Zp}\u061c\u2006\u2008-\u200a\u2061-\u206f\ufff9-\ufffb]|\u034f|(?=[\u{10000}-\u{10ffff}])\p{Default_Ignorable_Code_Point}/u;
const blanks = /[ \t\u00a0]{4,}/;
