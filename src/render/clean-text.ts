/** Removes invisible characters from text and values, and records where they were. */
import { cleanText as cleaned } from "#/src/formats/text/clean-text.ts";
import type { RemovalTally } from "./removal.ts";

export function cleanText(text: string, where: string, tally: RemovalTally): string {
  return cleaned(text, (what, count) => tally.add(what, where, count));
}

/** A value that stands on one line: a subject, a name. White space is one space, length is bounded. */
export function cleanLine(text: string, where: string, tally: RemovalTally, charactersMax = 1000): string {
  const line = cleanText(text, where, tally).replace(/\s+/g, " ").trim();
  if (line.length <= charactersMax) return line;
  tally.add("over-limit", where);
  return line.slice(0, charactersMax).toWellFormed();
}
