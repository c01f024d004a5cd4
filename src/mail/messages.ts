import type { AuthorFacts } from "#/src/model/author-facts.ts";
import type { FlagState } from "#/src/model/flags.ts";
import { messageProperties, type SettableOfMessage } from "#/src/model/message-properties.ts";
import type {
  AgentNumber,
  MailboxNumber,
  MessageNumber,
  Modseq,
  ThreadNumber,
  Uid,
} from "#/src/model/numbers.ts";
import { listEntriesOfMessage, listEntriesOfMessages } from "#/storage/queries/mail/entries.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import { newestMessagesSoon } from "#/storage/queries/mail/newest-messages.ts";
import type { EntryRow, MessageRow } from "#/storage/rows.ts";
import type { ScanArgumentsOf } from "#/storage/scans/index.ts";
import type { Store } from "#/storage/store.ts";
import type { StoredBytes } from "./message-bytes.ts";

/** The place of a message in one mailbox. A message has one place for each mailbox that it is in. */
export interface MessagePlace {
  readonly mailbox: MailboxNumber;
  readonly uid: Uid;
  readonly modseq: Modseq;
  readonly flags: FlagState;
  readonly savedAt: number;
}

/** A message as an object with an id, independent of its mailboxes. */
export interface Message extends StoredBytes {
  readonly agent: AgentNumber;
  readonly number: MessageNumber;
  readonly id: string;
  readonly thread: ThreadNumber;
  readonly threadId: string;
  readonly subject: string;
  readonly fromAddress: string;
  readonly fromName: string;
  /** From the Date header; null if there is none that can be read. */
  readonly sentAt: number | null;
  readonly receivedAt: number;
  readonly isAuthenticated: boolean;
  readonly hasAgentPart: boolean;
  readonly properties: SettableOfMessage;
  /** The author, or who is answered, may be taken for somebody else. */
  readonly isResembling: boolean;
  /** The provenance, which is decided at receipt and never changes. */
  readonly provenance: Provenance;
  readonly envelope: string;
  readonly bodyStructure: string;
  /** The oldest place first; that one is the message's `folder` in JSON. Never empty. */
  readonly places: readonly MessagePlace[];
  /** Changes with flags, labels and folder: the highest MODSEQ of its places. */
  readonly version: string;
}

/** Kept as JSON beside the message ("Read result" of the interface). */
export interface Provenance {
  readonly source: "smtp" | "submission" | "imap" | "dav" | "api" | "import";
  readonly fromDomain?: string;
  readonly checks?: Readonly<Record<string, unknown>>;
  /** Of mail by SMTP whose mailbox stands in no To or Cc. */
  readonly addressed?: false;
  /** Of a mail whose message calendars accept: the UID of its event. */
  readonly calendarUid?: string;
  /** What was known of its author when it was received. */
  readonly author?: AuthorFacts;
  /** The same of its Reply-To, if that leads elsewhere. */
  readonly replyTo?: AuthorFacts;
}

export interface Messages {
  findMessage(agent: AgentNumber, number: MessageNumber): Promise<Message | undefined>;
  /** Messages with a lower number than `before`, the newest first, at most `limit`; of one mailbox or of all. */
  listNewestMessages(agent: AgentNumber, options: NewestOptions): Promise<readonly Message[]>;
}

export type NewestOptions = Omit<ScanArgumentsOf<"newestMessages">, "agent">;

export function createMessages(store: Store): Messages {
  /** A message without a place is about to be deleted, and is not returned. */
  const toMessage = (
    agent: AgentNumber,
    row: MessageRow,
    entries: readonly EntryRow[],
  ): Message | undefined => {
    if (entries.length === 0) return undefined;
    let provenance: Provenance | undefined;
    return {
      agent,
      number: row.message,
      id: store.ids.encode("message", agent, row.message),
      account: row.account,
      blob: row.blob,
      trace: row.trace,
      size: row.size,
      thread: row.thread,
      threadId: store.ids.encode("thread", agent, row.thread),
      subject: row.subject,
      fromAddress: row.fromAddress,
      fromName: row.fromName,
      sentAt: row.date,
      receivedAt: row.receivedAt,
      isAuthenticated: row.isAuthenticated,
      hasAgentPart: row.hasAgentPart,
      properties: messageProperties.shown(row),
      // Few callers that list messages use it.
      get provenance() {
        provenance ??= JSON.parse(row.provenance) as Provenance;
        return provenance;
      },
      get isResembling() {
        const { author, replyTo } = this.provenance;
        return [author, replyTo].some((one) => one?.mailbox === agent && one.resembles !== undefined);
      },
      envelope: row.envelope,
      bodyStructure: row.bodyStructure,
      places: entries.map(({ mailbox, uid, modseq, flags, keywords, savedAt }) => ({
        mailbox,
        uid,
        modseq,
        flags: { mask: flags, overflow: keywords },
        savedAt,
      })),
      version: String(entries.reduce((highest, { modseq }) => Math.max(highest, modseq), 0)),
    };
  };
  return {
    async findMessage(agent, number) {
      const row = await findMessage(store, agent, number);
      return row && toMessage(agent, row, await listEntriesOfMessage(store, agent, number));
    },
    async listNewestMessages(agent, options) {
      const asked = { agent, ...options };
      const rows = (await newestMessagesSoon(store, asked)) ?? (await store.scan("newestMessages", asked));
      const entries = await listEntriesOfMessages(
        store,
        agent,
        rows.map(({ message }) => message),
      );
      return rows
        .map((row) => toMessage(agent, row, entries.get(row.message)!))
        .filter((message) => message !== undefined);
    },
  };
}
