/** A hold as the rest of the house sees it. */
import type { HoldFailure, HoldReason, HoldState, SendingPolicy } from "#/src/model/holds.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Envelope } from "./submission.ts";

export interface HoldRow {
  /** The mailbox that the mail leaves from. */
  readonly agent: AgentNumber;
  readonly hold: number;
  /** Of the version that waits; each edit makes another message. */
  readonly message: MessageNumber;
  /** Its version: of the last change of state, or of the mail. */
  readonly modseq: Modseq;
  readonly state: HoldState;
  readonly reason: HoldReason;
  readonly digest: Uint8Array;
  readonly envelope: Envelope;
  /** The same as it was stored, octet by octet: what the digest is of. */
  readonly envelopeText: string;
  readonly requestedBy: AgentNumber;
  /** Null where time did; 0: the operator. */
  readonly decidedBy: AgentNumber | 0 | null;
  readonly decidedAt: number | null;
  readonly sendAt: number;
  readonly expiresAt: number;
  readonly createdAt: number;
  /** When its approver was told. */
  readonly toldAt: number | null;
}

/** Why a mail that waited will not leave, in the words of the event. */
export type DeclineReason = "declined" | "expired" | HoldFailure;

export interface SendingPolicyRow {
  readonly agent: AgentNumber;
  readonly policy: SendingPolicy;
  readonly approver: AgentNumber | null;
  /** Domains and addresses. */
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
}

export const selectHold = `
  select hold.agent_id as agent, hold_id as hold, message_id as message, hold.modseq, hold.state, reason, digest,
    envelope as "envelopeText", requested_by as "requestedBy", decided_by as "decidedBy", decided_at as "decidedAt",
    send_at as "sendAt", expires_at as "expiresAt", hold.created_at as "createdAt", told_at as "toldAt"
  from hold`;

export function holdOf(row: Omit<HoldRow, "envelope">): HoldRow {
  return { ...row, envelope: JSON.parse(row.envelopeText) as Envelope };
}
