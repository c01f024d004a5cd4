/** The TLS policies of other domains (MTA-STS, RFC 8461), which are kept after a restart. */
import type { Sql } from "../sql.ts";

export async function stsPolicies(tx: Sql): Promise<void> {
  await tx.run(`create table sts_policy (
    domain text not null primary key,
    policy_id text not null,
    mode text not null,
    mx text not null,
    expires_at bigint not null)`);
}
