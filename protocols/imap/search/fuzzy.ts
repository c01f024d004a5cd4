/** FUZZY (RFC 6203): a text matches when each of its words occurs, in any order and place. Messages that have the exact text get
 *  a higher score. */
import type { ImapSearchKey } from "./grammar.ts";

const literalScore = 100;
const wordsScore = 50;

/** Words of one text that are searched for. The others are ignored, which a fuzzy search may do. */
const wordsMax = 10;

/** The key with every text under FUZZY split into words. Recursive; the grammar bounds the depth. */
export function widenFuzzyKeys(key: ImapSearchKey, isFuzzy = false): ImapSearchKey {
  switch (key.kind) {
    case "and":
    case "or":
      return { kind: key.kind, keys: key.keys.map((one) => widenFuzzyKeys(one, isFuzzy)) };
    case "not":
      return { kind: "not", key: widenFuzzyKeys(key.key, isFuzzy) };
    case "fuzzy":
      return widenFuzzyKeys(key.key, true);
    case "header":
    case "body":
    case "text": {
      const words = isFuzzy ? [...new Set(key.text.split(/\s+/).filter((word) => word !== ""))] : [];
      if (words.length < 2) return key;
      return { kind: "and", keys: words.slice(0, wordsMax).map((text) => ({ ...key, text })) };
    }
    default:
      return key;
  }
}

/** A score of 1 to 100 for each message found. `literal`: the messages that have the exact text. */
export function scoresOf(uids: readonly number[], literal: readonly number[]): number[] {
  const exact = new Set(literal);
  return uids.map((uid) => (exact.has(uid) ? literalScore : wordsScore));
}
