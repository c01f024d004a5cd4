/** What an app password may do, as JSON. Passwords from before have null: everything that a mail client does. */
import type { Sql } from "../sql.ts";

export async function passwordScopes(tx: Sql): Promise<void> {
  await tx.run("alter table app_password add column scopes text");
}
