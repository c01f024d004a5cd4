/** What the sender of a mail in the queue requires of TLS (RFC 8689); null: nothing. */
import type { Sql } from "../sql.ts";

export async function tlsWishes(tx: Sql): Promise<void> {
  await tx.run("alter table submission add column tls_wish text");
}
