/** Text matching of filters (RFC 4791 section 7.5 and 9.7.5, RFC 6352 section 8.3 and 10.5.4) with the collations of RFC 4790
 *  and RFC 5051. CalDAV knows only "contains". */
import type { Property } from "#/src/formats/content-lines/content-line.ts";
import { foldText } from "#/src/mail/search/search-document.ts";

export const collations = ["i;ascii-casemap", "i;octet", "i;unicode-casemap"] as const;
export type Collation = (typeof collations)[number];

export const matchTypes = ["contains", "equals", "starts-with", "ends-with"] as const;
export type MatchType = (typeof matchTypes)[number];

export interface TextMatch {
  readonly collation: Collation;
  readonly type: MatchType;
  readonly isNegated: boolean;
  /** Folded by the collation. */
  readonly folded: string;
}

/** Longer texts are compared without folding: it costs 10 ns per octet and condition, and such texts are photos and attachments. */
const foldedCharactersMax = 100_000;

const folds: Readonly<Record<Collation, (text: string) => string>> = {
  "i;ascii-casemap": (text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  "i;octet": (text) => text,
  "i;unicode-casemap": foldText,
};

/** Nothing for a collation that is not known. "default" is each protocol's own (RFC 4790 section 3.1). */
export function findCollation(name: string | undefined, standard: Collation): Collation | undefined {
  if (name === undefined || name === "default") return standard;
  return collations.find((collation) => collation === name);
}

export function makeTextMatch(
  text: string,
  collation: Collation,
  type: MatchType = "contains",
  isNegated = false,
): TextMatch {
  return { collation, type, isNegated, folded: folds[collation](text) };
}

function foldBy(collation: Collation, text: string): string {
  return text.length > foldedCharactersMax ? text : folds[collation](text);
}

/** Folded texts of a property. Each is made once, for any number of conditions. */
const foldedTexts = new WeakMap<Property, Map<string, readonly string[]>>();

/** Whether one of the texts of a property is selected; negation is taken into account. `part`: which texts they are; `read` is asked
 *  once for each collation. */
export function matchesTextOf(
  match: TextMatch,
  property: Property,
  part: string,
  read: () => readonly string[],
): boolean {
  const known = foldedTexts.get(property) ?? new Map<string, readonly string[]>();
  foldedTexts.set(property, known);
  const key = `${match.collation} ${part}`;
  let folded = known.get(key);
  if (folded === undefined) {
    folded = read().map((text) => foldBy(match.collation, text));
    known.set(key, folded);
  }
  return folded.some((text) => compares(match, text) !== match.isNegated);
}

/** The part that is the value of the property; others are named as their parameters. */
export const valuePart = "";

function compares({ type, folded }: TextMatch, text: string): boolean {
  switch (type) {
    case "contains":
      return text.includes(folded);
    case "equals":
      return text === folded;
    case "starts-with":
      return text.startsWith(folded);
    case "ends-with":
      return text.endsWith(folded);
  }
}
