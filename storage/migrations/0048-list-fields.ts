/** The header fields that mail programs show in their lists, stored with the message, so that a list reads no header block. Older messages
 *  have none here until they are looked at in turn (`fill-list-fields.ts`); until then theirs are read from the header. */
import type { Sql } from "../sql.ts";

export async function listFields(tx: Sql): Promise<void> {
  await tx.run("alter table message add column list_fields text");
}
