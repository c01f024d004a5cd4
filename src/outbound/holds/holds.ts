/** Mail of agents that waits for a person: the one door for whoever looks at it, edits it and decides, and for the runner that
 *  lets it go. What may happen to a hold is said in `src/model/holds.ts`, and asserted in the transactions. */

import type { Idempotency, Once } from "#/src/mail/write-once.ts";
import type { Actor } from "#/src/model/actor.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import type { HoldRow } from "#/storage/holds.ts";
import type { DecidedHold } from "#/storage/transactions/outbound/decide-hold.ts";
import type { EditedHold } from "#/storage/transactions/outbound/edit-hold.ts";
import type { Outbound, OutboundRooms } from "../outbound.ts";

export type { HoldRow as Hold } from "#/storage/holds.ts";

export interface Holds {
  findHold(agent: AgentNumber, hold: number): Promise<HoldRow | undefined>;
  /** The latest one that a message is about. */
  findHoldOfMessage(agent: AgentNumber, message: MessageNumber): Promise<HoldRow | undefined>;
  /** `version` as read: anything else is `precondition_failed`, as the mail may be another by now. */
  decide(request: HoldDecision): Promise<Once<DecidedHold>>;
  /** A new version of the mail, which then waits again. Throws `invalid`, `policy_refused`, `precondition_failed`. */
  edit(request: HoldEdit): Promise<Once<EditedHold>>;
  /** The same by what a mail client does: the new version bears the Message-ID of the one that waits. */
  editByMessage(request: MessageEdit): Promise<EditedHold>;
  /** Lets go what was approved long enough ago, declines what has expired, tells approvers. Whether there may be more. */
  runDue(): Promise<boolean>;
  /** The next time at which there is something to do; a time that has passed is now. */
  nextDueAt(): Promise<number | undefined>;
}

export interface HoldDecision {
  readonly agent: AgentNumber;
  readonly hold: number;
  readonly version: string | undefined;
  readonly deed: "approve" | "undo" | "decline" | "withdraw";
  readonly actor: Actor;
  readonly idempotency?: Idempotency | undefined;
}

export interface HoldEdit {
  readonly agent: AgentNumber;
  readonly hold: number;
  readonly version: string | undefined;
  /** A complete message; a Bcc in it is for the sender's own copy. */
  readonly bytes: Uint8Array;
  readonly actor: Actor;
  readonly idempotency?: Idempotency | undefined;
}

export interface MessageEdit {
  readonly agent: AgentNumber;
  readonly bytes: Uint8Array;
  /** System flags. */
  readonly flags: number;
  readonly actor: Actor;
  readonly replaces?: { readonly mailbox: MailboxNumber; readonly uid: Uid };
}

export interface HoldRooms extends OutboundRooms {
  readonly outbound: Pick<Outbound, "ring">;
}
