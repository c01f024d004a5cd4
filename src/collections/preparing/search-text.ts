/** The searchable text of an item: folded like text in the search index of mail, without invisible characters. */
import { type Component, parameterValue } from "#/src/formats/content-lines/content-line.ts";
import { parseText } from "#/src/formats/icalendar/text-value.ts";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import { foldText } from "#/src/mail/search/search-document.ts";
import { itemSearchLengthMax } from "#/src/model/limits.ts";

const texts: ReadonlySet<string> = new Set([
  "SUMMARY",
  "DESCRIPTION",
  "LOCATION",
  "CATEGORIES",
  "COMMENT",
  "CONTACT",
  "RESOURCES",
]);
const people: ReadonlySet<string> = new Set(["ORGANIZER", "ATTENDEE"]);

/** Pieces of text of the series and its overrides, each once. */
export function searchTextOfCalendar(components: readonly Component[]): readonly string[] {
  const pieces = new Set<string>();
  let left = itemSearchLengthMax;
  for (const component of components)
    for (const item of component.items) {
      if (item.kind !== "property" || left <= 0) continue;
      const { name, value } = item;
      const found = texts.has(name)
        ? parseText(value)
        : people.has(name)
          ? `${parameterValue(item, "CN") ?? ""} ${value.replace(/^mailto:/i, "")}`
          : "";
      const text = found.trim().slice(0, left);
      if (text === "" || pieces.has(text)) continue;
      pieces.add(text);
      left -= text.length;
    }
  return [...pieces];
}

/** The pieces are separated by line ends, so that no word matches across two of them. */
export function foldSearchText(pieces: readonly string[]): string {
  return foldWord(pieces.map((piece) => piece.replaceAll(/\s+/g, " ")).join("\n"));
}

/** A word in the folded form of `searchText`. */
export function foldWord(text: string): string {
  return foldText(cleanText(text, () => {}).replaceAll("\0", "\ufffd"));
}
