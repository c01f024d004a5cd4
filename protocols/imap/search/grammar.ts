/** Search keys (RFC 9051 section 6.4.4 and 9; RFC 7162 section 3.1.5; RFC 5032; RFC 8474 section 5.3; RFC 8514; RFC
 *  6203; RFC 9738 section 3.2).
 *
 *  search-key = "ALL" / … / "OR" SP search-key SP search-key / "NOT" SP search-key / "(" search-key *(SP search-key) ")"
 *
 *  The result is the search key of `src/mail`, except that sequence sets are not resolved yet. */

import type { DateField, SearchKey } from "#/src/mail/search/search-keys.ts";
import { type SystemFlag, seenFlag, systemFlags } from "#/src/model/flags.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { bad } from "../errors.ts";
import { nestingMax, searchKeysMax } from "../limits.ts";
import { readDate } from "../wire/dates.ts";
import { readKeyword } from "../wire/flags.ts";
import { readSequenceSet, type SequenceSet } from "../wire/sequence-set.ts";
import type { WireReader } from "../wire/wire-reader.ts";

/** A search key in which messages may be named by sequence numbers, `*` and `$`. */
export type ImapSearchKey =
  | Exclude<SearchKey, { readonly kind: "and" | "or" | "not" }>
  | { readonly kind: "and" | "or"; readonly keys: readonly ImapSearchKey[] }
  | { readonly kind: "not" | "fuzzy"; readonly key: ImapSearchKey }
  | { readonly kind: "sequence" | "uid"; readonly set: SequenceSet }
  /** EMAILID and THREADID: ids as they were written; `resolution.ts` decodes them with the deployment's key. */
  | { readonly kind: "emailId" | "threadId"; readonly id: string }
  /** OLDER and YOUNGER: seconds before now. */
  | { readonly kind: "age"; readonly isOlder: boolean; readonly seconds: number }
  /** Messages that are \Recent in this session. */
  | { readonly kind: "recent" };

export interface SearchContext {
  /** Octets of a search text to Unicode, by the command's charset. */
  decode(octets: string): string;
}

const flagKeys: Readonly<Record<string, SystemFlag>> = {
  ANSWERED: "\\Answered",
  DELETED: "\\Deleted",
  DRAFT: "\\Draft",
  FLAGGED: "\\Flagged",
  SEEN: "\\Seen",
};
const addressKeys = ["BCC", "CC", "FROM", "TO", "SUBJECT"];
const dateKeys: Readonly<Record<string, readonly [field: DateField, relation: "before" | "on" | "since"]>> = {
  BEFORE: ["internal", "before"],
  ON: ["internal", "on"],
  SINCE: ["internal", "since"],
  SENTBEFORE: ["sent", "before"],
  SENTON: ["sent", "on"],
  SENTSINCE: ["sent", "since"],
  SAVEDBEFORE: ["saved", "before"],
  SAVEDON: ["saved", "on"],
  SAVEDSINCE: ["saved", "since"],
};

/** All keys up to the end of the command, as one key. Uses its own stack, so that nesting cannot exhaust the call stack. */
export function readSearchKeys(reader: WireReader, context: SearchContext): ImapSearchKey {
  /** An open construct: the command itself, a parenthesis, or an operator that waits for `wants` operands. */
  interface Frame {
    readonly kind: "and" | "or" | "not" | "fuzzy";
    readonly wants: number;
    readonly keys: ImapSearchKey[];
  }
  const stack: Frame[] = [{ kind: "and", wants: Infinity, keys: [] }];
  let count = 0;
  for (;;) {
    if (++count > searchKeysMax) throw bad("Too many search keys", "LIMIT");
    if (stack.length > nestingMax) throw bad("Search keys are nested too deep", "LIMIT");
    if (reader.tryOpen()) {
      stack.push({ kind: "and", wants: Infinity, keys: [] });
      continue;
    }
    if (reader.tryWord("NOT")) {
      reader.space();
      stack.push({ kind: "not", wants: 1, keys: [] });
      continue;
    }
    if (reader.tryWord("FUZZY")) {
      reader.space();
      stack.push({ kind: "fuzzy", wants: 1, keys: [] });
      continue;
    }
    if (reader.tryWord("OR")) {
      reader.space();
      stack.push({ kind: "or", wants: 2, keys: [] });
      continue;
    }
    stack.at(-1)!.keys.push(readKey(reader, context));
    // Close every operator that has its operands and every parenthesis that ends here.
    for (;;) {
      const frame = stack.at(-1)!;
      const isFull = frame.keys.length === frame.wants;
      if (!isFull && !(frame.wants === Infinity && stack.length > 1 && reader.tryClose())) break;
      stack.pop();
      stack.at(-1)!.keys.push(joined(frame.kind, frame.keys));
    }
    if (reader.trySpace()) continue;
    reader.end();
    if (stack.length > 1) throw bad("Search key is missing");
    return joined("and", stack[0]!.keys);
  }
}

function joined(kind: "and" | "or" | "not" | "fuzzy", keys: readonly ImapSearchKey[]): ImapSearchKey {
  if (kind === "not" || kind === "fuzzy") return { kind, key: keys[0]! };
  if (keys.length === 1) return keys[0]!;
  // Clients write an OR of many keys as a chain of ORs. Made flat, it needs no depth.
  return { kind, keys: keys.flatMap((key) => (key.kind === kind ? key.keys : [key])) };
}

function not(key: ImapSearchKey): ImapSearchKey {
  return { kind: "not", key };
}

function readKey(reader: WireReader, context: SearchContext): ImapSearchKey {
  if (/[\d*$]/.test(reader.peek())) return { kind: "sequence", set: readSequenceSet(reader) };
  const word = reader.word();
  const argument = (): string => {
    reader.space();
    return reader.astring();
  };
  const text = (): string => context.decode(argument());

  const flag = flagKeys[word];
  if (flag !== undefined) return { kind: "flags", mask: systemFlags[flag] };
  const unset = word.startsWith("UN") ? flagKeys[word.slice(2)] : undefined;
  if (unset !== undefined) return not({ kind: "flags", mask: systemFlags[unset] });
  const date = dateKeys[word];
  if (date !== undefined) return readDateKey(reader, ...date);
  if (addressKeys.includes(word)) return { kind: "header", name: word.toLowerCase(), text: text() };

  switch (word) {
    case "ALL":
      return { kind: "all" };
    case "NEW":
      return { kind: "and", keys: [{ kind: "recent" }, not({ kind: "flags", mask: seenFlag })] };
    case "RECENT":
      return { kind: "recent" };
    case "OLD":
      return not({ kind: "recent" });
    case "KEYWORD":
      reader.space();
      return { kind: "keyword", name: readKeyword(reader.atom()) };
    case "UNKEYWORD":
      reader.space();
      return not({ kind: "keyword", name: readKeyword(reader.atom()) });
    case "BODY":
      return { kind: "body", text: text() };
    case "TEXT":
      return { kind: "text", text: text() };
    case "HEADER": {
      const name = argument();
      if (name === "" || /[^\x21-\x39\x3b-\x7e]/.test(name)) throw bad("Malformed header field name");
      return { kind: "header", name: name.toLowerCase(), text: text() };
    }
    case "LARGER":
      reader.space();
      return { kind: "larger", bytes: reader.number64() };
    case "SMALLER":
      reader.space();
      return { kind: "smaller", bytes: reader.number64() };
    case "OLDER":
    case "YOUNGER":
      reader.space();
      return { kind: "age", isOlder: word === "OLDER", seconds: reader.nonZeroNumber() };
    case "UID":
      reader.space();
      return { kind: "uid", set: readSequenceSet(reader) };
    case "UIDAFTER":
    case "UIDBEFORE": {
      reader.space();
      const uid = reader.nonZeroNumber();
      if (word === "UIDBEFORE") return { kind: "uids", uids: uid === 1 ? [] : [[1, uid - 1]] };
      return { kind: "uids", uids: [[uid + 1, 2 ** 32]] };
    }
    case "EMAILID":
    case "THREADID":
      reader.space();
      return { kind: word === "EMAILID" ? "emailId" : "threadId", id: reader.atom() };
    case "SAVEDATESUPPORTED":
      return { kind: "all" };
    case "MODSEQ":
      return readModseqKey(reader);
    default:
      throw bad("Unknown search key");
  }
}

function readDateKey(
  reader: WireReader,
  field: DateField,
  relation: "before" | "on" | "since",
): ImapSearchKey {
  reader.space();
  const { from, until } = readDate(reader);
  if (relation === "before") return { kind: "date", field, until: from };
  if (relation === "since") return { kind: "date", field, from };
  return { kind: "date", field, from, until };
}

/** "MODSEQ" [SP entry-name SP entry-type-req] SP mod-sequence-valzer. There is one MODSEQ for a message's metadata, so
 *  the entry does not narrow it (RFC 7162 section 3.1.5 allows that). */
function readModseqKey(reader: WireReader): ImapSearchKey {
  reader.space();
  if (reader.peek() === '"') {
    reader.string();
    reader.space();
    if (!["ALL", "PRIV", "SHARED"].includes(reader.word())) throw bad("Unknown entry type");
    reader.space();
  }
  return { kind: "modseq", atLeast: reader.number64() as Modseq };
}

/** Whether the key contains MODSEQ. Then the answer has the highest MODSEQ (RFC 7162 section 3.1.5). */
export function asksModseq(key: ImapSearchKey): boolean {
  return hasKey(key, "modseq");
}

/** Whether the key is or contains a key of that kind. */
export function hasKey(key: ImapSearchKey, kind: ImapSearchKey["kind"]): boolean {
  const open: ImapSearchKey[] = [key];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === kind) return true;
    if (next.kind === "and" || next.kind === "or") open.push(...next.keys);
    if (next.kind === "not" || next.kind === "fuzzy") open.push(next.key);
  }
  return false;
}
