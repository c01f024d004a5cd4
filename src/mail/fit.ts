/** Whether a message matches a search key, if the data read so far decides it (RFC 9051 section 6.4.4). */
import { parseDateTime } from "#/src/formats/mime/dates.ts";
import { keywordNumbers } from "#/src/model/flags.ts";
import { hasNumber } from "#/src/model/number-set.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import type { MailboxMessage, MessageFacet, ShownMessage } from "./entries.ts";
import type { TextKey } from "./search/search-document.ts";
import type { SearchKey } from "./search/search-keys.ts";

/** A message that is matched against a key. Absent fields have not been read yet. */
export interface Candidate {
  readonly entry: ShownMessage;
  /** Lower case; the index is the keyword's number. */
  readonly keywords: readonly string[];
  readonly message?: Pick<MailboxMessage, "thread" | "sentAt" | "hasAgentPart" | "envelope"> & {
    readonly isResembling?: boolean;
  };
  /** Whether it matches a text key; undefined if that is not known yet. */
  readonly holds: (key: TextKey, message: MessageNumber) => boolean | undefined;
}

/** undefined if more has to be read. */
export function fits(key: SearchKey, candidate: Candidate): boolean | undefined {
  const { entry, message } = candidate;
  switch (key.kind) {
    case "all":
      return true;
    case "and":
    case "or": {
      const decides = key.kind === "or";
      let isOpen = false;
      for (const one of key.keys) {
        const fit = fits(one, candidate);
        if (fit === decides) return decides;
        if (fit === undefined) isOpen = true;
      }
      return isOpen ? undefined : !decides;
    }
    case "not": {
      const fit = fits(key.key, candidate);
      return fit === undefined ? undefined : !fit;
    }
    case "flags":
      return (entry.flags!.mask & key.mask) === key.mask;
    case "keyword": {
      const number = candidate.keywords.indexOf(key.name.toLowerCase());
      return number >= 0 && keywordNumbers(entry.flags!).includes(number);
    }
    case "uids":
      return hasNumber(key.uids, entry.uid);
    case "modseq":
      return entry.modseq! >= key.atLeast;
    case "larger":
      return entry.size! > key.bytes;
    case "smaller":
      return entry.size! < key.bytes;
    case "date": {
      if (key.field === "sent" && message === undefined) return undefined;
      const time = timeOf(key.field, entry, message);
      return (key.from === undefined || time >= key.from) && (key.until === undefined || time < key.until);
    }
    case "message":
      return entry.message === key.message;
    case "thread":
      return message === undefined ? undefined : message.thread === key.thread;
    case "agentPart":
      return message?.hasAgentPart;
    case "resembles":
      return message?.isResembling ?? false;
    case "header":
    case "body":
    case "text":
      return candidate.holds(key, entry.message!);
  }
}

/** The time for a date key. A message without a Date counts as sent when it arrived. */
function timeOf(
  field: "internal" | "sent" | "saved",
  entry: ShownMessage,
  message: { readonly sentAt: number | null; readonly envelope: string } | undefined,
): number {
  if (field === "saved") return entry.savedAt!;
  if (field === "internal" || message === undefined || message.sentAt === null) return entry.internalDate!;
  return message.sentAt + zoneMs(message.envelope);
}

/** The offset of the Date header from UTC, since SENTON, SENTBEFORE and SENTSINCE use the date as it is written (RFC 9051 section
 *  6.4.4). The header's text is the first string of the envelope. */
function zoneMs(envelope: string): number {
  const [, date = ""] = /^\("([^"]{1,200})"/.exec(envelope) ?? [];
  return (parseDateTime(date)?.offsetMinutes ?? 0) * 60_000;
}

/** The facets of an entry that a key needs. */
export function facetsOf(key: SearchKey): readonly MessageFacet[] {
  const facets = new Set<MessageFacet>();
  addFacets(key, facets);
  return (["flags", "message", "numbers"] as const).filter((facet) => facets.has(facet));
}

function addFacets(key: SearchKey, facets: Set<MessageFacet>): void {
  switch (key.kind) {
    case "and":
    case "or":
      for (const one of key.keys) addFacets(one, facets);
      return;
    case "not":
      addFacets(key.key, facets);
      return;
    case "flags":
    case "keyword":
      facets.add("flags");
      return;
    case "modseq":
    case "larger":
    case "smaller":
    case "date":
      facets.add("numbers");
      return;
    case "message":
    case "header":
    case "body":
    case "text":
      facets.add("message");
  }
}
