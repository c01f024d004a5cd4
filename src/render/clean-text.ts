/** Removes invisible characters from text and values, and records where they were. */
import { cleanText as cleaned } from "#/src/formats/text/clean-text.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import type { RemovalTally } from "./removal.ts";

export function cleanText(text: string, where: string, tally: RemovalTally): string {
  return cleaned(text, (what, count) => tally.add(what, where, count));
}

/** A value that stands on one line: a subject, a name. White space is one space, length is bounded. */
export function cleanLine(text: string, where: string, tally: RemovalTally, charactersMax = 1000): string {
  // No more is looked at: a header field of 256 KiB is a stranger's, too.
  const looked = text.length <= mainBytesMax ? text : text.slice(0, mainBytesMax).toWellFormed();
  const line = cleanText(looked, where, tally).replace(/\s+/g, " ").trim();
  if (line.length <= charactersMax && looked === text) return line;
  tally.add("over-limit", where);
  return line.slice(0, charactersMax).toWellFormed();
}
