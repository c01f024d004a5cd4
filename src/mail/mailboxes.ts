import type { Author } from "#/src/model/author.ts";
import { folderProperties, type SettableOfFolder } from "#/src/model/folder-properties.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import type { MailboxRole } from "#/src/model/roles.ts";
import {
  findMailboxByName,
  findMailbox as findMailboxRow,
  listMailboxes,
  listSubscriptions,
} from "#/storage/queries/mail/mailboxes.ts";
import type { MailboxRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { emptyBeforeDeleting, isQuicklyDeleted, moveRest } from "./long-writes.ts";

/** A mailbox, for all protocols: IMAP mailbox, `folder_…` in JSON, MAILBOXID (RFC 8474 section 4). */
export interface Mailbox {
  readonly agent: AgentNumber;
  readonly number: MailboxNumber;
  readonly id: string;
  /** Unicode, levels divided by `/`. */
  readonly name: string;
  readonly role: MailboxRole | undefined;
  readonly uidValidity: number;
  readonly uidNext: number;
  /** Up to which UID messages were \Recent in some session, as stored; `recency.ts` has the current value. */
  readonly recentUid: number;
  readonly highestModseq: Modseq;
  readonly messageCount: number;
  readonly unseenCount: number;
  readonly deletedCount: number;
  readonly byteCount: number;
  readonly properties: SettableOfFolder;
  /** Changes with the name and the properties. */
  readonly version: string;
}

export interface Mailboxes {
  /** All of an agent's mailboxes, by name. */
  listMailboxes(agent: AgentNumber): Promise<readonly Mailbox[]>;
  /** By name; INBOX in any case (RFC 9051 section 5.1). */
  findMailbox(agent: AgentNumber, name: string): Promise<Mailbox | undefined>;
  findMailboxByNumber(agent: AgentNumber, number: MailboxNumber): Promise<Mailbox | undefined>;
  /** Subscribed names, whether or not such a mailbox exists (RFC 9051 section 6.3.7). */
  listSubscriptions(agent: AgentNumber): Promise<readonly string[]>;
  /** Creates the mailbox and missing levels above it. Throws `already_exists`; `use_taken` if the mailbox of
   *  that role is not empty. */
  createMailbox(by: Author, agent: AgentNumber, name: string, role?: MailboxRole): Promise<Mailbox>;
  deleteMailbox(by: Author, agent: AgentNumber, number: MailboxNumber): Promise<void>;
  /** Renames a mailbox with all mailboxes below. Renaming INBOX moves its messages; INBOX itself stays (RFC 9051 section 6.3.6). */
  renameMailbox(by: Author, agent: AgentNumber, number: MailboxNumber, name: string): Promise<void>;
  setSubscription(by: Author, agent: AgentNumber, name: string, isSubscribed: boolean): Promise<void>;
}

export function createMailboxes(store: Store): Mailboxes {
  const toMailbox = (agent: AgentNumber, row: MailboxRow): Mailbox => ({
    agent,
    number: row.mailbox,
    id: store.ids.encode("folder", agent, row.mailbox),
    name: row.name,
    role: row.role ?? undefined,
    uidValidity: row.uidValidity,
    uidNext: row.uidNext,
    recentUid: row.recentUid,
    highestModseq: row.modseq,
    messageCount: row.messageCount,
    unseenCount: row.unseenCount,
    deletedCount: row.deletedCount,
    byteCount: row.byteCount,
    properties: folderProperties.shown(row),
    version: String(row.version),
  });
  const at = (): number => store.clock.now();
  const findByNumber = async (agent: AgentNumber, number: MailboxNumber): Promise<Mailbox | undefined> => {
    const row = await findMailboxRow(store, agent, number);
    return row && toMailbox(agent, row);
  };

  return {
    async listMailboxes(agent) {
      return (await listMailboxes(store, agent)).map((row) => toMailbox(agent, row));
    },
    async findMailbox(agent, name) {
      const row = await findMailboxByName(store, agent, mailboxName(name));
      return row && toMailbox(agent, row);
    },
    findMailboxByNumber: findByNumber,
    listSubscriptions: (agent) => listSubscriptions(store, agent),
    async createMailbox(by, agent, name, role) {
      const args = { agent, name: mailboxName(name), role, at: at() };
      const { mailbox } = await store.write(by, "createMailbox", args);
      return (await findByNumber(agent, mailbox))!;
    },
    async deleteMailbox(by, agent, mailbox) {
      const args = { agent, mailbox };
      const remove = () => store.write(by, "deleteMailbox", { ...args, at: at() });
      if (await isQuicklyDeleted(store, args)) await remove();
      else
        await store.inPieces(by, async (write) => {
          await emptyBeforeDeleting(store, write, args);
          await remove();
        });
    },
    async renameMailbox(by, agent, mailbox, name) {
      const args = { agent, mailbox, name: mailboxName(name), at: at() };
      const { mailbox: target, isMailLeft } = await store.write(by, "renameMailbox", args);
      if (isMailLeft === true) await moveRest(store, by, { ...args, target });
    },
    async setSubscription(by, agent, name, isSubscribed) {
      await store.write(by, "setSubscription", { agent, name: mailboxName(name), isSubscribed, at: at() });
    },
  };
}

/** INBOX is the same name in any case, also as the first level of a longer name (RFC 9051 section 5.1). */
function mailboxName(name: string): string {
  const normal = name.normalize("NFC");
  return /^inbox(?=\/|$)/i.test(normal) ? `INBOX${normal.slice(5)}` : normal;
}
