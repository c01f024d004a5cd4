/** SEARCH (RFC 9051 section 6.4.4) by looking: keys that need only the entry are answered from it, and a message's row,
 *  header and text are read when a key first needs them. Text is compared decoded, without regard to case, as a substring;
 *  of messages that the index has, it says whether they hold it, and the others are read. */
import { parseDateTime } from "#/src/formats/mime/dates.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { keywordNumbers } from "#/src/model/flags.ts";
import { pageRows } from "#/src/model/limits.ts";
import { LoopTurns } from "#/src/model/loop-turns.ts";
import { hasNumber, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Entries, MailboxMessage, MessageFacet, ShownMessage } from "./entries.ts";
import { flagSearchOf } from "./flag-query.ts";
import { type IndexLookup, lookUpText, type TextIndex } from "./indexing/text-index.ts";
import type { Message, Messages } from "./messages.ts";
import { newestPages } from "./newest-pages.ts";
import {
  createDocumentReader,
  type DocumentReader,
  documentHolds,
  foldKey,
  partsOf,
  type SearchedBytes,
  type TextKey,
} from "./search-document.ts";
import { type SearchKey, uidsOfKey } from "./search-keys.ts";

export interface SearchResult {
  /** Ascending. */
  readonly uids: readonly number[];
  /** Among the messages found, where the key asks for MODSEQ (RFC 7162 section 3.1.5). */
  readonly highestModseq: Modseq | undefined;
}

export interface SearchNewestOptions {
  readonly mailbox?: MailboxNumber;
  readonly before?: MessageNumber;
  /** Mailboxes outside of which a message is not there; absent: all. */
  readonly isVisible?: (mailbox: MailboxNumber) => boolean;
  readonly limit: number;
}

export interface NewestResult {
  readonly messages: readonly Message[];
  /** Where to go on; absent at the end. */
  readonly next?: MessageNumber;
}

export interface MailSearch {
  searchMailbox(agent: AgentNumber, mailbox: MailboxNumber, key: SearchKey): Promise<SearchResult>;
  /** Messages with a number below `before`, the newest first. Looks at a bounded number of messages, so `next` may come
   *  with few results or none. */
  searchNewest(agent: AgentNumber, key: SearchKey, options: SearchNewestOptions): Promise<NewestResult>;
}

/** What a key is asked of. What is not there has not been read. */
interface Candidate {
  readonly entry: ShownMessage;
  readonly keywords: readonly string[];
  readonly index: IndexLookup;
  readonly message?: Pick<MailboxMessage, "thread" | "sentAt" | "hasAgentPart" | "envelope">;
  readonly text?: DocumentReader;
}

/** Few messages fit, so a page is not smaller than this. */
const leastPage = 20;
/** Messages that one call of `searchNewest` looks at. */
const newestLookedAtMax = 5000;

export function createMailSearch(
  entries: Entries,
  messages: Messages,
  bytes: SearchedBytes,
  textIndex?: TextIndex,
): MailSearch {
  return {
    async searchMailbox(agent, mailbox, key) {
      const turns = new LoopTurns();
      const keywords = await foldedKeywords(entries, agent);
      const flags = flagSearchOf(key, keywords);
      if (flags !== undefined) {
        const uids = await entries.listFlaggedUids(agent, mailbox, flags.uids, flags);
        return { uids, highestModseq: undefined };
      }
      const { lookUp: index } = await lookUpText(textIndex, agent, key);
      const uids: number[] = [];
      let highestModseq: Modseq | undefined;
      const facets = facetsOf(key);
      const readsBytes = costOf(key) >= costOfHeader;
      const readFacets = readsBytes ? [...rowFacets, "body" as const] : rowFacets;
      for await (const page of entries.shownPages(agent, mailbox, uidsOfKey(key), facets)) {
        const unknown: number[] = [];
        const found: Pick<ShownMessage, "uid" | "modseq">[] = [];
        for (const entry of page) {
          const isFound = fitsUnread(key, { entry, keywords, index });
          if (isFound === undefined) unknown.push(entry.uid);
          else if (isFound) found.push(entry);
        }
        if (unknown.length > 0) {
          for await (const rows of entries.shownPages(agent, mailbox, numberSetOf(unknown), readFacets))
            for (const row of rows) {
              const message = row as ShownMessage & MailboxMessage;
              const candidate = { entry: row, keywords, index, message };
              const text = readsBytes ? { text: createDocumentReader(bytes, message) } : {};
              if (await fitsIfThere(key, { ...candidate, ...text })) found.push(row);
              await turns.turn();
            }
          found.sort((a, b) => a.uid - b.uid);
        }
        for (const { uid } of found) uids.push(uid);
        if (facets.includes("numbers"))
          for (const { modseq } of found) if (modseq! > (highestModseq ?? 0)) highestModseq = modseq;
      }
      return { uids, highestModseq };
    },

    async searchNewest(agent, key, options) {
      const turns = new LoopTurns();
      const keywords = await foldedKeywords(entries, agent);
      const { lookUp: index, candidates } = await lookUpText(textIndex, agent, key);
      const found: Message[] = [];
      const { mailbox } = options;
      const pages = newestPages(messages, agent, {
        mailbox,
        before: options.before,
        candidates,
        size: () => Math.min(pageRows, Math.max(leastPage, options.limit - found.length)),
      });
      let looked = 0;
      for await (const page of pages) {
        for (const message of page.messages) {
          const text = createDocumentReader(bytes, message);
          const place = message.places.find((one) =>
            mailbox === undefined ? (options.isVisible?.(one.mailbox) ?? true) : one.mailbox === mailbox,
          );
          if (place === undefined) continue;
          const entry = {
            ...place,
            message: message.number,
            internalDate: message.receivedAt,
            size: message.size,
          };
          if (await fitsIfThere(key, { entry, keywords, index, message, text })) found.push(message);
          await turns.turn();
          if (found.length === options.limit) return { messages: found, next: message.number };
        }
        looked += page.looked;
        if (page.reached === undefined) break;
        if (looked >= newestLookedAtMax) return { messages: found, next: page.reached };
      }
      return { messages: found };
    },
  };
}

async function foldedKeywords(entries: Entries, agent: AgentNumber): Promise<string[]> {
  return (await entries.keywordNames(agent)).map((name) => name.toLowerCase());
}

/** What a key that the entry does not answer may look at, but for the bytes. */
const rowFacets = ["message", "numbers", "envelope", "sentAt", "thread", "agentPart"] as const;
/** Of these a message's bytes are read. */
const costOfHeader = 2;

/** What of an entry a key looks at. */
function facetsOf(key: SearchKey): readonly MessageFacet[] {
  const facets = new Set<MessageFacet>();
  addFacets(key, facets);
  return (["message", "numbers"] as const).filter((facet) => facets.has(facet));
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

/** What has to be read: 0 the entry, 1 the message's row, 2 its header, 3 its text. */
function costOf(key: SearchKey): number {
  switch (key.kind) {
    case "and":
    case "or":
      return key.keys.reduce((highest, one) => Math.max(highest, costOf(one)), 0);
    case "not":
      return costOf(key.key);
    case "date":
      return key.field === "sent" ? 1 : 0;
    case "thread":
    case "agentPart":
      return 1;
    case "header":
      return 2;
    case "body":
    case "text":
      return 3;
    default:
      return 0;
  }
}

/** A message that was expunged since its row was read is not found. */
async function fitsIfThere(key: SearchKey, candidate: Candidate): Promise<boolean> {
  try {
    return await fits(key, candidate);
  } catch (error) {
    if (isWaypostError(error) && error.code === "not_found") return false;
    throw error;
  }
}

async function fits(key: SearchKey, candidate: Candidate): Promise<boolean> {
  const known = fitsUnread(key, candidate);
  if (known !== undefined) return known;
  switch (key.kind) {
    case "and":
      for (const one of cheapestFirst(key.keys)) if (!(await fits(one, candidate))) return false;
      return true;
    case "or":
      for (const one of cheapestFirst(key.keys)) if (await fits(one, candidate)) return true;
      return false;
    case "not":
      return !(await fits(key.key, candidate));
    case "header":
    case "body":
    case "text":
      return textHolds(key, candidate);
    default:
      throw new TypeError(`the search key ${key.kind} needs the message's row`);
  }
}

async function textHolds(key: TextKey, { text }: Candidate): Promise<boolean> {
  if (text === undefined) throw new TypeError(`the search key ${key.kind} needs the message's text`);
  const folded = foldKey(key);
  // A message whose header holds the text need not be read to its end.
  for (const part of partsOf(folded)) if (documentHolds(await text.read([part]), folded)) return true;
  return false;
}

function cheapestFirst(keys: readonly SearchKey[]): readonly SearchKey[] {
  return keys.length < 2 ? keys : keys.toSorted((a, b) => costOf(a) - costOf(b));
}

/** The answer as far as it follows from what has been read and from the index; undefined when more has to be read. */
function fitsUnread(key: SearchKey, candidate: Candidate): boolean | undefined {
  const { entry, message } = candidate;
  switch (key.kind) {
    case "all":
      return true;
    case "and":
    case "or": {
      const decides = key.kind === "or";
      let isOpen = false;
      for (const one of key.keys) {
        const fit = fitsUnread(one, candidate);
        if (fit === decides) return decides;
        if (fit === undefined) isOpen = true;
      }
      return isOpen ? undefined : !decides;
    }
    case "not": {
      const fit = fitsUnread(key.key, candidate);
      return fit === undefined ? undefined : !fit;
    }
    case "flags":
      return (entry.flags.mask & key.mask) === key.mask;
    case "keyword": {
      const number = candidate.keywords.indexOf(key.name.toLowerCase());
      return number >= 0 && keywordNumbers(entry.flags).includes(number);
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
    case "header":
    case "body":
    case "text":
      return candidate.index(key, entry.message!);
  }
}

/** A message without a Date is searched by when it arrived, as if sent then. */
function timeOf(
  field: "internal" | "sent" | "saved",
  entry: ShownMessage,
  message: { readonly sentAt: number | null; readonly envelope: string } | undefined,
): number {
  if (field === "saved") return entry.savedAt!;
  if (field === "internal" || message === undefined || message.sentAt === null) return entry.internalDate!;
  return message.sentAt + zoneMs(message.envelope);
}

/** What the zone of the Date header adds to UTC, as SENTON and its like go by the date as it is written (RFC 9051 section
 *  6.4.4). The header's text is the first string of the envelope. */
function zoneMs(envelope: string): number {
  const [, date = ""] = /^\("([^"]{1,200})"/.exec(envelope) ?? [];
  return (parseDateTime(date)?.offsetMinutes ?? 0) * 60_000;
}
