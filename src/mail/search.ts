/** SEARCH (RFC 9051 section 6.4.4): keys that need only the entry are answered from it, and a message's row is read when a key
 *  first needs it. Text is compared decoded, without regard to case, as a substring; of messages that the index has, it says
 *  whether they hold it, and the others are looked into (`examine.ts`), within a budget (`search-places.ts`). */

import type { Fairness } from "#/src/fairness/fairness.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { pageRows } from "#/src/model/limits.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Entries, MailboxMessage, ShownMessage } from "./entries.ts";
import { createExaminer, type Examined, groupsOf } from "./examine.ts";
import { facetsOf, fits } from "./fit.ts";
import { flagSearchOf } from "./flag-query.ts";
import { listTextKeys, lookUpText, type TextIndex } from "./indexing/text-index.ts";
import type { Message, Messages } from "./messages.ts";
import { newestPages } from "./newest-pages.ts";
import type { SearchedBytes, TextKey } from "./search-document.ts";
import { type SearchKey, uidsOfKey } from "./search-keys.ts";
import { createSearchPlaces } from "./search-places.ts";

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
  /** Messages with a number below `before`, the newest first. Looks at a bounded number of messages and, where it has to look into
   *  them, no longer than its budget, so `next` may come with few results or none. */
  searchNewest(agent: AgentNumber, key: SearchKey, options: SearchNewestOptions): Promise<NewestResult>;
}

/** Few messages fit, so a page is not smaller than this. */
const leastPage = 20;
/** Messages that one call of `searchNewest` looks at. */
const newestLookedAtMax = 5000;

/** What a search for text takes before it gives way, or says where to go on. Text that is not indexed costs about 50 ms for a MiB. */
const searchLimits = { bytesMax: 32 * 1024 * 1024, timeMs: 1000 };

const nothing: Disposable = { [Symbol.dispose]() {} };

export function createMailSearch(
  entries: Entries,
  messages: Messages,
  bytes: SearchedBytes,
  fairness: Fairness,
  textIndex?: TextIndex,
): MailSearch {
  const examiner = createExaminer(bytes, textIndex);
  const places = createSearchPlaces(fairness.gate("searches"), searchLimits);
  /** What looks at no text is paged, and needs no place. */
  const takePlace = (key: SearchKey) => (listTextKeys(key).length === 0 ? undefined : places.take());

  return {
    async searchMailbox(agent, mailbox, key) {
      const keywords = await foldedKeywords(entries, agent);
      const flags = flagSearchOf(key, keywords);
      if (flags !== undefined) {
        const uids = await entries.listFlaggedUids(agent, mailbox, flags.uids, flags);
        return { uids, highestModseq: undefined };
      }
      const place = await takePlace(key);
      using _place = place ?? nothing;
      let { lookUp: index } = await lookUpText(textIndex, agent, key);
      const uids: number[] = [];
      let highestModseq: Modseq | undefined;
      const facets = facetsOf(key);
      const readsBytes = listTextKeys(key).length > 0;
      const readFacets = readsBytes ? [...rowFacets, "body" as const] : rowFacets;
      for await (const page of entries.shownPages(agent, mailbox, uidsOfKey(key), facets)) {
        const unknown: number[] = [];
        const found: Pick<ShownMessage, "uid" | "modseq">[] = [];
        for (const entry of page) {
          const fit = fits(key, { entry, keywords, holds: index });
          if (fit === undefined) unknown.push(entry.uid);
          else if (fit) found.push(entry);
        }
        if (unknown.length > 0) {
          for await (const rows of entries.shownPages(agent, mailbox, numberSetOf(unknown), readFacets))
            for (const group of groupsOf(key, rows.map(examinedRow))) {
              if (group.bytes > 0) place?.budget.spend(group.bytes);
              for (const { row } of await examiner.findFitting(agent, key, group.messages)) found.push(row);
              // The index has gone on meanwhile.
              if (await place?.giveWayIfSpent())
                ({ lookUp: index } = await lookUpText(textIndex, agent, key));
            }
          found.sort((a, b) => a.uid - b.uid);
        }
        for (const { uid } of found) uids.push(uid);
        if (facets.includes("numbers"))
          for (const { modseq } of found) if (modseq! > (highestModseq ?? 0)) highestModseq = modseq;
      }
      return { uids, highestModseq };

      function examinedRow(row: ShownMessage): Examined & { readonly row: ShownMessage } {
        const message = row as ShownMessage & MailboxMessage;
        const candidate = {
          entry: row,
          keywords,
          message,
          holds: (one: TextKey) => index(one, message.message),
        };
        return { row, number: message.message, stored: message, candidate };
      }
    },

    async searchNewest(agent, key, options) {
      const turns = new LoopTurns();
      const keywords = await foldedKeywords(entries, agent);
      const place = await takePlace(key);
      using _place = place ?? nothing;
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
        const examined = page.messages.map(examinedMessage).filter((one) => one !== undefined);
        for (const group of groupsOf(key, examined)) {
          if (group.bytes > 0) place?.budget.spend(group.bytes);
          for (const { message } of await examiner.findFitting(agent, key, group.messages)) {
            found.push(message);
            if (found.length === options.limit) return { messages: found, next: message.number };
          }
          await turns.turn();
          const last = group.messages.at(-1)!.number;
          if (place?.budget.isSpent && last !== page.reached) return { messages: found, next: last };
        }
        looked += page.looked;
        if (page.reached === undefined) break;
        if (looked >= newestLookedAtMax || place?.budget.isSpent)
          return { messages: found, next: page.reached };
      }
      return { messages: found };

      function examinedMessage(message: Message): (Examined & { readonly message: Message }) | undefined {
        const { number } = message;
        const place = message.places.find((one) =>
          mailbox === undefined ? (options.isVisible?.(one.mailbox) ?? true) : one.mailbox === mailbox,
        );
        if (place === undefined) return undefined;
        const entry = { ...place, message: number, internalDate: message.receivedAt, size: message.size };
        const candidate = { entry, keywords, message, holds: (one: TextKey) => index(one, number) };
        return { message, number, stored: message, candidate };
      }
    },
  };
}

async function foldedKeywords(entries: Entries, agent: AgentNumber): Promise<string[]> {
  return (await entries.keywordNames(agent)).map((name) => name.toLowerCase());
}

/** What a key that the entry does not answer may look at, but for the bytes. */
const rowFacets = ["message", "numbers", "envelope", "sentAt", "thread", "agentPart"] as const;
