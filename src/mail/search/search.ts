/** SEARCH (RFC 9051 section 6.4.4). Keys that need only the entry are answered from it; a message's row is read when a key needs it.
 *  Text is compared decoded, without regard to case, as a substring. The index answers for the messages that it has; the others are
 *  read themselves (`examine.ts`), within a budget (`search-places.ts`). */

import type { Fairness } from "#/src/fairness/fairness.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { pageRows } from "#/src/model/limits.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Entries, MailboxMessage, ShownMessage } from "../entries.ts";
import { createExaminer, type Examined, groupsOf } from "../examine.ts";
import { facetsOf, fits } from "../fit.ts";
import { listTextKeys, lookUpText, type TextIndex } from "../indexing/text-index.ts";
import type { Message, Messages } from "../messages.ts";
import { newestPages } from "../newest-pages.ts";
import { flagSearchOf } from "./flag-query.ts";
import type { SearchedBytes, TextKey } from "./search-document.ts";
import { type SearchKey, uidsOfKey } from "./search-keys.ts";
import { createSearchPlaces } from "./search-places.ts";

export interface SearchResult {
  /** Ascending. */
  readonly uids: readonly number[];
  /** The highest MODSEQ of the found messages, if the key has MODSEQ (RFC 7162 section 3.1.5). */
  readonly highestModseq: Modseq | undefined;
}

export interface SearchNewestOptions {
  readonly mailbox?: MailboxNumber;
  readonly before?: MessageNumber;
  /** Which mailboxes the caller may see; absent: all. */
  readonly isVisible?: (mailbox: MailboxNumber) => boolean;
  readonly limit: number;
}

export interface NewestResult {
  readonly messages: readonly Message[];
  /** Where to continue; absent at the end. */
  readonly next?: MessageNumber;
}

export interface MailSearch {
  searchMailbox(agent: AgentNumber, mailbox: MailboxNumber, key: SearchKey): Promise<SearchResult>;
  /** Messages with a number below `before`, the newest first. Reads a bounded number of messages and, if it has to search their text,
   *  stops at its budget, so `next` may come with few results or none. */
  searchNewest(agent: AgentNumber, key: SearchKey, options: SearchNewestOptions): Promise<NewestResult>;
}

/** The smallest page: often only few of its messages match. */
const leastPage = 20;
/** Messages that one call of `searchNewest` reads. */
const newestLookedAtMax = 5000;

/** The budget of a search for text before it gives way, or answers where to continue. Text that is not indexed costs about 50 ms for
 *  each MiB. */
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
  /** A search without text is done in pages and needs no place. */
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
              // The index may have more messages by now.
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
        // One more than is wanted: whether there are more.
        size: () => Math.min(pageRows, Math.max(leastPage, options.limit - found.length + 1)),
      });
      let looked = 0;
      for await (const page of pages) {
        const examined = page.messages.map(examinedMessage).filter((one) => one !== undefined);
        for (const group of groupsOf(key, examined)) {
          if (group.bytes > 0) place?.budget.spend(group.bytes);
          for (const { message } of await examiner.findFitting(agent, key, group.messages)) {
            found.push(message);
            if (found.length < options.limit) continue;
            const isLast = message === examined.at(-1)!.message && (await pages.next()).done === true;
            return { messages: found, ...(isLast ? {} : { next: message.number }) };
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

/** Facets that keys may need if the entry is not enough; without the bytes. */
const rowFacets = ["flags", "message", "numbers", "envelope", "sentAt", "thread", "agentPart"] as const;
