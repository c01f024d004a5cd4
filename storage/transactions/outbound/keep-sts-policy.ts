import type { StsPolicyRow } from "../../rows.ts";
import { replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

/** Policies of other domains that are kept; beyond it those that expire first are deleted. */
const policiesMax = 10_000;

/** Stores the policy of a domain, so that it survives a restart: an attacker who hides the policy once gains nothing until the stored one
 *  expires (RFC 8461 section 10.2). */
export async function keepStsPolicy(tx: Transaction, args: StsPolicyRow & { at: number }): Promise<void> {
  await tx.run(
    ...replacement(
      "sts_policy",
      {
        domain: args.domain,
        policy_id: args.id,
        mode: args.mode,
        mx: args.mx.join(" "),
        expires_at: args.expiresAt,
      },
      "domain",
    ),
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
