import type { AgentNumber, Modseq } from "./numbers.ts";

/** One row of the change log: what one transaction did to the children of one parent.
 *
 *  kind `entry`: parent is the mailbox, ids are UIDs. kind `mailbox`: parent is 0, ids are mailbox numbers.
 *  kind `event`: parent is 0, ids hold one message number, and `event` says what happened to it ("Events" of the
 *  interface). kind `submission`: ids hold the number of mail that was put into the queue; kind `upload`: of a blob that waits to be
 *  attached. kind `metadata`: parent is the mailbox or 0 for the server, ids hold who sees the annotations (0: all who see the
 *  mailbox), data their names. The log is the one clock of IMAP MODSEQ, the DAV sync-token and the cursor of `wait` and `watch`. */
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
  /** JSON: of an event what it says beyond its type and message, never a word that an attacker wrote. */
  readonly data: string | null;
}

export type ChangeKind = "entry" | "mailbox" | "event" | "submission" | "upload" | "metadata";
export type ChangeOperation = "add" | "update" | "remove";

export const eventTypes = [
  "mail.received",
  "mail.sent",
  "mail.held",
  "mail.declined",
  "mail.delivered",
  "mail.delayed",
  "mail.bounced",
] as const;
export type EventType = (typeof eventTypes)[number];

/** What a commit rings the doorbell with: no content, only how far the log of an agent now reaches. */
export interface Touched {
  readonly agent: AgentNumber;
  readonly modseq: Modseq;
}
