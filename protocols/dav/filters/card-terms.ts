/** Terms that the octets of every matching card contain. The search for terms costs a tenth of parsing the card, so in a large
 *  addressbook only cards that can match are parsed.
 *
 *  A term is a run of ASCII letters and digits of a text that is looked for. No escape, no parameter's circumflex and no fold of a
 *  collation puts such a run together out of other characters, once lines are unfolded and what is not ASCII is folded too. */
import { isUtf8 } from "node:buffer";
import { unfoldLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { hasEightBit, octetBytes, octetString } from "#/src/formats/mime/octets.ts";
import { foldText } from "#/src/mail/search/search-document.ts";
import type { AddressFilter, AddressParamFilter, AddressPropFilter, Test } from "./address-filter.ts";
import type { TextMatch } from "./text-match.ts";

/** False: the filter does not match the card in these octets. True: only reading it tells. */
export type MayMatch = (octets: Uint8Array) => boolean;

type HasTerms = (text: string) => boolean;

/** undefined if no term is known that every matching card contains. */
export function findTerms({ test, props }: AddressFilter): MayMatch | undefined {
  const hasTerms = joinTerms(test, props.map(termsOfProp));
  return (
    hasTerms &&
    ((octets) => {
      const text = searchedText(octets);
      return text === undefined || hasTerms(text);
    })
  );
}

/** A part without terms is undefined: cards without any term can match it. */
function joinTerms(test: Test, parts: readonly (HasTerms | undefined)[]): HasTerms | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  if (test === "allof") return (text) => known.every((part) => part(text));
  return known.length < parts.length ? undefined : (text) => known.some((part) => part(text));
}

function termsOfProp({ isNotDefined, test, textMatches, params }: AddressPropFilter): HasTerms | undefined {
  if (isNotDefined) return undefined;
  return joinTerms(test, [...textMatches.map(termsOfText), ...params.map(termsOfParam)]);
}

function termsOfParam({ isNotDefined, textMatch }: AddressParamFilter): HasTerms | undefined {
  return isNotDefined || textMatch === undefined ? undefined : termsOfText(textMatch);
}

function termsOfText({ folded, isNegated }: TextMatch): HasTerms | undefined {
  if (isNegated) return undefined;
  const runs = (folded.match(/[A-Za-z0-9]+/g) ?? []).toSorted((one, other) => other.length - one.length);
  const term = runs[0]?.toUpperCase();
  return term === undefined ? undefined : (text) => text.includes(term);
}

/** undefined if the card is not UTF-8: each of its properties is decoded separately. */
function searchedText(octets: Uint8Array): string | undefined {
  const unfolded = unfoldLines(octetString(octets));
  if (!hasEightBit(unfolded)) return unfolded.toUpperCase();
  const bytes = octetBytes(unfolded);
  return isUtf8(bytes) ? foldText(bytes.toString("utf8")) : undefined;
}
