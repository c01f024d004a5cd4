/** Rows as the rooms above the store read them: plain values, branded numbers, names of the standards. */
import type { EventType } from "#/src/model/changes.ts";
import type { ErrorCode } from "#/src/model/errors.ts";
import type { StoredOfFolder } from "#/src/model/folder-properties.ts";
import type { GrantedObjects } from "#/src/model/grants.ts";
import type { StoredOfMessage } from "#/src/model/message-properties.ts";
import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  MailboxNumber,
  MessageNumber,
  Modseq,
  ThreadNumber,
  Uid,
} from "#/src/model/numbers.ts";
import type { PauseReason } from "#/src/model/pause.ts";
import type { MailboxRole } from "#/src/model/roles.ts";
import type { EncodedBlob } from "./blob.ts";

export type AccountState = "active" | "not_billable";
export type AgentState = "active" | "paused";
export type AgentKind = "agent" | "person";

export interface AccountRow {
  readonly account: AccountNumber;
  readonly name: string;
  readonly state: AccountState;
  readonly createdAt: number;
}

export interface DomainRow {
  readonly name: string;
  readonly account: AccountNumber;
  readonly createdAt: number;
}

/** `next`: published, but not used until the DNS has it. `retired`: still published, for mail that is being delivered. */
export type DomainKeyState = "signing" | "next" | "retired";

/** A key that signs mail of a domain (RFC 6376). */
export interface DomainKeyRow extends NewDomainKey {
  readonly state: DomainKeyState;
  readonly retiredAt: number | null;
}

export interface NewDomainKey {
  readonly domain: string;
  readonly selector: string;
  /** A word of the k= tag: rsa, ed25519. */
  readonly algorithm: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  readonly createdAt: number;
}

/** A token with which a program acts as the operator. */
export interface OperatorTokenRow {
  readonly token: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

/** A browser in which an operator is signed in. */
export interface OperatorSessionRow extends Omit<PageSessionRow, "agent"> {
  readonly operator: number;
}

export interface OperatorPasskeyRow extends Omit<PasskeyRow, "agent"> {
  readonly operator: number;
}

/** A browser in which a person is signed in. */
export interface PageSessionRow {
  readonly session: number;
  readonly agent: AgentNumber;
  readonly device: string;
  readonly network: string;
  readonly proof: "invitation" | "password" | "passkey";
  readonly createdAt: number;
  readonly seenAt: number;
  readonly endedAt: number | null;
}

export interface PasskeyRow {
  readonly passkey: number;
  readonly agent: AgentNumber;
  readonly credential: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly host: string;
  readonly name: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

export interface UsedInvitationRow {
  readonly usedAt: number;
  readonly device: string;
}

/** What an operator did. */
export interface OperatorCallRow {
  readonly call: number;
  /** null for the command line. */
  readonly token: number | null;
  readonly name: string | null;
  readonly requestId: string;
  readonly operation: string;
  /** JSON, without secrets. */
  readonly input: string;
  /** `done`, or the code of the error; null while it runs, and forever if the process ended meanwhile. */
  readonly outcome: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** The TLS policy of another domain for mail that is sent to it (RFC 8461). */
export interface StsPolicyRow {
  readonly domain: string;
  /** The id in the TXT record with which the policy was fetched. */
  readonly id: string;
  readonly mode: string;
  readonly mx: readonly string[];
  readonly expiresAt: number;
}

/** A report of another server about one of our domains. */
export interface ReceivedReportRow {
  readonly domain: string;
  readonly kind: string;
  /** Domain of the author, who was authenticated. */
  readonly reporter: string;
  /** The reporter's name for it. */
  readonly name: string;
  readonly organization: string;
  readonly beginsAt: number;
  readonly endsAt: number;
  readonly passed: number;
  readonly failed: number;
  /** JSON of its rows. */
  readonly rows: string;
  readonly receivedAt: number;
}

/** A count of one kind of event with another domain on one day, for the report to that domain. */
export interface ReportCountRow {
  readonly kind: string;
  /** Days since 1970 in UTC. */
  readonly day: number;
  readonly domain: string;
  /** The event, as JSON. */
  readonly detail: string;
  readonly count: number;
}

export interface AgentRow {
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
  readonly accountState: AccountState;
  readonly kind: AgentKind;
  readonly name: string;
  readonly state: AgentState;
  /** The reason of a pause; null when it was not recorded. */
  readonly pausedReason: PauseReason | null;
  readonly pausedAt: number | null;
  /** The end of the agent's change log. */
  readonly modseq: Modseq;
  /** Changes up to this one are pruned. */
  readonly logFloor: Modseq;
  readonly byteCount: number;
  readonly messageCount: number;
  /** null or 0: no quota. */
  readonly quotaBytes: number | null;
  readonly scramSalt: Uint8Array;
  readonly scramIterations: number;
  readonly createdAt: number;
  /** `local@domain` of the primary address. */
  readonly address: string;
}

export interface AddressRow {
  readonly domain: string;
  /** `*` is the catch-all of the domain. */
  readonly localPart: string;
  readonly agent: AgentNumber;
  readonly isPrimary: boolean;
  readonly createdAt: number;
}

export interface AddressTargetRow {
  /** The one of the requested names that leads to the agent. */
  readonly localPart: string;
  readonly account: AccountNumber;
  readonly agent: AgentNumber;
  readonly state: AgentState;
  /** The primary address of the agent that the address leads to. */
  readonly address: string;
  readonly byteCount: number;
  readonly quotaBytes: number | null;
}

export interface TokenRow {
  readonly token: number;
  readonly agent: AgentNumber;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface PasswordRow {
  readonly password: number;
  readonly agent: AgentNumber;
  readonly name: string;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** null: everything that a mail client does. */
  readonly scopes: readonly string[] | null;
}

/** What a person has chosen for the pages. */
export interface PageSettingsRow {
  /** proof: a passkey or an app password for each approval. session: being signed in. */
  readonly approvesWith: "proof" | "session";
  /** A name of the IANA database; null: that of the server. */
  readonly timeZone: string | null;
}

export interface GrantRow {
  readonly grant: number;
  /** The agent that has the grant. */
  readonly agent: AgentNumber;
  /** The agent whose data the grant opens. */
  readonly targetAgent: AgentNumber;
  readonly scopes: readonly string[];
  readonly objects: GrantedObjects;
  /** Names in the grant that no mailbox had when grants changed from names to object numbers. */
  readonly lostMailboxes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface MailboxRow extends StoredOfFolder {
  readonly mailbox: MailboxNumber;
  readonly name: string;
  readonly role: MailboxRole | null;
  readonly uidValidity: number;
  readonly uidNext: Uid;
  /** The highest UID that was \Recent in a session; 0 for none. */
  readonly recentUid: Uid | 0;
  /** HIGHESTMODSEQ. */
  readonly modseq: Modseq;
  readonly messageCount: number;
  readonly unseenCount: number;
  readonly deletedCount: number;
  readonly byteCount: number;
  /** MODSEQ of its name. */
  readonly version: Modseq;
}

/** A message in a mailbox: only the columns that work on flags needs. */
export interface EntryRow {
  readonly mailbox: MailboxNumber;
  readonly uid: Uid;
  readonly message: MessageNumber;
  readonly modseq: Modseq;
  readonly flags: number;
  readonly keywords: string | null;
  readonly internalDate: number;
  readonly savedAt: number;
  readonly size: number;
}

export interface MessageRow extends StoredOfMessage {
  readonly message: MessageNumber;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  readonly thread: ThreadNumber;
  /** Date: of the header in milliseconds; null when it has none that can be read. */
  readonly date: number | null;
  readonly receivedAt: number;
  /** Octets of trace and blob together. */
  readonly size: number;
  /** The octets before the blob in this recipient's copy. */
  readonly trace: Uint8Array;
  readonly subject: string;
  readonly fromAddress: string;
  readonly fromName: string;
  readonly isAuthenticated: boolean;
  readonly hasAgentPart: boolean;
  /** JSON. */
  readonly provenance: string;
  /** Wire text of ENVELOPE and BODYSTRUCTURE, one character per octet. */
  readonly envelope: string;
  readonly bodyStructure: string;
}

export interface EntryMessageRow extends EntryRow, StoredOfMessage {
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  readonly thread: ThreadNumber;
  readonly date: number | null;
  readonly trace: Uint8Array;
  readonly subject: string;
  readonly hasAgentPart: boolean;
  readonly envelope: string;
  readonly bodyStructure: string;
}

/** The data for threading a message (RFC 5256 section 3). */
export interface EntryThreadRow extends Pick<EntryRow, "uid" | "internalDate" | "size"> {
  readonly date: number | null;
  readonly subject: string;
  readonly referenceIds: string | null;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  /** null where the identifiers are stored, so that the octets are not needed. */
  readonly trace: Uint8Array | null;
}

export interface KeywordRow {
  readonly keyword: number;
  readonly name: string;
}

/** Everything that is computed from a message's bytes before they are written. */
export interface MessageFacts {
  readonly blob: EncodedBlob;
  readonly date: number | null;
  readonly subject: string;
  readonly fromAddress: string;
  readonly fromName: string;
  /** The first addresses of Reply-To; absent if there are none. */
  readonly replyTo?: readonly { readonly name: string; readonly address: string }[];
  readonly envelope: string;
  readonly bodyStructure: string;
  /** 16-byte hashes of Message-IDs with the base subject; a message joins the oldest thread that knows one of them. */
  readonly threadKeys: readonly Uint8Array[];
  /** Its own Message-ID, then those that it refers to, the oldest first, with spaces between; "" for none, as the first
   *  may be. Absent: to be read from the header when they are needed. */
  readonly referenceIds?: string;
  /** The header fields that lists of messages show, of trace and header, of ASCII alone (`src/mail/list-fields.ts`). Absent: to be read from
   *  there. */
  readonly listFields?: string | undefined;
  /** Marks of the names of the header's other fields. Absent: unknown. */
  readonly otherFields?: string | undefined;
  readonly hasAgentPart: boolean;
  /** 16-byte hashes of the identifiers by which a draft is recognised when it is stored again. */
  readonly draftKeys?: readonly Uint8Array[];
}

/** A receiver of an agent's events. */
export interface WebhookRow {
  readonly webhook: number;
  readonly agent: AgentNumber;
  readonly url: string;
  readonly secret: string;
  /** Event types; none: all. */
  readonly types: readonly EventType[];
  readonly state: WebhookState;
  /** Up to here the agent's log has been sent: `modseq`, or `modseq.ordinal` inside a transaction. */
  readonly position: string;
  readonly failureCount: number;
  /** The time of the first failure after the last accepted request; null when the last request was accepted. */
  readonly failingSince: number | null;
  readonly nextAttemptAt: number;
  readonly createdAt: number;
}

export type WebhookState = "active" | "disabled";

export interface WebhookAttemptRow {
  readonly attempt: number;
  /** `webhook-id` of the request. */
  readonly message: string;
  readonly at: number;
  /** The HTTP status; null when there was no response. */
  readonly status: number | null;
  readonly error: string | null;
  readonly eventCount: number;
}

/** An error in a message between threads. */
export interface ErrorRow {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}
