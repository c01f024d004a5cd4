/** Keys that sign, and what other domains ask of those who send to them. */
import type { DomainKeyRow, StsPolicyRow } from "../rows.ts";
import type { Reader } from "../sql.ts";

/** Of one domain, the newest first. */
export function listDomainKeys(reader: Reader, domain: string): Promise<DomainKeyRow[]> {
  return reader.all(
    `select domain, selector, algorithm, private_key as "privateKey", created_at as "createdAt"
    from domain_key
    where domain = ?
    order by created_at desc, algorithm desc`,
    domain,
  );
}

export async function findStsPolicy(reader: Reader, domain: string): Promise<StsPolicyRow | undefined> {
  const row = await reader.get<Omit<StsPolicyRow, "mx"> & { readonly mx: string }>(
    `select domain, policy_id as id, mode, mx, expires_at as "expiresAt" from sts_policy where domain = ?`,
    domain,
  );
  return row && { ...row, mx: row.mx === "" ? [] : row.mx.split(" ") };
}
