/** The changes of a transaction to the mail of its agent: mailboxes and their entries. A named write collects changes here (adds,
 *  updates and removes entries; changes mailboxes), and they are written in sets at the end: entries, counters of mailbox and agent,
 *  entry counts of messages, and deletions that follow from these. */
import { WaypostError } from "#/src/model/errors.ts";
import type { FlagState } from "#/src/model/flags.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type { MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import { formatRemoval } from "#/src/model/removed-messages.ts";
import type { MailboxRole } from "#/src/model/roles.ts";
import { deleteGrantObject } from "../accounts/grant-rows.ts";
import type { AgentTransaction, TransactionPart } from "../agent-transaction.ts";
import type { LoggedChange } from "../change-log.ts";
import { deleteEntries, type HeldEntry, insertEntries, type NewEntry, updateEntries } from "./entry-rows.ts";
import { type MailboxState, MailboxWrite, readMailboxOfRole, selectMailbox } from "./mailbox-write.ts";
import { changeEntryCounts } from "./message-rows.ts";

/** A change of a transaction to a message in a mailbox of holds. */
export type HoldTouch =
  | { readonly kind: "added" | "removed"; readonly mailbox: MailboxWrite }
  | {
      readonly kind: "updated";
      readonly mailbox: MailboxWrite;
      readonly entry: HeldEntry;
      readonly state: FlagState;
    };

/** The largest UID and UIDVALIDITY (RFC 9051 section 9, `nz-number`). */
const uidMax = 4294967295;

/** A transaction has at most one; `mailOf` (`mail.ts`) makes it. */
export class MailWrite implements TransactionPart {
  readonly transaction: AgentTransaction;
  /** Scheduled mail whose sending this write cancels; known when the write is finished. */
  readonly takenBack = new Set<MessageNumber>();
  readonly #settle: (mail: MailWrite) => Promise<void>;
  readonly #mailboxes = new Map<MailboxNumber, MailboxWrite>();
  readonly #dropped: MailboxWrite[] = [];
  readonly #mailboxChanges: { operation: LoggedChange["operation"]; mailbox: number }[] = [];
  readonly #entryCounts = new Map<MessageNumber, number>();
  /** Messages that are deleted, because their last entry was removed; known when the rows are written. */
  #gone: ReadonlySet<number> = new Set();
  readonly #holdTouches = new Map<MessageNumber, HoldTouch[]>();
  #isSettled = false;

  constructor(transaction: AgentTransaction, settle: (mail: MailWrite) => Promise<void>) {
    this.transaction = transaction;
    this.#settle = settle;
  }

  /** A UIDVALIDITY that is greater than any that a mailbox of this agent has had, so that a reused name is recognised as another
   *  mailbox. It is the time, unless the time is out of range or too low. */
  async takeUidValidity(): Promise<number> {
    const { tx, agent, at } = this.transaction;
    const now = Math.floor(at / 1000);
    const seconds = now < uidMax ? now : 0;
    const taken = await tx.get<{ uidValidity: number }>(
      `update agent
      set last_uid_validity = case when last_uid_validity < ? then ? else last_uid_validity + 1 end
      where agent_id = ?
      returning last_uid_validity as "uidValidity"`,
      seconds,
      seconds,
      agent,
    );
    return taken!.uidValidity;
  }

  async mailbox(mailbox: MailboxNumber): Promise<MailboxWrite> {
    const held = this.#mailboxes.get(mailbox);
    if (held !== undefined) return held;
    const { tx, agent } = this.transaction;
    return this.#hold(
      await tx.get<MailboxState>(`${selectMailbox} where agent_id = ? and mailbox_id = ?`, agent, mailbox),
    );
  }

  /** The mailbox of a role, or INBOX if the agent has none. */
  async mailboxOfRole(role: MailboxRole): Promise<MailboxWrite> {
    const { tx, agent } = this.transaction;
    return this.mailboxAsRead(await readMailboxOfRole(tx, agent, role));
  }

  /** One whose row was read in this transaction, after its agent was locked. */
  mailboxAsRead(found: MailboxState | undefined): MailboxWrite {
    return (found && this.#mailboxes.get(found.mailbox)) ?? this.#hold(found);
  }

  #hold(state: MailboxState | undefined): MailboxWrite {
    if (state === undefined)
      throw new WaypostError("not_found", "There is no such mailbox", { reason: "no_such_mailbox" });
    const held = new MailboxWrite(state);
    this.#mailboxes.set(state.mailbox, held);
    return held;
  }

  /** The mailboxes that the transaction has read. */
  get mailboxes(): readonly MailboxWrite[] {
    return [...this.#mailboxes.values()];
  }

  /** Puts a message into a mailbox. `isNewMessage`: its row already counts this entry. */
  addEntry(mailbox: MailboxWrite, entry: Omit<NewEntry, "uid">, isNewMessage: boolean): Uid {
    this.#assertOpen();
    if (mailbox.uidNext > uidMax)
      throw new WaypostError("policy_refused", "The mailbox has no UID left", { reason: "limit_reached" });
    const uid = mailbox.uidNext++ as Uid;
    mailbox.added.push({ ...entry, uid });
    if (mailbox.isForHolds) this.#touchHold({ kind: "added", mailbox }, entry.message);
    mailbox.count(entry, 1);
    if (!isNewMessage) this.#countEntry(entry.message, 1);
    this.transaction.grow(entry.size, 1);
    return uid;
  }

  removeEntry(mailbox: MailboxWrite, entry: HeldEntry): void {
    this.#assertOpen();
    if (mailbox.isForHolds) this.#touchHold({ kind: "removed", mailbox }, entry.message);
    mailbox.removed.push(entry);
    mailbox.count(entry, -1);
    this.#countEntry(entry.message, -1);
    this.transaction.grow(-entry.size, -1);
  }

  /** Gives an entry only a new MODSEQ, because something other than its flags has changed. */
  touchEntry(mailbox: MailboxWrite, entry: HeldEntry): void {
    this.#assertOpen();
    mailbox.update(entry, { mask: entry.flags, overflow: entry.keywords });
  }

  /** Sets the flags of an entry; false if it has them already. */
  updateEntry(mailbox: MailboxWrite, entry: HeldEntry, state: FlagState): boolean {
    this.#assertOpen();
    if (entry.flags === state.mask && entry.keywords === state.overflow) return false;
    mailbox.update(entry, state);
    if (mailbox.isForHolds) this.#touchHold({ kind: "updated", mailbox, entry, state }, entry.message);
    return true;
  }

  /** Says that the caller has applied the decision about the message's hold. Its move then decides nothing. */
  holdIsSettled(message: MessageNumber): void {
    this.#holdTouches.delete(message);
  }

  #touchHold(touch: HoldTouch, message: MessageNumber): void {
    const touches = this.#holdTouches.get(message);
    if (touches === undefined) this.#holdTouches.set(message, [touch]);
    else touches.push(touch);
  }

  /** Changes in mailboxes of holds that are not settled yet, by message. */
  get holdTouches(): ReadonlyMap<MessageNumber, readonly HoldTouch[]> {
    return this.#holdTouches;
  }

  /** Roles of the mailboxes into which this transaction puts a message. */
  rolesAdded(message: MessageNumber): (MailboxRole | null)[] {
    return this.mailboxes
      .filter(({ added }) => added.some((entry) => entry.message === message))
      .map(({ role }) => role);
  }

  mailboxChanged(operation: LoggedChange["operation"], mailbox: MailboxNumber): void {
    this.#mailboxChanges.push({ operation, mailbox });
  }

  /** Deletes a mailbox. Its entries have been removed before, so that all counters are right. */
  async dropMailbox(mailbox: MailboxWrite): Promise<void> {
    const { tx, agent } = this.transaction;
    this.#assertOpen();
    this.#mailboxes.delete(mailbox.mailbox);
    this.#dropped.push(mailbox);
    this.mailboxChanged("remove", mailbox.mailbox);
    for (const table of ["entry", "mailbox", "mailbox_metadata"])
      await tx.run(`delete from ${table} where agent_id = ? and mailbox_id = ?`, agent, mailbox.mailbox);
    await deleteGrantObject(tx, agent, "mailbox", mailbox.mailbox);
  }

  #countEntry(message: MessageNumber, by: number): void {
    this.#entryCounts.set(message, (this.#entryCounts.get(message) ?? 0) + by);
  }

  /** Asserts that holds and scheduled mail were not settled yet: a later change would avoid their rules. */
  #assertOpen(): void {
    if (this.#isSettled) throw new Error("Mail is changed after it was settled");
  }

  async settle(): Promise<void> {
    await this.#settle(this);
    this.#isSettled = true;
  }

  listChanges(): LoggedChange[] {
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
    const log = (
      mailbox: MailboxWrite,
      operation: LoggedChange["operation"],
      uids: readonly number[],
      data?: () => string,
    ): void => {
      if (uids.length > 0)
        changes.push({
          kind: "entry",
          parent: mailbox.mailbox,
          operation,
          ids: numberSetOf(uids),
          data: data ?? null,
        });
    };
    for (const mailbox of [...this.#dropped, ...this.#mailboxes.values()]) {
      const { removed, updatedUids, added } = mailbox;
      log(mailbox, "remove", uidsOf(removed), () => formatRemoval(removed, this.#gone));
      log(mailbox, "update", updatedUids);
      log(mailbox, "add", uidsOf(added));
    }
    return changes;
  }

  async write(): Promise<void> {
    for (const mailbox of this.#mailboxes.values()) if (mailbox.isTouched) await this.#writeMailbox(mailbox);
    this.#gone = await changeEntryCounts(this.transaction.tx, this.transaction.agent, this.#entryCounts);
  }

  async #writeMailbox(mailbox: MailboxWrite): Promise<void> {
    const { tx, agent, modseq, at } = this.transaction;
    const place = { agent, mailbox: mailbox.mailbox, modseq };
    await deleteEntries(tx, place, uidsOf(mailbox.removed));
    await updateEntries(tx, place, mailbox.updates.values());
    await insertEntries(tx, place, at, mailbox.added);
    await tx.send(
      `update mailbox
      set uid_next = ?, modseq = ?, message_count = message_count + ?, unseen_count = unseen_count + ?,
        deleted_count = deleted_count + ?, byte_count = byte_count + ?
      where agent_id = ? and mailbox_id = ?`,
      mailbox.uidNext,
      modseq,
      mailbox.messageGrowth,
      mailbox.unseenGrowth,
      mailbox.deletedGrowth,
      mailbox.byteGrowth,
      agent,
      mailbox.mailbox,
    );
  }
}

function uidsOf(entries: readonly { readonly uid: Uid }[]): Uid[] {
  return entries.map(({ uid }) => uid);
}
