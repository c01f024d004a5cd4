/** The changes of one transaction to one mailbox: added, changed and removed entries, and the changes of its counters. */
import { deletedFlag, type FlagState, seenFlag } from "#/src/model/flags.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import type { RemovedEntry } from "#/src/model/removed-messages.ts";
import { isHoldRole, type MailboxRole } from "#/src/model/roles.ts";
import type { Sql } from "../../sql.ts";
import type { HeldEntry, NewEntry } from "./entry-rows.ts";

export interface MailboxState {
  readonly mailbox: MailboxNumber;
  readonly name: string;
  readonly role: MailboxRole | null;
  readonly uidValidity: number;
  readonly uidNext: number;
  readonly messageCount: number;
}

export const selectMailbox = `
  select mailbox_id as mailbox, name, role, uid_validity as "uidValidity", uid_next as "uidNext",
    message_count as "messageCount"
  from mailbox`;

/** The mailbox of a role, or INBOX if the agent has none. */
export async function readMailboxOfRole(
  tx: Sql,
  agent: AgentNumber,
  role: MailboxRole,
): Promise<MailboxState | undefined> {
  return (
    (await tx.get<MailboxState>(`${selectMailbox} where agent_id = ? and role = ?`, agent, role)) ??
    (await tx.get<MailboxState>(`${selectMailbox} where agent_id = ? and role = 'inbox'`, agent))
  );
}

export class MailboxWrite implements MailboxState {
  readonly mailbox: MailboxNumber;
  readonly name: string;
  readonly role: MailboxRole | null;
  readonly uidValidity: number;
  readonly messageCount: number;
  /** Whether it is a mailbox of holds, which takes only mail of holds. */
  readonly isForHolds: boolean;
  /** Messages that the transaction itself puts into Scheduled or removes from it; their sending has been decided. */
  readonly settled = new Set<MessageNumber>();
  uidNext: number;
  readonly added: NewEntry[] = [];
  readonly removed: RemovedEntry[] = [];
  readonly updatedUids: Uid[] = [];
  /** UIDs by their new flags, so that each combination of flags is one statement. */
  readonly updates = new Map<string, { state: FlagState; uids: Uid[] }>();
  messageGrowth = 0;
  unseenGrowth = 0;
  deletedGrowth = 0;
  byteGrowth = 0;

  constructor(state: MailboxState) {
    this.mailbox = state.mailbox;
    this.name = state.name;
    this.role = state.role;
    this.uidValidity = state.uidValidity;
    this.uidNext = state.uidNext;
    this.messageCount = state.messageCount;
    this.isForHolds = isHoldRole(state.role);
  }

  get isTouched(): boolean {
    return this.added.length + this.removed.length + this.updatedUids.length > 0;
  }

  count(entry: { readonly flags: number; readonly size: number }, sign: 1 | -1): void {
    this.messageGrowth += sign;
    if ((entry.flags & seenFlag) === 0) this.unseenGrowth += sign;
    if (entry.flags & deletedFlag) this.deletedGrowth += sign;
    this.byteGrowth += sign * entry.size;
  }

  update(entry: HeldEntry, state: FlagState): void {
    const key = `${state.mask} ${state.overflow ?? ""}`;
    const same = this.updates.get(key);
    if (same === undefined) this.updates.set(key, { state, uids: [entry.uid] });
    else same.uids.push(entry.uid);
    this.updatedUids.push(entry.uid);
    this.#countFlags(entry, state.mask, 1);
  }

  /** Forgets an update of an entry, because the entry is removed instead. Gives the flags that the update had set. */
  forgetUpdate(entry: HeldEntry): FlagState | undefined {
    for (const [key, { state, uids }] of this.updates) {
      const at = uids.indexOf(entry.uid);
      if (at < 0) continue;
      uids.splice(at, 1);
      if (uids.length === 0) this.updates.delete(key);
      this.updatedUids.splice(this.updatedUids.indexOf(entry.uid), 1);
      this.#countFlags(entry, state.mask, -1);
      return state;
    }
    return undefined;
  }

  #countFlags(entry: HeldEntry, mask: number, sign: 1 | -1): void {
    const isUnseen = (flags: number): number => ((flags & seenFlag) === 0 ? 1 : 0);
    const isDeleted = (flags: number): number => (flags & deletedFlag ? 1 : 0);
    this.unseenGrowth += sign * (isUnseen(mask) - isUnseen(entry.flags));
    this.deletedGrowth += sign * (isDeleted(mask) - isDeleted(entry.flags));
  }
}
