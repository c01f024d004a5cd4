import type { NumberSet } from "#/src/model/number-set.ts";
import type { MessageNumber, Modseq, ThreadNumber } from "#/src/model/numbers.ts";

/** Search keys: those of RFC 9051 section 6.4.4, without sequence numbers, `*` and syntax. IMAP SEARCH and `search` of `/v1` are both
 *  translated to them. */
export type SearchKey =
  | { readonly kind: "all" }
  | { readonly kind: "and"; readonly keys: readonly SearchKey[] }
  | { readonly kind: "or"; readonly keys: readonly SearchKey[] }
  | { readonly kind: "not"; readonly key: SearchKey }
  /** All bits of the mask are set. */
  | { readonly kind: "flags"; readonly mask: number }
  | { readonly kind: "keyword"; readonly name: string }
  | { readonly kind: "uids"; readonly uids: NumberSet }
  | { readonly kind: "modseq"; readonly atLeast: Modseq }
  /** Sizes in octets, exclusive. */
  | { readonly kind: "larger"; readonly bytes: number }
  | { readonly kind: "smaller"; readonly bytes: number }
  | { readonly kind: "date"; readonly field: DateField; readonly from?: number; readonly until?: number }
  /** A header field of this name has the text; an empty text only requires that the field exists. */
  | { readonly kind: "header"; readonly name: string; readonly text: string }
  /** `isMark`: the text is not a message's but a mark of the document that is searched (`doubtfulKey`). */
  | { readonly kind: "body"; readonly text: string; readonly isMark?: true }
  /** In the header or the body. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "message"; readonly message: MessageNumber }
  | { readonly kind: "thread"; readonly thread: ThreadNumber }
  | { readonly kind: "agentPart" }
  /** Its author may be taken for somebody else (`author` of the provenance). Only messages with all columns are asked. */
  | { readonly kind: "resembles" };

/** `internal`: when it arrived (INTERNALDATE); `sent`: its Date header as written, its zone disregarded; `saved`: when it came into this mailbox (RFC 8514).
 *  Milliseconds; `from` is inclusive, `until` exclusive. */
export type DateField = "internal" | "sent" | "saved";

export const everyUid: NumberSet = [[1, 2 ** 32 - 1]];

/** The only UIDs that can match the key. */
export function uidsOfKey(key: SearchKey): NumberSet {
  if (key.kind === "uids") return key.uids;
  if (key.kind === "and") {
    const sets = key.keys.map(uidsOfKey).filter((set) => set !== everyUid);
    return sets.sort((a, b) => a.length - b.length)[0] ?? everyUid;
  }
  return everyUid;
}
