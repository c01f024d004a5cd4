import { octetBytes, octetString } from "#/src/formats/mime/octets.ts";
import type { FlagState } from "#/src/model/flags.ts";
import { messageProperties, type SettableOfMessage } from "#/src/model/message-properties.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  MailboxNumber,
  MessageNumber,
  Modseq,
  ThreadNumber,
  Uid,
} from "#/src/model/numbers.ts";
import type { OctetText } from "#/storage/octet-text.ts";
import { type FlagQuery, flaggedUidPages, listUids, messagePages } from "#/storage/queries/mail/entries.ts";
import { listKeywords } from "#/storage/queries/mail/mailboxes.ts";
import {
  type MessageFacet,
  type ShownMessageRow,
  shownMessagePages,
} from "#/storage/queries/mail/shown-messages.ts";
import type { EntryMessageRow, EntryRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { createKeptFlags } from "./kept-flags.ts";
import type { HeldBytes } from "./message-bytes.ts";

/** A message in a mailbox, with flags and numbers only. */
export interface Entry {
  readonly uid: Uid;
  readonly message: MessageNumber;
  readonly modseq: Modseq;
  readonly flags: FlagState;
  /** INTERNALDATE (RFC 9051 section 2.3.3), in milliseconds. */
  readonly internalDate: number;
  /** SAVEDATE (RFC 8514): when it was put into this mailbox. */
  readonly savedAt: number;
  /** RFC822.SIZE, with the trace header. */
  readonly size: number;
}

/** The same, with the data that FETCH shows without reading the message's bytes. */
export interface MailboxMessage extends Entry {
  readonly thread: ThreadNumber;
  /** From the Date header; null if there is none that can be read. */
  readonly sentAt: number | null;
  /** Decoded, in one line. */
  readonly subject: string;
  readonly hasAgentPart: boolean;
  readonly properties: SettableOfMessage;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  /** Header fields of this copy that come before the blob. */
  readonly trace: Uint8Array;
  readonly held?: HeldBytes | undefined;
  /** Ready IMAP wire text, one character for one octet. */
  readonly envelope: string;
  readonly bodyStructure: string;
}

/** Of a list: with the header fields that are stored for it (`list-fields.ts`). */
interface ListedMessage extends MailboxMessage {
  readonly listFields: string;
}

/** UID, and the facets of a message that were requested. */
export type ShownMessage = Pick<Entry, "uid"> & {
  readonly [K in keyof ListedMessage]?: ListedMessage[K] | undefined;
};

export type { MessageFacet } from "#/storage/queries/mail/shown-messages.ts";

export interface Entries {
  /** UIDs of a mailbox, ascending. Sequence numbers count these. */
  listUids(agent: AgentNumber, mailbox: MailboxNumber): Promise<readonly Uid[]>;
  /** The UIDs whose flags meet the condition, ascending. */
  listFlaggedUids(
    agent: AgentNumber,
    mailbox: MailboxNumber,
    uids: NumberSet,
    query: FlagQuery,
  ): Promise<readonly Uid[]>;
  /** The first of these UIDs. */
  findFlaggedUid(
    agent: AgentNumber,
    mailbox: MailboxNumber,
    uids: NumberSet,
    query: FlagQuery,
  ): Promise<Uid | undefined>;
  /** The messages with these UIDs, ascending, in pages; other work runs between the pages. */
  messagePages(
    agent: AgentNumber,
    mailbox: MailboxNumber,
    uids: NumberSet,
  ): AsyncIterable<readonly MailboxMessage[]>;
  /** The same with only the requested facets. `header` and `body` are what `MessageBytes` needs; with them short headers and bodies are
   *  read too. `listFields` are there only of messages of which no other field has one of the marks. */
  shownPages(
    agent: AgentNumber,
    mailbox: MailboxNumber,
    uids: NumberSet,
    facets: readonly MessageFacet[],
    marks?: readonly string[],
  ): AsyncIterable<readonly ShownMessage[]>;
  /** Names of the agent's keywords; the index is the keyword's number. */
  keywordNames(agent: AgentNumber): Promise<readonly string[]>;
}

export function createEntries(store: Store): Entries {
  const keptFlags = createKeptFlags(store);
  const storedPages = (
    agent: AgentNumber,
    mailbox: MailboxNumber,
    uids: NumberSet,
    facets: readonly MessageFacet[],
    marks: readonly string[] = [],
  ): AsyncIterable<readonly ShownMessage[]> => {
    const isAsStored = facets.every((facet) => storedFacets.has(facet));
    const show = (rows: ShownMessageRow[]): ShownMessage[] =>
      isAsStored ? (rows as unknown[] as ShownMessage[]) : rows.map(toShownMessage);
    return shownMessagePages(store, agent, mailbox, uids, { facets, marks }, show);
  };
  async function* flagPages(
    ...[agent, mailbox, uids, facets]: Parameters<typeof storedPages>
  ): AsyncGenerator<readonly ShownMessage[]> {
    const flags = await keptFlags.find(agent, mailbox, uids);
    yield* flags === undefined ? storedPages(agent, mailbox, uids, facets) : flags.pages(uids);
  }
  return {
    listUids: (agent, mailbox) => listUids(store, agent, mailbox),
    async listFlaggedUids(agent, mailbox, uids, query) {
      const flags = await keptFlags.find(agent, mailbox, uids);
      if (flags !== undefined) return flags.listFlagged(uids, query);
      const found: Uid[] = [];
      for await (const page of flaggedUidPages(store, agent, mailbox, uids, query))
        for (const uid of page) found.push(uid);
      return found;
    },
    async findFlaggedUid(agent, mailbox, uids, query) {
      for await (const [first] of flaggedUidPages(store, agent, mailbox, uids, query))
        if (first !== undefined) return first;
      return undefined;
    },
    async *messagePages(agent, mailbox, uids) {
      for await (const rows of messagePages(store, agent, mailbox, uids)) yield rows.map(toMailboxMessage);
    },
    shownPages: (agent, mailbox, uids, facets, marks) =>
      facets.every((facet) => facet === "flags")
        ? flagPages(agent, mailbox, uids, facets)
        : storedPages(agent, mailbox, uids, facets, marks),
    async keywordNames(agent) {
      return (await listKeywords(store, agent)).map(({ name }) => name);
    },
  };
}

function toEntry(row: EntryRow): Entry {
  const { uid, message, modseq, flags, keywords, internalDate, savedAt, size } = row;
  return { uid, message, modseq, flags: { mask: flags, overflow: keywords }, internalDate, savedAt, size };
}

function toMailboxMessage(row: EntryMessageRow): MailboxMessage {
  const { account, blob, thread, date, trace, subject, hasAgentPart, envelope, bodyStructure } = row;
  const entry = toEntry(row);
  return {
    ...entry,
    account,
    blob,
    thread,
    sentAt: date,
    trace,
    subject,
    hasAgentPart,
    properties: messageProperties.shown(row),
    envelope,
    bodyStructure,
  };
}

/** Those of which a message has what its row has: another object for each message would be a tenth of what a list costs. */
const storedFacets: ReadonlySet<MessageFacet> = new Set([
  ...(["message", "numbers", "envelope", "bodyStructure"] as const),
  ...(["sentAt", "subject", "thread"] as const),
]);

function toShownMessage(row: ShownMessageRow): ShownMessage {
  return {
    uid: row.uid,
    flags: row.flags === undefined ? undefined : { mask: row.flags, overflow: row.keywords! },
    message: row.message,
    modseq: row.modseq,
    internalDate: row.internalDate,
    savedAt: row.savedAt,
    size: row.size,
    thread: row.thread,
    sentAt: row.sentAt,
    subject: row.subject,
    hasAgentPart: row.hasAgentPart === undefined ? undefined : row.hasAgentPart === 1,
    envelope: row.envelope,
    bodyStructure: row.bodyStructure,
    account: row.account,
    blob: row.blob,
    listFields: row.listFields ?? undefined,
    trace: row.trace === null ? noTrace : typeof row.trace === "string" ? octetBytes(row.trace) : row.trace,
    held: row.header == null ? undefined : heldBytesOf(row, row.header),
  };
}

const noTrace = new Uint8Array();

function heldBytesOf(row: ShownMessageRow, header: OctetText): HeldBytes {
  const { codec, blobSize, headerSize, data, text, structure } = row;
  return {
    header: octetsOf(header),
    structure: structure ?? undefined,
    body:
      text != null
        ? octetsOf(text)
        : data == null
          ? undefined
          : { codec: codec!, size: blobSize!, headerSize: headerSize!, data },
  };
}

function octetsOf(text: OctetText): string {
  return typeof text === "string" ? text : octetString(text);
}
