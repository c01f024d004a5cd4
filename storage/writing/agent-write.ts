/** One transaction on one agent's mail.
 *
 *  `beginAgentWrite` takes the agent's row, which is the lock and the clock. A transaction then says what it wants (add,
 *  update, remove entries of mailboxes; change mailboxes; tell events), and `finish` writes it set-wise: entries, counters of
 *  mailbox and agent, entry counts of messages and what they free, the change log, and the agent's new MODSEQ. A transaction
 *  that turns out to change nothing takes no MODSEQ and leaves no row. */
import type { Actor } from "#/src/model/actor.ts";
import type { EventType } from "#/src/model/changes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { FlagState } from "#/src/model/flags.ts";
import { messagesMax } from "#/src/model/limits.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type {
  AccountNumber,
  AgentNumber,
  MailboxNumber,
  MessageNumber,
  Modseq,
  Uid,
} from "#/src/model/numbers.ts";
import type { MailboxRole } from "#/src/model/roles.ts";
import type { Transaction } from "../sql.ts";
import { type LoggedChange, logChanges } from "./change-log.ts";
import { deleteEntries, insertEntries, type NewEntry, updateEntries } from "./entry-rows.ts";
import { type MailboxState, MailboxWrite, selectMailbox } from "./mailbox-write.ts";
import { changeEntryCounts } from "./message-rows.ts";
import { type HoldTouch, settleHolds } from "./settle-holds.ts";

export type { MailboxWrite } from "./mailbox-write.ts";

export interface HeldEntry {
  readonly uid: Uid;
  readonly message: MessageNumber;
  readonly modseq: Modseq;
  readonly flags: number;
  readonly keywords: string | null;
  readonly internalDate: number;
  readonly savedAt: number;
  readonly size: number;
}

interface AgentLock {
  readonly account: AccountNumber;
  readonly modseq: number;
  readonly byteCount: number;
  readonly messageCount: number;
  readonly quotaBytes: number | null;
  readonly lastUidValidity: number;
}

/** RFC 9051 section 9, `nz-number`: of UIDs and of UIDVALIDITY. */
const uidMax = 4294967295;

/** `numberCount`: how many objects the transaction will create; its MODSEQ is the number of the last one. `actor`: for whom
 *  it is made; without one it changes nothing about mail that waits for a person. */
export async function beginAgentWrite(
  tx: Transaction,
  agent: AgentNumber,
  at: number,
  numberCount = 0,
  actor?: Actor | undefined,
): Promise<AgentWrite> {
  const lock = await tx.get<AgentLock>(
    `update agent
    set modseq = modseq
    where agent_id = ? and state <> 'deleted'
    returning account_id as account, modseq, byte_count as "byteCount", message_count as "messageCount", quota_bytes as "quotaBytes",
      last_uid_validity as "lastUidValidity"`,
    agent,
  );
  if (lock === undefined) throw new WaypostError("not_found", "There is no such agent");
  return new AgentWrite(tx, agent, at, lock, numberCount, actor);
}

export class AgentWrite {
  readonly tx: Transaction;
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
  readonly at: number;
  readonly actor: Actor | undefined;
  readonly #lock: AgentLock;
  #reserved: number;
  #used = 0;
  #lastUidValidity: number;
  readonly #mailboxes = new Map<MailboxNumber, MailboxWrite>();
  readonly #mailboxChanges: { operation: LoggedChange["operation"]; mailbox: number }[] = [];
  readonly #events: LoggedChange[] = [];
  readonly #entryCounts = new Map<MessageNumber, number>();
  readonly #holdTouches = new Map<MessageNumber, HoldTouch[]>();
  #messageGrowth = 0;
  #byteGrowth = 0;

  constructor(
    tx: Transaction,
    agent: AgentNumber,
    at: number,
    lock: AgentLock,
    numberCount: number,
    actor: Actor | undefined,
  ) {
    this.tx = tx;
    this.agent = agent;
    this.account = lock.account;
    this.at = at;
    this.actor = actor;
    this.#lock = lock;
    this.#reserved = numberCount;
    this.#lastUidValidity = lock.lastUidValidity;
  }

  /** The MODSEQ of everything that this transaction changes. */
  get modseq(): Modseq {
    return (this.#lock.modseq + Math.max(1, this.#reserved)) as Modseq;
  }

  /** More objects will be created. Only before anything was told its MODSEQ. */
  reserveNumbers(count: number): void {
    this.#reserved += count;
  }

  takeNumber(): number {
    if (this.#used === this.#reserved) throw new Error("More objects are created than were announced");
    return this.#lock.modseq + ++this.#used;
  }

  /** Greater than any that a mailbox of this agent ever had, so that a name used again is seen to be another mailbox. The
   *  time, unless the clock stands where no time fits. */
  takeUidValidity(): number {
    const seconds = Math.floor(this.at / 1000);
    this.#lastUidValidity = Math.max(seconds < uidMax ? seconds : 0, this.#lastUidValidity + 1);
    return this.#lastUidValidity;
  }

  /** Throws over_quota if so much more does not fit. */
  assertRoom(bytes: number, messages: number): void {
    const { quotaBytes, byteCount, messageCount } = this.#lock;
    if (messageCount + messages > messagesMax)
      throw new WaypostError("policy_refused", `There are at most ${messagesMax} messages`, {
        reason: "over_quota",
      });
    if (quotaBytes !== null && quotaBytes > 0 && bytes > 0 && byteCount + bytes > quotaBytes)
      throw new WaypostError("policy_refused", "The mailbox is over its quota", { reason: "over_quota" });
  }

  async mailbox(mailbox: MailboxNumber): Promise<MailboxWrite> {
    const held = this.#mailboxes.get(mailbox);
    if (held !== undefined) return held;
    return this.#hold(
      await this.tx.get<MailboxState>(
        `${selectMailbox} where agent_id = ? and mailbox_id = ?`,
        this.agent,
        mailbox,
      ),
    );
  }

  /** The mailbox of a role, or INBOX if the agent has none. */
  async mailboxOfRole(role: MailboxRole): Promise<MailboxWrite> {
    const found =
      (await this.tx.get<MailboxState>(
        `${selectMailbox} where agent_id = ? and role = ?`,
        this.agent,
        role,
      )) ??
      (await this.tx.get<MailboxState>(`${selectMailbox} where agent_id = ? and role = 'inbox'`, this.agent));
    return (found && this.#mailboxes.get(found.mailbox)) ?? this.#hold(found);
  }

  #hold(state: MailboxState | undefined): MailboxWrite {
    if (state === undefined)
      throw new WaypostError("not_found", "There is no such mailbox", { reason: "no_such_mailbox" });
    const held = new MailboxWrite(state);
    this.#mailboxes.set(state.mailbox, held);
    return held;
  }

  /** Puts a message into a mailbox. `isNewMessage`: its row already counts this entry. */
  addEntry(mailbox: MailboxWrite, entry: Omit<NewEntry, "uid">, isNewMessage: boolean): Uid {
    if (mailbox.uidNext > uidMax)
      throw new WaypostError("policy_refused", "The mailbox has no UID left", { reason: "limit_reached" });
    const uid = mailbox.uidNext++ as Uid;
    mailbox.added.push({ ...entry, uid });
    if (mailbox.isForHolds) this.#touchHold({ kind: "added", mailbox }, entry.message);
    mailbox.count(entry, 1);
    if (!isNewMessage) this.#countEntry(entry.message, 1);
    this.#grow(entry.size, 1);
    return uid;
  }

  removeEntry(mailbox: MailboxWrite, entry: HeldEntry): void {
    if (mailbox.isForHolds) this.#touchHold({ kind: "removed", mailbox }, entry.message);
    mailbox.removed.push(entry.uid);
    mailbox.count(entry, -1);
    this.#countEntry(entry.message, -1);
    this.#grow(entry.size, -1);
  }

  /** Gives an entry other flags; false when it has them already. */
  updateEntry(mailbox: MailboxWrite, entry: HeldEntry, state: FlagState): boolean {
    if (entry.flags === state.mask && entry.keywords === state.overflow) return false;
    mailbox.update(entry, state);
    if (mailbox.isForHolds) this.#touchHold({ kind: "updated", mailbox, entry, state }, entry.message);
    return true;
  }

  /** What becomes of the hold that a message is of has been decided: where it is put asks for nothing more. */
  holdIsSettled(message: MessageNumber): void {
    this.#holdTouches.delete(message);
  }

  #touchHold(touch: HoldTouch, message: MessageNumber): void {
    const touches = this.#holdTouches.get(message);
    if (touches === undefined) this.#holdTouches.set(message, [touch]);
    else touches.push(touch);
  }

  /** Roles of the mailboxes that a message is put into by this transaction. */
  rolesAdded(message: MessageNumber): (MailboxRole | null)[] {
    return [...this.#mailboxes.values()]
      .filter(({ added }) => added.some((entry) => entry.message === message))
      .map(({ role }) => role);
  }

  mailboxChanged(operation: LoggedChange["operation"], mailbox: MailboxNumber): void {
    this.#mailboxChanges.push({ operation, mailbox });
  }

  /** Deletes a mailbox. Its entries have been removed one by one before, so that what they counted is given back. */
  async dropMailbox(mailbox: MailboxWrite): Promise<void> {
    this.#mailboxes.delete(mailbox.mailbox);
    this.mailboxChanged("remove", mailbox.mailbox);
    for (const table of ["entry", "mailbox", "mailbox_metadata"])
      await this.tx.run(
        `delete from ${table} where agent_id = ? and mailbox_id = ?`,
        this.agent,
        mailbox.mailbox,
      );
  }

  tell(event: EventType, message: MessageNumber, data: string | null): void {
    this.#events.push({ kind: "event", parent: 0, operation: "add", ids: String(message), event, data });
  }

  /** A submission has a number of the agent's, and so a place in its log. */
  submissionAdded(submission: number): void {
    this.#events.push({ kind: "submission", parent: 0, operation: "add", ids: String(submission) });
  }

  uploadChanged(operation: "add" | "remove", upload: number): void {
    this.#events.push({ kind: "upload", parent: 0, operation, ids: String(upload) });
  }

  /** Annotations of a mailbox, or of the server with 0, that one agent sees, or all with holder 0. */
  metadataChanged(mailbox: MailboxNumber | 0, holder: AgentNumber | 0, names: readonly string[]): void {
    const data = JSON.stringify(names);
    this.#events.push({ kind: "metadata", parent: mailbox, operation: "update", ids: String(holder), data });
  }

  #countEntry(message: MessageNumber, by: number): void {
    this.#entryCounts.set(message, (this.#entryCounts.get(message) ?? 0) + by);
  }

  #grow(size: number, sign: 1 | -1): void {
    this.#messageGrowth += sign;
    this.#byteGrowth += sign * size;
  }

  /** Writes it all. Answers the MODSEQ of the transaction, or the agent's present one when nothing changed. */
  async finish(): Promise<Modseq> {
    await settleHolds(this, this.#holdTouches);
    const changes = this.#collectChanges();
    if (changes.length === 0) return this.#lock.modseq as Modseq;
    for (const mailbox of this.#mailboxes.values()) if (mailbox.isTouched) await this.#writeMailbox(mailbox);
    await changeEntryCounts(this.tx, this.agent, this.#entryCounts);
    await this.tx.run(
      `update agent
      set modseq = ?, byte_count = byte_count + ?, message_count = message_count + ?, last_uid_validity = ?
      where agent_id = ?`,
      this.modseq,
      this.#byteGrowth,
      this.#messageGrowth,
      this.#lastUidValidity,
      this.agent,
    );
    await logChanges(this.tx, this.agent, this.modseq, this.at, changes);
    this.tx.touch(this.agent, this.modseq);
    return this.modseq;
  }

  async #writeMailbox(mailbox: MailboxWrite): Promise<void> {
    const place = { agent: this.agent, mailbox: mailbox.mailbox, modseq: this.modseq };
    await deleteEntries(this.tx, place, mailbox.removed);
    await updateEntries(this.tx, place, mailbox.updates.values());
    await insertEntries(this.tx, place, this.at, mailbox.added);
    await this.tx.run(
      `update mailbox
      set uid_next = ?, modseq = ?, message_count = message_count + ?, unseen_count = unseen_count + ?,
        deleted_count = deleted_count + ?, byte_count = byte_count + ?
      where agent_id = ? and mailbox_id = ?`,
      mailbox.uidNext,
      this.modseq,
      mailbox.messageGrowth,
      mailbox.unseenGrowth,
      mailbox.deletedGrowth,
      mailbox.byteGrowth,
      this.agent,
      mailbox.mailbox,
    );
  }

  /** In the order in which a reader of the log can follow: mailboxes appear before what is in them. */
  #collectChanges(): LoggedChange[] {
    const changes: LoggedChange[] = [];
    for (const operation of ["add", "update", "remove"] as const) {
      const ids = this.#mailboxChanges.filter((change) => change.operation === operation);
      if (ids.length > 0)
        changes.push({
          kind: "mailbox",
          parent: 0,
          operation,
          ids: numberSetOf(ids.map(({ mailbox }) => mailbox)),
        });
    }
    for (const mailbox of this.#mailboxes.values()) {
      const log = (operation: LoggedChange["operation"], uids: readonly number[]): void => {
        if (uids.length > 0)
          changes.push({ kind: "entry", parent: mailbox.mailbox, operation, ids: numberSetOf(uids) });
      };
      log("remove", mailbox.removed);
      log("update", mailbox.updatedUids);
      log(
        "add",
        mailbox.added.map(({ uid }) => uid),
      );
    }
    changes.push(...this.#events);
    return changes;
  }
}
