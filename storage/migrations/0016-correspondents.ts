/** Correspondents by address too: at public mail providers a domain says nothing. */
import type { Sql } from "../sql.ts";

const statements = [
  "alter table correspondent_domain rename to correspondent",
  "alter table correspondent rename column domain to name",
];

export async function correspondents(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
