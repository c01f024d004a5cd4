/** Trigrams, by which the index finds terms, and the trigram that identifies an agent. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import { indexable } from "./indexed-terms.ts";

/** The most trigrams of a term that are looked up. More give fewer candidates, but more lists have to be read. */
const trigramsMax = 16;

/** The trigram of an agent: three code points of plane 15. */
export function scopeOf(agent: AgentNumber): string {
  const base = 65_534;
  const digits = [Math.floor(agent / (base * base)) % base, Math.floor(agent / base) % base, agent % base];
  return String.fromCodePoint(...digits.map((digit) => 0xf0000 + digit));
}

/** The beginning of a text, in whole characters, with at most so many UTF-16 units. */
export function firstCharacters(term: string, units: number): string {
  return term.slice(0, units).replace(/[\ud800-\udbff]$/, "");
}

/** Whether the index can find a term. A shorter term is searched in every document. */
export function hasTrigram(term: string): boolean {
  return term.length >= 6 || [...term].length >= 3;
}

/** An FTS5 query for documents that may have the term; undefined when the term has no trigram. Without positions FTS5 has no
 *  phrases, so the query joins single trigrams. */
export function matchOf(agent: AgentNumber, term: string): string | undefined {
  if (!hasTrigram(term)) return undefined;
  const characters = [...indexable(term)];
  const trigrams = new Set<string>();
  const count = characters.length - 2;
  const step = Math.max(1, count / trigramsMax);
  for (let at = 0; at < count; at += step)
    trigrams.add(characters.slice(Math.floor(at), Math.floor(at) + 3).join(""));
  return [scopeOf(agent), ...trigrams].map((text) => `"${text.replaceAll('"', '""')}"`).join(" AND ");
}
