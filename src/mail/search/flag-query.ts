/** Search keys that only test flags and UIDs, as most searches of mail programs do. The store answers them without reading a row for
 *  each message. */
import { keywordBit, maskedKeywordCount } from "#/src/model/flags.ts";
import { intersectNumberSets, type NumberSet } from "#/src/model/number-set.ts";
import type { FlagQuery } from "#/storage/queries/mail/entries.ts";
import { everyUid, type SearchKey } from "./search-keys.ts";

export interface FlagSearch extends FlagQuery {
  readonly uids: NumberSet;
}

/** `keywords`: their names in lower case; the index is the keyword's number. */
export function flagSearchOf(key: SearchKey, keywords: readonly string[]): FlagSearch | undefined {
  switch (key.kind) {
    case "all":
      return { mask: 0, value: 0, uids: everyUid };
    case "uids":
      return { mask: 0, value: 0, uids: key.uids };
    case "flags":
      return { mask: key.mask, value: key.mask, uids: everyUid };
    case "keyword": {
      const number = keywords.indexOf(key.name.toLowerCase());
      if (number < 0 || number >= maskedKeywordCount) return undefined;
      return { mask: keywordBit(number), value: keywordBit(number), uids: everyUid };
    }
    case "not":
      return not(flagSearchOf(key.key, keywords));
    case "and":
      return key.keys
        .map((one) => flagSearchOf(one, keywords))
        .reduce(both, { mask: 0, value: 0, uids: everyUid });
    default:
      return undefined;
  }
}

function both(a: FlagSearch | undefined, b: FlagSearch | undefined): FlagSearch | undefined {
  if (a === undefined || b === undefined) return undefined;
  // A flag that must be both set and not set: no message matches.
  const isContradiction = (a.mask & b.mask & (a.value ^ b.value)) !== 0;
  const uids = isContradiction
    ? []
    : a.uids === everyUid
      ? b.uids
      : b.uids === everyUid
        ? a.uids
        : intersectNumberSets(a.uids, b.uids);
  return { mask: a.mask | b.mask, value: a.value | b.value, uids };
}

/** The negation of a test of one flag. The negation of several flags is not a single test. */
function not(search: FlagSearch | undefined): FlagSearch | undefined {
  if (search === undefined || search.uids !== everyUid) return undefined;
  const isOne = search.mask !== 0 && (search.mask & (search.mask - 1)) === 0;
  return isOne ? { ...search, value: search.mask ^ search.value } : undefined;
}
