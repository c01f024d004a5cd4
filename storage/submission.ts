/** Rows of outgoing mail: a submission is one message for the recipients of one envelope. */
import type { QueuedRecipient } from "#/src/model/delivery.ts";
import type { AccountNumber, AgentNumber, BlobNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { TlsWish } from "#/src/model/tls-wish.ts";

/** How the mail was submitted: by the operation `send`, or by SMTP submission (RFC 6409). */
export type SubmissionSource = "send" | "submission";

export interface EnvelopeRecipient {
  readonly address: string;
  /** The domain whose servers receive it, in A-labels; "" for a mailbox of this server. */
  readonly domain: string;
  /** NOTIFY of RFC 3461 section 4.1; empty if the client gave none. */
  readonly notify: readonly string[];
  /** ORCPT (section 4.2), as it was sent. */
  readonly orcpt: string | null;
}

/** Data of an outgoing message that are not in its bytes. A hold stores it as JSON. */
export interface Envelope {
  /** The address for failure reports; "" for the null reverse path. */
  readonly from: string;
  readonly recipients: readonly EnvelopeRecipient[];
  /** RFC 3461 sections 4.3 and 4.4. */
  readonly envid: string | null;
  readonly ret: "FULL" | "HDRS" | null;
  readonly bodyType: "7BIT" | "8BITMIME";
  readonly isSmtputf8: boolean;
  readonly source: SubmissionSource;
  /** The message of the same mailbox that is flagged as answered when this one is sent. */
  readonly answers: MessageNumber | null;
  readonly forwards: MessageNumber | null;
  /** For an invitation or an answer: the UID of its object in the sender's calendar. */
  readonly calendarUid?: string;
  readonly tlsWish?: TlsWish;
}

/** `scheduled`: the mail is in Scheduled; `queued`: it will be tried; `relayed`: another server has it; `delivered`: it is in a
 *  mailbox; `failed`: it was not delivered; `cancelled`: it was taken back before it was sent. */
export type RecipientState = QueuedRecipient["state"];

export interface SubmissionRow {
  readonly agent: AgentNumber;
  readonly submission: number;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  /** 0: there is no copy in the sender's mailbox. */
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
  /** The agent whose credential asked for it; null for mail that is older than this column. */
  readonly requestedBy: AgentNumber | null;
  /** The message that will be flagged as answered when this one is sent. */
  readonly answers: MessageNumber | null;
  readonly forwards: MessageNumber | null;
  /** MODSEQ of the transaction that sent scheduled mail; null before, and for mail that was not scheduled. */
  readonly leftModseq: Modseq | null;
  /** When the submission ended: no recipient is tried any more, and the claim on the bytes was released. */
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
  /** When the sender got a notification of the delay. */
  readonly delayToldAt: number | null;
  readonly updatedAt: number;
}
