/** Whether letters of this style can be read, whatever is behind them (H21). Lengths are in CSS pixels. */

import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { Style } from "./computed-style.ts";
import { leastFontSize } from "./fonts.ts";

const sizeHidden = 4;
const sizeLeast = 7;
const thinLeast = 9;
const lineLeast = 0.75;
const struckMost = 2;
const struckShare = 0.2;

export function judgeLetters(style: Style, text: string): Removal | { readonly why: Doubt } | undefined {
  const { fontSize, letterSpacing, wordSpacing, lineHeight, struck } = style;
  if (fontSize < sizeHidden) return "zero-size-text";
  if (leastFontSize(style) < (style.isThin ? thinLeast : sizeLeast)) return { why: "may-be-too-small" };
  if (letterSpacing <= -0.45 * fontSize && text.length > 1) return "zero-size-text";
  if (letterSpacing < -0.12 * fontSize || letterSpacing > fontSize) return { why: "may-be-too-small" };
  // Many characters that are narrower than the negative letter spacing pull what follows back.
  if (letterSpacing < 0 && widthless.test(text)) return { why: "may-be-off-screen" };
  if (letterSpacing + wordSpacing < -0.2 * fontSize && blanks.test(text)) return { why: "may-be-off-screen" };
  if (wordSpacing < -0.2 * fontSize || wordSpacing > 2 * fontSize) return { why: "may-be-too-small" };
  // Lines through letters are painted over them: as high as this they leave more of a letter than they take (F5).
  if (struck > Math.max(struckMost, struckShare * fontSize)) return { why: "may-be-covered" };
  if (lineHeight < lineLeast * fontSize || lineHeight > Math.max(200, 10 * fontSize))
    return { why: "may-be-covered" };
  return undefined;
}

const widthless =
  /[\p{Zl}\p{Zp}\u061c\u2006\u2008-\u200a\u2061-\u206f\ufff9-\ufffb]|\u034f|(?=[\u{10000}-\u{10ffff}])\p{Default_Ignorable_Code_Point}/u;
const blanks = /[ \t\u00a0]{4,}/;
