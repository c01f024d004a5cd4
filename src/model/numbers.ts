/** Internal numbers, used as keys of rows. Clients never see them; they see the ids of `ids.ts`. */

declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

export type AccountNumber = Branded<number, "account">;
export type AgentNumber = Branded<number, "agent">;
/** Object numbers come from one counter for each agent, so they are unique inside an agent over all kinds. */
export type MailboxNumber = Branded<number, "mailbox">;
export type MessageNumber = Branded<number, "message">;
export type ThreadNumber = Branded<number, "thread">;
export type CollectionNumber = Branded<number, "collection">;
/** The number of an item: an event, a task, a contact, or any other resource of a collection. */
export type ItemNumber = Branded<number, "item">;
export type FileNumber = Branded<number, "file">;
/** Blobs are numbered by account, so that the recipients of one message in one account share its bytes. */
export type BlobNumber = Branded<number, "blob">;
/** The UID of a message in its mailbox (RFC 9051 section 2.3.1.1). */
export type Uid = Branded<number, "uid">;
/** MODSEQ (RFC 7162 section 3.1.1). It is also the position in the change log and the number of the change. */
export type Modseq = Branded<number, "modseq">;
