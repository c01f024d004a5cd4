/** Patterns of LIST and LSUB (RFC 9051 section 6.3.9): `*` matches anything, `%` anything but the hierarchy delimiter. */
import { hierarchyDelimiter } from "#/src/model/roles.ts";

/** Takes time pattern length × name length, whatever the pattern: it follows all possible positions in the pattern at once. */
export function matchesListPattern(pattern: string, name: string): boolean {
  // A run of wildcards means the same as "*" if it has one, else the same as "%".
  const plain = pattern.replace(/[%*]{2,}/g, (run) => (run.includes("*") ? "*" : "%"));
  if (!/[%*]/.test(plain)) return plain === name;
  let current = new Uint8Array(plain.length + 1);
  let next = new Uint8Array(plain.length + 1);
  let first = 0;
  current[0] = 1;
  enterWildcards(plain, current, 0);
  for (let at = 0; at < name.length; at++) {
    const character = name.charAt(at);
    let isAlive = false;
    let lowest = plain.length;
    next.fill(0);
    for (let position = first; position < plain.length; position++) {
      if (!current[position]) continue;
      const expected = plain.charAt(position);
      const stays = expected === "*" || (expected === "%" && character !== hierarchyDelimiter);
      if (!stays && expected !== character) continue;
      const reached = stays ? position : position + 1;
      next[reached] = 1;
      enterWildcards(plain, next, reached);
      lowest = Math.min(lowest, reached);
      isAlive = true;
    }
    if (!isAlive) return false;
    first = lowest;
    [current, next] = [next, current];
  }
  return current[plain.length] === 1;
}

/** A wildcard also matches the empty text: adds the position behind it. Runs have length one, so one step is enough. */
function enterWildcards(pattern: string, positions: Uint8Array, position: number): void {
  const character = pattern.charAt(position);
  if (character === "*" || character === "%") positions[position + 1] = 1;
}
