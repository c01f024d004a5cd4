/** How far letters reach over the line that they stand in, above and below (F3). Lengths are in CSS pixels. */
import type { Style } from "./computed-style.ts";

/** The height of the content area of the usual fonts, in em. A sign may fill it, as U+2588 does. */
export const contentArea = 1.36;
/** The height of letters that are no signs, and of capitals with what is below the line, in em. */
const letterArea = 1.1;
const capitals = 0.75;

const plain = /^[\s\u0021-\u052f\u200b-\u2027\u2030-\u205e\u20ac\u2122\ufeff]*$/;
const letters = /^[\p{L}\p{N}\p{P}\p{Z}\s\u0021-\u052f\u20ac\u2122\u200b-\u200f\ufeff]*$/u;

/** Whether it has more than letters: signs that may fill their place, or a row of dashes. */
export function isOfSigns(text: string): boolean {
  return !letters.test(text) || /[\u2012-\u2015]{2}|_{3}/.test(text);
}

export function reachOfLetters(
  text: string,
  { fontSize, lineHeight }: Pick<Style, "fontSize" | "lineHeight">,
): number {
  const isHigh = lineHeight >= capitals * fontSize;
  if (isHigh && plain.test(text)) return 0;
  const area = isHigh && letters.test(text) ? letterArea : contentArea;
  return Math.max(0, (area * fontSize - lineHeight) / 2);
}
