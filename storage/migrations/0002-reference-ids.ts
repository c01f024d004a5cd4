/** The identifiers that THREAD=REFERENCES (RFC 5256) uses, stored with the message, so that the threads of a large mailbox are found
 *  without reading headers. Older messages have none here; theirs are read from the header. */
import type { Sql } from "../sql.ts";

export async function referenceIds(tx: Sql): Promise<void> {
  await tx.run("alter table message add column reference_ids text");
}
