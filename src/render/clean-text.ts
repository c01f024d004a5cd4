/** Text without the characters that a reader does not see and a program does. Line ends become LF. What joins and shapes
 *  letters (U+200C, U+200D, U+200E, U+200F, U+FE0E, U+FE0F) stays: languages and emoji need it. */
import type { Removal, RemovalTally } from "./removal.ts";

const invisible =
  /((?:(?![\t\n])\p{Cc})+)|([\u{ad}\u{180e}\u{200b}\u{2060}-\u{2065}\u{feff}]+)|([\u{202a}-\u{202e}\u{2066}-\u{206f}]+)|([\u{e0000}-\u{e007f}]+)|((?:(?!\ufe0e|\ufe0f|[\u180b-\u180f])\p{Variation_Selector})+)/gu;
/** The same, to find out that there is nothing to do. */
const suspicious = new RegExp(invisible.source, "u");
const kinds: readonly Removal[] = [
  "control-character",
  "zero-width",
  "bidi-control",
  "unicode-tag",
  "variation-selector",
];

export function cleanText(text: string, where: string, tally: RemovalTally): string {
  const lines = (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text).toWellFormed();
  if (!suspicious.test(lines)) return lines;
  return lines.replace(invisible, (run, ...groups: (string | undefined)[]) => {
    const kind = kinds.find((_, index) => groups[index] !== undefined)!;
    tally.add(kind, where, [...run].length);
    return "";
  });
}

/** A value that stands on one line: a subject, a name. White space is one space, length is bounded. */
export function cleanLine(text: string, where: string, tally: RemovalTally, charactersMax = 1000): string {
  const line = cleanText(text, where, tally).replace(/\s+/g, " ").trim();
  if (line.length <= charactersMax) return line;
  tally.add("over-limit", where);
  return line.slice(0, charactersMax).toWellFormed();
}
