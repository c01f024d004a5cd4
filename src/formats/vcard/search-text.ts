/** The text of a card for the search index: names, addresses, telephones, organisations and notes as pieces of plain text, cleaned
 *  like mail text. Inline data, keys and X- properties of programs are left out. */
import { type Component, parameterValue } from "../content-lines/content-line.ts";
import { type CountRemoval, cleanText } from "../text/clean-text.ts";
import { findVersion, propertiesOf } from "./card.ts";
import { readStructured, readTextComponents, readTextList, unescapeText } from "./values.ts";
import { toVersion4 } from "./version-4.ts";

export type SearchField = "name" | "address" | "phone" | "organization" | "place" | "note";

export interface SearchPiece {
  readonly field: SearchField;
  readonly text: string;
}

interface Indexed {
  readonly field: SearchField;
  readonly read: (value: string) => string;
}

const texts = (field: SearchField): Indexed => ({ field, read: unescapeText });
const structured = (field: SearchField): Indexed => ({
  field,
  read: (value) => readStructured(value).flat().join(" "),
});
const uri = (field: SearchField): Indexed => ({
  field,
  read: (value) => unescapeText(value).replace(/^(?:mailto|tel|xmpp|sip|sips|im):/i, ""),
});

const indexed: ReadonlyMap<string, Indexed> = new Map([
  ["FN", texts("name")],
  ["N", structured("name")],
  ["NICKNAME", { field: "name", read: (value) => readTextList(value).join(" ") }],
  ["EMAIL", uri("address")],
  ["IMPP", uri("address")],
  ["SOCIALPROFILE", uri("address")],
  ["TEL", uri("phone")],
  ["ORG", { field: "organization", read: (value) => readTextComponents(value).join(" ") }],
  ["TITLE", texts("organization")],
  ["ROLE", texts("organization")],
  ["ADR", structured("place")],
  ["NOTE", texts("note")],
  ["CATEGORIES", { field: "note", read: (value) => readTextList(value).join(" ") }],
  ["URL", texts("note")],
]);

/** Text of one card beyond this is not indexed; `over-limit` counts the pieces. */
const searchCharactersMax = 100_000;

export function searchText(card: Component, count: CountRemoval): SearchPiece[] {
  const version = findVersion(card) ?? "3.0";
  const pieces: SearchPiece[] = [];
  let left = searchCharactersMax;
  for (const property of propertiesOf(card)) {
    const known = indexed.get(property.name === "X-SOCIALPROFILE" ? "SOCIALPROFILE" : property.name);
    if (known === undefined) continue;
    const upgraded = toVersion4(property, version);
    if (parameterValue(upgraded, "DERIVED")?.toLowerCase() === "true") continue;
    const text = cleanText(known.read(upgraded.value), count).replaceAll(/\s+/g, " ").trim();
    if (text === "") continue;
    if (text.length > left) {
      count("over-limit", 1);
      continue;
    }
    left -= text.length;
    if (!pieces.some((piece) => piece.field === known.field && piece.text === text))
      pieces.push({ field: known.field, text });
  }
  return pieces;
}
