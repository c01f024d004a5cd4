/** Mail that leaves: the one door for whoever sends, and for the runner that carries it out. */
import type { Settings } from "#/config/schema.ts";
import type { Accounts, Principal } from "#/src/accounts/accounts.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Once } from "#/src/mail/write-once.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { SubmissionName } from "#/src/model/return-path.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Idempotency, Store } from "#/storage/store.ts";
import type { Envelope, SubmissionRow, SubmissionSource } from "#/storage/submission.ts";
import type { DeliverMessage } from "#/storage/transactions/mail/deliver-message.ts";
import type { DeliveryReport } from "#/storage/transactions/outbound/report-delivery.ts";
import type { SubmitMessage, Submitted } from "#/storage/transactions/outbound/submit-message.ts";
import type { MailFate } from "./fate.ts";

export interface Outbound {
  /** Takes responsibility for a message: it is durable in the queue, or with who approves it, when this resolves. Throws
   *  policy_refused, paused, rate_limited, over_quota, precondition_failed (of the draft), invalid (of a recipient). */
  submit(request: SubmitRequest): Promise<SubmitResult>;

  /** What `submit` would write, for a write that does more in the same transaction. Throws what `submit` throws but for limits
   *  and quota. A write that refuses `policy_changed` needs a new one; after it `ring` is for the caller. */
  plan(request: SubmitRequest): Promise<SubmitMessage>;

  /** Whether everything that leaves the mailbox with this login waits for a person. */
  asksAlways(mailbox: AgentNumber, principal: Pick<Principal, "agent">): Promise<boolean>;

  /** Told when something may be due: something came, or an attempt was reported. Answers how to stop listening. */
  onDue(listener: () => void): () => void;
  /** Something was put into the queue by another way than `submit`. */
  ring(): void;
  /** The next time after now at which something becomes due. */
  nextDueAt(): Promise<number | undefined>;
  /** Gives scheduled mail another time; one that has come is now. Throws precondition_failed, policy_refused (already_sent), invalid
   *  for what is not scheduled. */
  reschedule(change: Reschedule): Promise<Once<{ readonly modseq: Modseq; readonly sendAt: number }>>;
  /** When scheduled mail leaves; undefined for what is not scheduled. */
  findSendAt(agent: AgentNumber, message: MessageNumber): Promise<number | undefined>;
  /** What is to be tried now, scheduled mail whose time has come among it; the longest waiting first, one for each submission and domain. Each is the caller's until it is
   *  reported or released. */
  takeDue(options: DueOptions): Promise<readonly DueDelivery[]>;
  /** Gives one back without an attempt. */
  release(delivery: DueDelivery): void;
  /** What became of it, durable when this resolves, with what is to be stored in the same moment: copies for mailboxes here, a
   *  notification to the sender. If this throws, the delivery is still the caller's, who has to report it or let it go. */
  report(
    delivery: DueDelivery,
    outcomes: readonly RecipientOutcome[],
    letters?: readonly DeliverMessage[],
  ): Promise<DeliveryReport>;
  /** What became of mail that was sent, is to leave or waits; undefined for a message that is none of these. */
  readFate(agent: AgentNumber, message: MessageNumber): Promise<MailFate | undefined>;
  /** The name of a submission for people and in what comes back. */
  tokenOf(name: SubmissionName): string;
  /** The exact bytes. */
  readMessage(delivery: Pick<DueDelivery, "account" | "blob" | "size">): Promise<Buffer>;
}

export interface SubmitRequest {
  readonly principal: Pick<Principal, "agent" | "kind">;
  /** The mailbox that it leaves from. */
  readonly mailbox: AgentNumber;
  /** A complete message with CRLF, without Bcc; not changed until the answer. */
  readonly bytes: Uint8Array;
  readonly envelope: SubmitEnvelope;
  /** Whether From names one address, one of the mailbox's own. */
  readonly isAuthenticated: boolean;
  /** A Bcc field without its last line end: whom the sender's own copy names beside To and Cc. */
  readonly bcc?: string;
  readonly draft?: { readonly draft: number; readonly version: string | undefined };
  readonly holdWish: "policy" | "always";
  readonly sendAt?: number;
  readonly inReplyTo?: MessageNumber;
  readonly forwardOf?: MessageNumber;
  readonly idempotency?: Idempotency;
  /** An iTIP message: to strangers it waits as an invitation. `answers`: the organizer whose authenticated invitation it answers, who
   *  is no stranger for that. `uid`: of the object of the calendar that it is about. */
  readonly invitation?: { readonly answers: string | undefined; readonly uid: string };
  readonly source: SubmissionSource;
  /** Without a copy in Sent: whose mail client makes one. */
  readonly hasNoCopy?: boolean;
}

export interface SubmitEnvelope extends Pick<Envelope, "from" | "envid" | "ret" | "bodyType" | "isSmtputf8"> {
  readonly recipients: readonly {
    readonly address: string;
    readonly notify?: readonly string[];
    readonly orcpt?: string | undefined;
  }[];
}

export type SubmitResult = Once<Submitted>;

export interface DueOptions {
  readonly now: number;
  readonly limit: number;
  /** Domains that get nothing now; "" is this server. */
  readonly skipDomains: ReadonlySet<string>;
  /** Mailboxes that nothing is taken from now. */
  readonly skipAgents?: ReadonlySet<AgentNumber>;
}

/** Some recipients of one submission that are of one domain. */
export interface DueDelivery {
  readonly agent: AgentNumber;
  readonly account: SubmissionRow["account"];
  readonly submission: number;
  /** 0: there is no copy in the mailbox that it left from. */
  readonly message: MessageNumber;
  readonly blob: SubmissionRow["blob"];
  readonly source: SubmissionSource;
  readonly envelopeFrom: string;
  readonly envid: string | null;
  readonly ret: "FULL" | "HDRS" | null;
  readonly size: number;
  readonly bodyType: "7BIT" | "8BITMIME";
  readonly isSmtputf8: boolean;
  /** "" for mailboxes of this server. */
  readonly domain: string;
  readonly recipients: readonly DueRecipient[];
  /** The later of when it was asked for and when it was to leave. */
  readonly startedAt: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface DueRecipient {
  readonly number: number;
  readonly address: string;
  readonly notify: readonly string[];
  readonly orcpt: string | null;
  readonly attemptCount: number;
  /** Null: its sender has not been told that it takes long. */
  readonly delayToldAt: number | null;
}

export interface RecipientOutcome {
  readonly number: number;
  readonly state: "delivered" | "relayed" | "deferred" | "failed";
  /** RFC 3463: "2.0.0", "4.7.1". */
  readonly status: string;
  /** What the other server said; for notifications and the operator, never in events. */
  readonly reply?: string;
  readonly host?: string;
  /** When it is tried again; absent: by the house's own rhythm. */
  readonly retryAt?: number;
}

/** Another time for scheduled mail. */
export interface Reschedule {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
  /** As it was read. */
  readonly version: string | undefined;
  readonly sendAt: number;
  readonly idempotency?: Idempotency | undefined;
}

export interface OutboundRooms {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly settings: Settings;
  readonly fairness?: Fairness | undefined;
  /** Understands a message; a large array is taken over. */
  prepare(bytes: Uint8Array): Promise<MessageFacts>;
}
