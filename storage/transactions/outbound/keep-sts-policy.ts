import type { StsPolicyRow } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";

/** Policies of other domains that are kept; beyond it those that expire first are deleted. */
const policiesMax = 10_000;

/** Stores the policy of a domain, so that it survives a restart: an attacker who hides the policy once gains nothing until the stored one
 *  expires (RFC 8461 section 10.2). */
export async function keepStsPolicy(tx: Transaction, args: StsPolicyRow & { at: number }): Promise<void> {
  await tx.run(
    `insert into sts_policy (domain, policy_id, mode, mx, expires_at)
    values (?, ?, ?, ?, ?)
    on conflict (domain) do update set
      policy_id = excluded.policy_id, mode = excluded.mode, mx = excluded.mx, expires_at = excluded.expires_at`,
    args.domain,
    args.id,
    args.mode,
    args.mx.join(" "),
    args.expiresAt,
  );
  await tx.run("delete from sts_policy where expires_at < ?", args.at);
  const row = await tx.get<{ count: number }>("select count(*) as count from sts_policy");
  const extra = (row?.count ?? 0) - policiesMax;
  if (extra > 0)
    await tx.run(
      "delete from sts_policy where domain in (select domain from sts_policy order by expires_at, domain limit ?)",
      extra,
    );
}
