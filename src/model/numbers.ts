/** Internal numbers: what rows are keyed by. They never leave the process; outside, an object has an id (`ids.ts`). */

declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

export type AccountNumber = Branded<number, "account">;
export type AgentNumber = Branded<number, "agent">;
/** Object numbers come from the agent's one counter, so they are unique inside an agent over all kinds. */
export type MailboxNumber = Branded<number, "mailbox">;
export type MessageNumber = Branded<number, "message">;
export type ThreadNumber = Branded<number, "thread">;
export type CollectionNumber = Branded<number, "collection">;
/** Of an event, a task, a contact: whatever is one resource of a collection. */
export type ItemNumber = Branded<number, "item">;
export type FileNumber = Branded<number, "file">;
/** Numbered by the account, so that the recipients of one message in one account share its bytes. */
export type BlobNumber = Branded<number, "blob">;
/** RFC 9051 section 2.3.1.1. */
export type Uid = Branded<number, "uid">;
/** RFC 7162 section 3.1.1. Also the position in the change log and the number of the change. */
export type Modseq = Branded<number, "modseq">;
