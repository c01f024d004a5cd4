import type { DeliveryState } from "./delivery.ts";
import type { DeclineWord } from "./holds.ts";
import type { ObjectKind } from "./ids.ts";
import { kinds, kindsWith, type PartOf } from "./kinds.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "./numbers.ts";

/** One row of the change log: what one transaction did to the children of one parent.
 *
 *      kind        parent                              ids
 *      entry       the mailbox                         UIDs
 *      mailbox     0                                   mailboxes
 *      event       0                                   the object of the event (`eventDeclarations`), 0 for the agent itself
 *      submission  0                                   a mail that was put into the queue
 *      upload      0                                   a blob that waits to be attached
 *      metadata    the mailbox, or 0 for the server    the agent that sees the annotations, 0 for all who see the mailbox
 *      collection  0                                   calendars and addressbooks
 *      item        the collection                      items
 *      file        0                                   files and folders
 *
 *  The data of `metadata` are the names of the annotations, those of removed entries are described in `removed-messages.ts`. The data of
 *  removed items are JSON: the number of an item to the last segment of
 *  its href, if a client had chosen the segment. A collection that is removed has no rows for its items, and a folder of files none for
 *  its files. IMAP MODSEQ, the DAV sync-token and the cursor of `wait` and `watch` are positions in this log. */
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

/** The words of kinds, and what is about no object of a kind. */
export const changeKinds = [
  ...new Set(kindsWith("log").map((kind): PartOf<"log"> => kinds[kind].log)),
  ...(["event", "metadata"] as const),
];
export type ChangeKind = (typeof changeKinds)[number];
export type ChangeOperation = "add" | "update" | "remove";

export interface EventDeclaration {
  /** The kind of object that it is about; null: the agent itself. */
  readonly subject: ObjectKind | null;
  /** Whether subscribers and webhooks that name no types get it. False for a type that is added: programs that were written before do not
   *  know it. */
  readonly isUnasked: boolean;
}

export const eventDeclarations = {
  "mail.received": { subject: "message", isUnasked: true },
  "mail.sent": { subject: "message", isUnasked: true },
  "mail.held": { subject: "message", isUnasked: true },
  "mail.declined": { subject: "message", isUnasked: true },
  "mail.delivered": { subject: "message", isUnasked: true },
  "mail.delayed": { subject: "message", isUnasked: true },
  "mail.bounced": { subject: "message", isUnasked: true },
  "agent.paused": { subject: null, isUnasked: true },
  "agent.resumed": { subject: null, isUnasked: true },
  "mailbox.restored": { subject: null, isUnasked: true },
} as const satisfies Readonly<Record<string, EventDeclaration>>;

export type EventType = keyof typeof eventDeclarations;
/** The types of events about objects of a kind, or (null) about the agent itself. */
export type EventAbout<Subject extends ObjectKind | null> = {
  [Type in EventType]: (typeof eventDeclarations)[Type]["subject"] extends Subject ? Type : never;
}[EventType];
export const eventTypes = Object.keys(eventDeclarations) as readonly EventType[];

/** What a subscriber or a webhook that names no types gets. */
export const unaskedTypes: readonly EventType[] = eventTypes.filter(
  (type) => eventDeclarations[type].isUnasked,
);

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

/** Of an event about a message. Who reaches some folders gets those of them alone; undefined: the message is in none. */
export interface MessageEventData extends EventData {
  readonly mailbox: MailboxNumber | undefined;
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
