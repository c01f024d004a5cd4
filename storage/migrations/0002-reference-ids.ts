/** The identifiers that THREAD=REFERENCES (RFC 5256) goes by, beside the message: a thread tree of a large mailbox is made
 *  without reading a header. Messages from before have none here; theirs are read from the header. */
import type { Sql } from "../sql.ts";

export async function referenceIds(tx: Sql): Promise<void> {
  await tx.run("alter table message add column reference_ids text");
}
