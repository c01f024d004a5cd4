/** Whether one alternative of a body has text that another one lacks. Then programs and people may read different things. */

const wordsLookedAtMax = 5000;
const charactersLookedAtMax = 256 * 1024;
/** Words that are missing before it is worth telling, and their share of all. */
const missingMin = 3;
const missingShareMin = 0.25;

export function differs(other: string, shown: string): boolean {
  const known = wordsOf(shown.slice(0, charactersLookedAtMax));
  const said = wordsOf(withoutAddresses(other.slice(0, charactersLookedAtMax)));
  let missing = 0;
  for (const word of said) if (!known.has(word)) missing++;
  return missing >= missingMin && missing >= said.size * missingShareMin;
}

function withoutAddresses(text: string): string {
  return text.replace(/\bhttps?:\/\/\S+/gi, " ");
}

function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    words.add(word.toLowerCase());
    if (words.size >= wordsLookedAtMax) break;
  }
  return words;
}
