import type { DeliveryState } from "./delivery.ts";
import type { DeclineWord } from "./holds.ts";
import type { ObjectKind } from "./ids.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "./numbers.ts";

/** One row of the change log: what one transaction did to the children of one parent.
 *
 *  kind `entry`: parent is the mailbox, ids are UIDs; of those that were removed, data is that of `removed-messages.ts`. kind `mailbox`: parent is 0, ids are mailbox numbers.
 *  kind `event`: parent is 0, ids hold the number of the object that it is about (`eventSubjects`), or 0 where that is the agent,
 *  and `event` says what happened ("Events" of the interface). kind `submission`: ids hold the number of mail that was put into the queue; kind `upload`: of a blob that waits to be
 *  attached. kind `metadata`: parent is the mailbox or 0 for the server, ids hold who sees the annotations (0: all who see the
 *  mailbox), data their names. kind `collection`: parent is 0, ids are numbers of calendars and addressbooks. kind `item`: parent is
 *  the collection, ids are numbers of items; of those that were removed, data is JSON: number to the last segment of its href, where
 *  a client had chosen that. A collection that is removed takes its items with it, without rows for them. kind `file`: parent is 0, ids are numbers of
 *  files and folders; a folder that is removed takes what is in it along, without rows for that. The log is the one clock of IMAP MODSEQ, the DAV sync-token and the cursor of `wait` and `watch`. */
export interface Change {
  readonly modseq: Modseq;
  /** Position inside the transaction, from 0. */
  readonly ordinal: number;
  readonly kind: ChangeKind;
  readonly parent: number;
  readonly operation: ChangeOperation;
  /** Text of a number set. */
  readonly ids: string;
  readonly event: EventType | null;
  /** JSON: of an event an `EventData`. */
  readonly data: string | null;
}

export const changeKinds = [
  "entry",
  "mailbox",
  "event",
  "submission",
  "upload",
  "metadata",
  "collection",
  "item",
  "file",
] as const;
export type ChangeKind = (typeof changeKinds)[number];
export type ChangeOperation = "add" | "update" | "remove";

export const eventTypes = [
  "mail.received",
  "mail.sent",
  "mail.held",
  "mail.declined",
  "mail.delivered",
  "mail.delayed",
  "mail.bounced",
  "agent.paused",
  "agent.resumed",
  "mailbox.restored",
] as const;
export type EventType = (typeof eventTypes)[number];

/** The kind of object that an event is about; null: the agent itself. */
export const eventSubjects = {
  "mail.received": "message",
  "mail.sent": "message",
  "mail.held": "message",
  "mail.declined": "message",
  "mail.delivered": "message",
  "mail.delayed": "message",
  "mail.bounced": "message",
  "agent.paused": null,
  "agent.resumed": null,
  "mailbox.restored": null,
} as const satisfies Record<EventType, ObjectKind | null>;

/** Data of an event besides its type and its object: numbers, the interface's own words, and recipients as the sender wrote them. */
export interface EventData {
  readonly mailbox?: MailboxNumber | undefined;
  readonly thread?: number | undefined;
  /** The protocol by which mail came in. */
  readonly source?: string;
  readonly authenticated?: boolean;
  readonly agentPart?: boolean;
  readonly hold?: number;
  /** Why mail waits, was declined, is delayed or has bounced, or why the agent is paused. */
  readonly reason?: string | undefined;
  /** What the person who declined the mail chose and wrote, for the agent. */
  readonly why?: DeclineWord | undefined;
  readonly note?: string | undefined;
  readonly recipient?: string;
  readonly outcome?: DeliveryOutcome;
}

/** The delivery of mail to a recipient: its state, and the enhanced status code (RFC 3463). */
export interface DeliveryOutcome {
  readonly status: DeliveryState;
  readonly code: string;
}

/** The signal of a commit: no content, only how far the log of an agent now reaches. */
export interface Touched {
  readonly agent: AgentNumber;
  readonly modseq: Modseq;
}
