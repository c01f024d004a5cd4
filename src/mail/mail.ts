import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import type { Clock } from "#/src/model/clock.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Store } from "#/storage/store.ts";
import { type ContentReaders, directReaders } from "./content-readers.ts";
import { createDrafts, type Drafts } from "./drafts.ts";
import { createEntries, type Entries } from "./entries.ts";
import { createFolders, type Folders } from "./folders.ts";
import type { TextIndex } from "./indexing/text-index.ts";
import { createMailboxes, type Mailboxes } from "./mailboxes.ts";
import { createMessageBytes, type MessageBytes } from "./message-bytes.ts";
import { createMessages, type Messages } from "./messages.ts";
import { createMailMetadata, type MailMetadata } from "./metadata.ts";
import { createMailOrdering, type MailOrdering } from "./ordering/ordering.ts";
import { type PreparePut, preparePutHere } from "./prepare-put.ts";
import { createMailQuota, type MailQuota } from "./quota.ts";
import { createMailRecency, type MailRecency } from "./recency.ts";
import { createMailSearch, type MailSearch } from "./search/search.ts";
import { createMailTransfer, type MailTransfer } from "./transfer.ts";
import { createUploads, type Uploads } from "./uploads.ts";
import { createRepeats, type Repeats } from "./write-once.ts";
import { createMailWrites, type MailWrites } from "./writes.ts";

/** All reads and writes of mail: protocols use mailboxes and messages only through this. */
export interface Mail
  extends Mailboxes,
    Entries,
    Messages,
    MessageBytes,
    MailSearch,
    MailOrdering,
    MailWrites,
    MailTransfer,
    MailQuota,
    MailMetadata,
    MailRecency,
    Drafts,
    Folders,
    Uploads,
    Repeats {
  readonly ids: IdCodec;
  readonly clock: Clock;
  readonly readers: ContentReaders;
  /** Previews that exist already; they are made when messages arrive. */
  findPreviews(
    agent: AgentNumber,
    messages: readonly MessageNumber[],
  ): Promise<ReadonlyMap<MessageNumber, string>>;
}

/** Without an index every search reads the messages themselves, and every preview is made when it is requested. */
export function createMail(
  store: Store,
  textIndex?: TextIndex,
  readers: ContentReaders = directReaders,
  preparePut: PreparePut = preparePutHere([]),
  fairness: Fairness = createFairness(),
): Mail {
  const entries = createEntries(store);
  const messages = createMessages(store);
  const bytes = createMessageBytes(store);
  const searched = { ...bytes, readers };
  const writes = createMailWrites(store, preparePut);
  return {
    ids: store.ids,
    clock: store.clock,
    readers,
    findPreviews: async (agent, numbers) => textIndex?.findPreviews(agent, numbers) ?? new Map(),
    ...createMailboxes(store),
    ...entries,
    ...messages,
    ...bytes,
    ...createMailSearch(entries, messages, searched, fairness, textIndex),
    ...createMailOrdering(store, entries, bytes),
    ...writes,
    ...createMailQuota(store),
    ...createMailMetadata(store),
    ...createMailRecency(store),
    ...createDrafts(store, preparePut),
    ...createFolders(store),
    ...createUploads(store),
    ...createRepeats(store),
    ...createMailTransfer(store, entries, bytes, writes),
  };
}
