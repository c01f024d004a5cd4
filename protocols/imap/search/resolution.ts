/** Turns a client's search key into one of `src/mail`: sequence sets become UIDs of the view, ids become numbers, ages become
 *  dates. */
import type { Mail } from "#/src/mail/mail.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { type NumberSet, numberSetOfRanges } from "#/src/model/number-set.ts";
import type { AgentNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import { bad } from "../errors.ts";
import type { SessionView } from "../session/session-view.ts";
import { resolveSequenceSet, type SequenceSet } from "../wire/sequence-set.ts";
import type { ImapSearchKey } from "./grammar.ts";

/** The mailbox that a search key is resolved for: the selected one, or another one, which has no sequence numbers. */
export interface SearchScope {
  readonly mailbox: { readonly agent: AgentNumber };
  readonly isUidOnly: boolean;
  readonly saved: NumberSet;
  readonly recent: NumberSet;
  readonly view: Pick<SessionView, "count" | "highestUid" | "uidsOfSeqs">;
}

const nothing: SearchKey = { kind: "not", key: { kind: "all" } };

/** Recursive; the grammar bounds the depth. */
export function resolveSearchKey(
  key: ImapSearchKey,
  selected: SearchScope,
  mail: Pick<Mail, "ids" | "clock">,
): SearchKey {
  switch (key.kind) {
    case "and":
    case "or":
      return { kind: key.kind, keys: key.keys.map((one) => resolveSearchKey(one, selected, mail)) };
    case "not":
      return { kind: "not", key: resolveSearchKey(key.key, selected, mail) };
    case "fuzzy":
      return resolveSearchKey(key.key, selected, mail);
    case "sequence":
      // RFC 9586 section 3.
      if (selected.isUidOnly) throw bad("Only UIDs are in use", "UIDREQUIRED");
      return { kind: "uids", uids: uidsOfSequence(key.set, selected) };
    case "uid":
      return {
        kind: "uids",
        uids: key.set === "saved" ? selected.saved : resolveSequenceSet(key.set, selected.view.highestUid),
      };
    case "emailId":
    case "threadId":
      return resolveId(key.id, key.kind === "emailId" ? "message" : "thread", selected, mail);
    case "age": {
      const border = mail.clock.now() - key.seconds * 1000;
      return key.isOlder
        ? { kind: "date", field: "internal", until: border + 1 }
        : { kind: "date", field: "internal", from: border };
    }
    case "recent":
      return { kind: "uids", uids: selected.recent };
    default:
      return key;
  }
}

/** A sequence number above EXISTS finds nothing. */
function uidsOfSequence(set: SequenceSet, selected: SearchScope): NumberSet {
  if (set === "saved") return selected.saved;
  const { count } = selected.view;
  if (count === 0) return [];
  const ranges = resolveSequenceSet(set, count).filter(([first]) => first <= count);
  return selected.view.uidsOfSeqs(
    numberSetOfRanges(ranges.map(([first, last]) => [first, Math.min(last, count)])),
  );
}

function resolveId(
  id: string,
  kind: "message" | "thread",
  selected: SearchScope,
  mail: Pick<Mail, "ids">,
): SearchKey {
  const name = mail.ids.decode(id);
  if (name?.kind !== kind || name.agent !== selected.mailbox.agent) return nothing;
  return kind === "message"
    ? { kind, message: name.object as MessageNumber }
    : { kind, thread: name.object as ThreadNumber };
}
