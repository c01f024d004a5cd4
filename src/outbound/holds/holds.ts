/** Mail of agents that waits for approval: the interface for reading, editing and deciding about holds, and for the runner that sends
 *  approved mail. `src/model/holds.ts` has the allowed changes of a hold; the transactions check them. */

import type { Idempotency, Once } from "#/src/mail/write-once.ts";
import type { Appended } from "#/src/mail/writes.ts";
import type { Actor } from "#/src/model/author.ts";
import type { AgentNumber, ItemNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import type { HoldRow } from "#/storage/holds.ts";
import type { ArgumentsOf } from "#/storage/store.ts";
import type { DecidedHold } from "#/storage/transactions/outbound/decide-hold.ts";
import type { EditedHold } from "#/storage/transactions/outbound/edit-hold.ts";
import type { Outbound, OutboundRooms } from "../outbound.ts";
import type { FactsOfRecipients } from "./recipient-facts.ts";

export type { HoldRow as Hold } from "#/storage/holds.ts";
export type { FactsOfRecipients, RecipientFacts } from "./recipient-facts.ts";

export interface Holds {
  findHold(agent: AgentNumber, hold: number): Promise<HoldRow | undefined>;
  /** Those that wait or are approved and not sent, the oldest first. */
  listLive(agent: AgentNumber): Promise<HoldRow[]>;
  /** Those that somebody has decided about since a time, the newest first. */
  listDecided(agent: AgentNumber, since: number, limit: number): Promise<HoldRow[]>;
  /** Those recipients who never had mail of the mailbox, are no contact that a person added, and have no mailbox here. */
  listNewRecipients(hold: Pick<HoldRow, "agent" | "envelope">): Promise<readonly string[]>;
  /** `recipient-facts.ts`. */
  listRecipientFacts(
    hold: Pick<HoldRow, "agent" | "envelope">,
    nameOf: (address: string) => string,
  ): Promise<FactsOfRecipients>;
  /** The first address of a contact that a person has put there. */
  findContactAddress(agent: AgentNumber, contact: ItemNumber): Promise<string | undefined>;
  /** The latest hold of a message. */
  findHoldOfMessage(agent: AgentNumber, message: MessageNumber): Promise<HoldRow | undefined>;
  /** `version`: the one that was read. A different one is `precondition_failed`, as the mail may have changed. */
  decide(request: HoldDecision): Promise<Once<DecidedHold>>;
  /** Stores a new version of the mail, which then waits again. Throws `invalid`, `policy_refused`, `precondition_failed`. */
  edit(request: HoldEdit): Promise<Once<EditedHold>>;
  /** The same for a mail client: the new version has the Message-ID of the mail that waits. */
  editByMessage(request: MessageEdit): Promise<EditedHold>;
  /** Sends mail whose grace time after approval is over, declines expired mail, notifies approvers. Whether there may be more to do. */
  runDue(): Promise<boolean>;
  /** The next time at which there is something to do; a time that has passed is now. */
  nextDueAt(): Promise<number | undefined>;
}

/** What somebody decides; the rest is the server's. */
export interface HoldDecision extends Omit<ArgumentsOf<"decideHold">, "action" | "actor" | "reason" | "at"> {
  readonly action: "approve" | "undo" | "decline" | "withdraw";
  readonly actor: Actor;
  readonly idempotency?: Idempotency | undefined;
}

export interface HoldEdit {
  readonly agent: AgentNumber;
  readonly hold: number;
  readonly version: string | undefined;
  /** A complete message; its Bcc field is only for the sender's own copy. */
  readonly bytes: Uint8Array;
  readonly actor: Actor;
  readonly idempotency?: Idempotency | undefined;
}

export interface MessageEdit {
  readonly agent: AgentNumber;
  /** Without the internal date, which is that of the edit. */
  readonly message: Pick<Appended, "bytes" | "flags" | "keywords">;
  readonly actor: Actor;
  readonly replaces?: { readonly mailbox: MailboxNumber; readonly uid: Uid };
}

export interface HoldRooms extends OutboundRooms {
  readonly outbound: Pick<Outbound, "ring">;
}
