/** What leaves, as rows: a submission is one message on its way to the recipients of one envelope. */
import type { QueuedRecipient } from "#/src/model/delivery.ts";
import type { AccountNumber, AgentNumber, BlobNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { TlsWish } from "#/src/model/tls-wish.ts";

/** By which door it was given to us: the operation `send`, or SMTP submission (RFC 6409). */
export type SubmissionSource = "send" | "submission";

export interface EnvelopeRecipient {
  readonly address: string;
  /** Whose servers take it, in A-labels; "" for a mailbox of this server. */
  readonly domain: string;
  /** NOTIFY of RFC 3461 section 4.1; empty where nothing was asked for. */
  readonly notify: readonly string[];
  /** ORCPT (section 4.2), as it was sent. */
  readonly orcpt: string | null;
}

/** Everything about a message on its way that its bytes do not say. A hold keeps it as JSON. */
export interface Envelope {
  /** The plain address that failures go to; "" for the null reverse path. */
  readonly from: string;
  readonly recipients: readonly EnvelopeRecipient[];
  /** RFC 3461 sections 4.3 and 4.4. */
  readonly envid: string | null;
  readonly ret: "FULL" | "HDRS" | null;
  readonly bodyType: "7BIT" | "8BITMIME";
  readonly isSmtputf8: boolean;
  readonly source: SubmissionSource;
  /** Messages of the same mailbox that are marked when this one leaves. */
  readonly answers: MessageNumber | null;
  readonly forwards: MessageNumber | null;
  /** Of an invitation or an answer: UID of the object of the sender's calendar that it is about. */
  readonly calendarUid?: string;
  readonly tlsWish?: TlsWish;
}

/** `scheduled`: the mail stands in Scheduled; `queued`: to be tried; `relayed`: another server has it; `delivered`: it lies in a
 *  mailbox; `failed`: never; `cancelled`: taken back before it left. */
export type RecipientState = QueuedRecipient["state"];

export interface SubmissionRow {
  readonly agent: AgentNumber;
  readonly submission: number;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  /** 0: there is no copy in the mailbox that it left from. */
  readonly message: MessageNumber;
  readonly source: SubmissionSource;
  readonly envelopeFrom: string;
  readonly envid: string | null;
  readonly ret: "FULL" | "HDRS" | null;
  readonly bodyType: "7BIT" | "8BITMIME";
  readonly isSmtputf8: boolean;
  readonly tlsWish: TlsWish | null;
  readonly size: number;
  readonly sendAt: number;
  readonly expiresAt: number;
  readonly createdAt: number;
  /** Messages that are marked when it leaves, and are not yet. */
  readonly answers: MessageNumber | null;
  readonly forwards: MessageNumber | null;
  /** Of the transaction in which scheduled mail left; null before, and for mail that was never scheduled. */
  readonly leftModseq: Modseq | null;
  /** Nothing more is tried, and the claim on the bytes is given back. */
  readonly closedAt: number | null;
}

export interface SubmissionRecipientRow {
  readonly number: number;
  readonly address: string;
  readonly domain: string;
  readonly state: RecipientState;
  readonly attemptCount: number;
  readonly nextAttemptAt: number;
  readonly notify: readonly string[];
  readonly orcpt: string | null;
  readonly host: string | null;
  readonly status: string | null;
  readonly reply: string | null;
  /** When its sender was told that it takes long. */
  readonly delayToldAt: number | null;
  readonly updatedAt: number;
}
