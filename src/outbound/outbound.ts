/** Outgoing mail: the interface for all senders, and for the runner that does the deliveries. */

import type { Settings } from "#/config/schema.ts";
import type { Accounts, Principal } from "#/src/accounts/accounts.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { HeaderField } from "#/src/formats/mime/header.ts";
import type { Once } from "#/src/mail/write-once.ts";
import type { Appended } from "#/src/mail/writes.ts";
import type { Author } from "#/src/model/author.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { SubmissionName } from "#/src/model/return-path.ts";
import type { TlsWish } from "#/src/model/tls-wish.ts";
import type { CalendarMessage } from "#/storage/calendar-messages.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { ArgumentsOf, Idempotency, Store } from "#/storage/store.ts";
import type {
  Envelope,
  SubmissionRecipientRow,
  SubmissionRow,
  SubmissionSource,
} from "#/storage/submission.ts";
import type { DeliverMessage } from "#/storage/transactions/mail/deliver-message.ts";
import type { DeliveryReport } from "#/storage/transactions/outbound/report-delivery.ts";
import type { SubmitMessage, Submitted } from "#/storage/transactions/outbound/submit-message.ts";
import type { Asked } from "./gate/answers.ts";
import type { Told } from "./gate/told.ts";
import type { MailDelivery } from "./mail-delivery.ts";

export interface Outbound {
  /** Takes responsibility for a message: when this resolves, it is durable in the queue or waits for approval. Throws
   *  forbidden_scope, policy_refused, paused, rate_limited, over_quota, precondition_failed (of the draft), invalid (of a recipient). */
  submit(by: Author, request: SubmitRequest): Promise<SubmitResult>;

  /** What `submit` would write, for a write that does more in the same transaction. Throws what `submit` throws, except for limits
   *  and quota. If the write refuses with `policy_changed`, the caller has to plan again. After the write the caller calls `ring`. */
  plan(request: SubmitRequest): Promise<SubmitMessage>;

  /** Whether all mail sent from the mailbox with this login needs approval. */
  asksAlways(mailbox: AgentNumber, principal: Pick<Principal, "agent">): Promise<boolean>;

  /** What the rules say of recipients here whom a message reaches without a queue. Throws `paused`, `not_billable`. */
  askHere(mailbox: AgentNumber, principal: Asker, addresses: readonly string[]): Promise<Asked>;
  /** Whether a login may send from the mailbox: its credential has the scope `send` there, by itself or by a grant. */
  maySend(principal: Asker, mailbox: AgentNumber): Promise<boolean>;
  /** What calendars of the mailbox have told others about an event, and what of it waits. */
  readTold(agent: AgentNumber, uid: string): Promise<Told>;
  /** Of one mail (`smtp.max_recipients`); more are refused. */
  readonly recipientsMax: number;

  /** Makes what waits of a mail due now, and gives the number of recipients. The lists of its mailbox are asked again: throws
   *  `policy_refused`. */
  retry(by: Author, mail: SubmissionRow): Promise<number>;
  /** Ends a mail for every recipient that it waits for. Throws `precondition_failed` if there is none. */
  cancel(by: Author, mail: SubmissionRow): Promise<void>;
  /** Calls the listener when something may be due: mail was added, or an attempt was reported. Gives the function that removes it. */
  onDue(listener: () => void): () => void;
  /** To be called when something was put into the queue other than by `submit`. */
  ring(): void;
  /** The next time after now at which something becomes due. */
  nextDueAt(): Promise<number | undefined>;
  /** Changes the time of scheduled mail; a time in the past means now. Throws precondition_failed, policy_refused (already_sent),
   *  invalid for mail that is not scheduled. */
  reschedule(
    by: Author,
    change: Reschedule,
  ): Promise<Once<{ readonly modseq: Modseq; readonly sendAt: number }>>;
  /** When scheduled mail is sent; undefined for mail that is not scheduled. */
  findSendAt(agent: AgentNumber, message: MessageNumber): Promise<number | undefined>;
  /** Takes the deliveries that are due now, with due scheduled mail: one for each submission and domain, the longest waiting first.
   *  Each belongs to the caller until it is reported or released. */
  takeDue(options: DueOptions): Promise<readonly DueDelivery[]>;
  /** Whether a delivery that was taken still is the caller's alone: false once this daemon did not hear from the store for so long that another
   *  one may have it. Asked before the message is given to anybody. */
  isOwn(delivery: DueDelivery): boolean;
  /** Gives a delivery back without an attempt. */
  release(delivery: DueDelivery): void;
  /** Stores the outcome, and in the same transaction copies for mailboxes here and a notification to the sender. Durable when this
   *  resolves. If this throws, the delivery still belongs to the caller, who has to report or release it. */
  report(
    delivery: DueDelivery,
    outcomes: readonly RecipientOutcome[],
    letters?: readonly DeliverMessage[],
  ): Promise<DeliveryReport>;
  /** The state of mail that was sent, is scheduled or waits for approval; undefined for any other message. */
  readDelivery(agent: AgentNumber, message: MessageNumber): Promise<MailDelivery | undefined>;
  /** The name of a submission for people, and in reports that come back. */
  tokenOf(name: SubmissionName): string;
  /** The exact bytes. */
  readMessage(delivery: Pick<DueDelivery, "account" | "blob" | "size">): Promise<Buffer>;
}

/** Who sends: a login, or the server itself for an owner (reports, answers to REFRESH). */
export type Asker = Principal | ServerAsker;

export interface ServerAsker {
  /** Whose rules count. */
  readonly agent: AgentNumber;
  readonly kind: Principal["kind"];
  readonly isServer: true;
}

export interface SubmitRequest {
  readonly principal: Asker;
  /** The mailbox that the mail is sent from. */
  readonly mailbox: AgentNumber;
  /** A complete message with CRLF, without Bcc. The caller does not change it until the call resolves. */
  readonly bytes: Uint8Array;
  /** Of its header, where the caller has read them. */
  readonly fields?: readonly HeaderField[];
  readonly envelope: SubmitEnvelope;
  /** Whether From has exactly one address and it belongs to the mailbox. */
  readonly isAuthenticated: boolean;
  /** The Bcc field of the sender's own copy, without its last line end. */
  readonly bcc?: string;
  readonly draft?: { readonly draft: number; readonly version: string | undefined };
  /** unapproved: an agent or a program has written a part of what a person sends. */
  readonly holdWish: "policy" | "always" | "unapproved";
  readonly sendAt?: number;
  readonly inReplyTo?: MessageNumber;
  readonly forwardOf?: MessageNumber;
  readonly idempotency?: Idempotency;
  /** An iTIP message: sent to strangers, it is held as an invitation. `answers`: the organizer whose authenticated invitation it answers
   *  and who is therefore no stranger. `uid`: the UID of the calendar object. `message`: what it tells whom; absent where it repeats
   *  what they were told. */
  readonly invitation?: {
    readonly answers: string | undefined;
    readonly uid: string;
    readonly message?: CalendarMessage;
  };
  readonly source: SubmissionSource;
  /** Of mail that waited where an archive was made: what was set on it there. */
  readonly archived?: Pick<Appended, "flags" | "keywords" | "properties">;
  /** Mail of the server itself: the limits of the mailbox do not count it. */
  readonly isUncounted?: boolean;
  /** No copy is put into Sent, because the mail client makes one. */
  readonly hasNoCopy?: boolean;
}

export interface SubmitEnvelope extends Pick<Envelope, "from" | "envid" | "ret" | "bodyType" | "isSmtputf8"> {
  readonly recipients: readonly {
    readonly address: string;
    readonly notify?: readonly string[];
    readonly orcpt?: string | undefined;
    /** Where the request names it, for a refusal. */
    readonly field?: string;
  }[];
  /** REQUIRETLS (RFC 8689). */
  readonly isTlsRequired?: boolean;
}

export type SubmitResult = Once<Submitted>;

export interface DueOptions {
  readonly now: number;
  readonly limit: number;
  /** Domains to skip now; "" is this server. */
  readonly skipDomains: ReadonlySet<string>;
  /** Mailboxes to skip now. */
  readonly skipAgents?: ReadonlySet<AgentNumber>;
}

/** The recipients of one submission in one domain, or some of them. */
export interface DueDelivery {
  readonly agent: AgentNumber;
  readonly account: SubmissionRow["account"];
  readonly submission: number;
  /** The sender's copy; 0 if there is none. */
  readonly message: MessageNumber;
  readonly blob: SubmissionRow["blob"];
  readonly source: SubmissionSource;
  readonly envelopeFrom: string;
  readonly envid: string | null;
  readonly ret: "FULL" | "HDRS" | null;
  readonly size: number;
  readonly bodyType: "7BIT" | "8BITMIME";
  readonly isSmtputf8: boolean;
  readonly tlsWish: TlsWish | null;
  /** The destination; "" for mailboxes of this server. */
  readonly domain: string;
  readonly recipients: readonly DueRecipient[];
  /** The time of the request, or the scheduled time if that is later. */
  readonly startedAt: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export type DueRecipient = Pick<
  SubmissionRecipientRow,
  "number" | "address" | "notify" | "orcpt" | "attemptCount" | "delayToldAt"
>;

export interface RecipientOutcome {
  readonly number: number;
  readonly state: "delivered" | "relayed" | "deferred" | "failed";
  /** RFC 3463: "2.0.0", "4.7.1". */
  readonly status: string;
  /** What the other server said; for notifications and the operator, never in events. */
  readonly reply?: string;
  readonly host?: string;
  /** When it is tried again; absent: by the usual schedule. */
  readonly retryAt?: number;
}

/** A new time for scheduled mail. */
export interface Reschedule extends Omit<ArgumentsOf<"rescheduleMessage">, "expiresAt" | "at"> {
  readonly idempotency?: Idempotency | undefined;
}

export interface OutboundRooms {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly settings: Settings;
  readonly fairness?: Fairness | undefined;
  /** Parses a message and gives its facts. A large array is transferred: the caller can no longer use it. */
  prepare(bytes: Uint8Array): Promise<MessageFacts>;
}
