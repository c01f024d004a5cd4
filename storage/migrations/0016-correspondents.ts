/** Correspondents by address in addition to domain: at a public mail provider the domain does not identify anybody. */
import type { Sql } from "../sql.ts";

const statements = [
  "alter table correspondent_domain rename to correspondent",
  "alter table correspondent rename column domain to name",
];

export async function correspondents(tx: Sql): Promise<void> {
  for (const statement of statements) await tx.run(statement);
}
