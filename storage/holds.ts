/** Holds as the rooms above the store read them. */

import type { DeclineWord, HoldFailure, HoldStanding, SendingPolicy } from "#/src/model/holds.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { wholeRow } from "./schema/select-list.ts";
import type { Envelope } from "./submission.ts";

export interface HoldRow extends HoldStanding {
  readonly hold: number;
  /** The message of the current version; each edit makes another message. */
  readonly message: MessageNumber;
  /** The MODSEQ of the last change of its state or its mail. */
  readonly modseq: Modseq;
  readonly digest: Uint8Array;
  readonly envelope: Envelope;
  /** The stored octets of the envelope, from which the digest is computed. */
  readonly envelopeText: string;
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
  select ${wholeRow<Omit<HoldRow, "envelope">, "hold">()(
    {
      agent: "hold.agent_id",
      hold: "hold.hold_id",
      message: "hold.message_id",
      modseq: "hold.modseq",
      state: "hold.state",
      reason: "hold.reason",
      digest: "hold.digest",
      envelopeText: "hold.envelope",
      requestedBy: "hold.requested_by",
      decidedBy: "hold.decided_by",
      decidedAt: "hold.decided_at",
      sendAt: "hold.send_at",
      expiresAt: "hold.expires_at",
      createdAt: "hold.created_at",
      toldAt: "hold.told_at",
      why: "hold.why",
      note: "hold.note",
    },
    {},
  )}
  from hold`;

export function holdOf(row: Omit<HoldRow, "envelope">): HoldRow {
  return { ...row, envelope: JSON.parse(row.envelopeText) as Envelope };
}
