/** Holds as the rooms above the store read them. */
import type { DeclineWord, HoldFailure, HoldReason, HoldState, SendingPolicy } from "#/src/model/holds.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Envelope } from "./submission.ts";

export interface HoldRow {
  /** The mailbox from which the mail is sent. */
  readonly agent: AgentNumber;
  readonly hold: number;
  /** The message of the current version; each edit makes another message. */
  readonly message: MessageNumber;
  /** The MODSEQ of the last change of its state or its mail. */
  readonly modseq: Modseq;
  readonly state: HoldState;
  readonly reason: HoldReason;
  readonly digest: Uint8Array;
  readonly envelope: Envelope;
  /** The stored octets of the envelope, from which the digest is computed. */
  readonly envelopeText: string;
  readonly requestedBy: AgentNumber;
  /** Null when it expired; 0: the operator. */
  readonly decidedBy: AgentNumber | 0 | null;
  readonly decidedAt: number | null;
  readonly sendAt: number;
  readonly expiresAt: number;
  readonly createdAt: number;
  /** When its approver was notified. */
  readonly toldAt: number | null;
  /** What the person who declined it tells the agent. */
  readonly why: DeclineWord | null;
  readonly note: string | null;
}

/** Why a held mail is not sent, in the words of the event. */
export type DeclineReason = "declined" | "expired" | HoldFailure;

export interface SendingPolicyRow {
  readonly agent: AgentNumber;
  readonly policy: SendingPolicy;
  readonly approver: AgentNumber | null;
  /** Allowed domains and addresses. */
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
}

export const selectHold = `
  select hold.agent_id as agent, hold_id as hold, message_id as message, hold.modseq, hold.state, reason, digest,
    envelope as "envelopeText", requested_by as "requestedBy", decided_by as "decidedBy", decided_at as "decidedAt",
    send_at as "sendAt", expires_at as "expiresAt", hold.created_at as "createdAt", told_at as "toldAt", why, note
  from hold`;

export function holdOf(row: Omit<HoldRow, "envelope">): HoldRow {
  return { ...row, envelope: JSON.parse(row.envelopeText) as Envelope };
}
