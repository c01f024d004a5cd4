/** Marks of the names of header fields that are not among the list fields of a message: a field that has no mark is not in its header. Mail
 *  that has its list fields already has no marks, and is read from the header as before. */
import type { Sql } from "../sql.ts";

export async function otherFields(tx: Sql): Promise<void> {
  await tx.run("alter table message add column other_fields text");
}
