/** What the index looks terms up by: trigrams, and one of them that is the agent's. */
import type { AgentNumber } from "#/src/model/numbers.ts";

/** Trigrams of a term that are looked up; more make the candidates few, and the lists to walk many. */
const trigramsMax = 16;

/** Three code points of plane 15 that are this agent's. */
export function scopeOf(agent: AgentNumber): string {
  const base = 65_534;
  const digits = [Math.floor(agent / (base * base)) % base, Math.floor(agent / base) % base, agent % base];
  return String.fromCodePoint(...digits.map((digit) => 0xf0000 + digit));
}

/** SQLite takes a text to end at NUL, which separates what must not run together. Texts and terms are looked up without. */
export function withoutNul(text: string): string {
  return text.replaceAll("\0", "\n");
}

/** Whole characters in at most so many units. */
export function firstCharacters(term: string, units: number): string {
  return term.slice(0, units).replace(/[\ud800-\udbff]$/, "");
}

/** Whether the index can look for a term; a shorter one is looked for in every document. */
export function hasTrigram(term: string): boolean {
  return term.length >= 6 || [...term].length >= 3;
}

/** An FTS5 query for documents that may hold the term; undefined when it has no trigram. Without positions FTS5 takes no
 *  phrases, so each trigram is a query of its own. */
export function matchOf(agent: AgentNumber, term: string): string | undefined {
  if (!hasTrigram(term)) return undefined;
  const characters = [...withoutNul(term)];
  const trigrams = new Set<string>();
  const count = characters.length - 2;
  const step = Math.max(1, count / trigramsMax);
  for (let at = 0; at < count; at += step)
    trigrams.add(characters.slice(Math.floor(at), Math.floor(at) + 3).join(""));
  return [scopeOf(agent), ...trigrams].map((text) => `"${text.replaceAll('"', '""')}"`).join(" AND ");
}
