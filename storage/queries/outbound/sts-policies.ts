import type { StsPolicyRow } from "../../rows.ts";
import type { Reader } from "../../sql.ts";

export async function findStsPolicy(reader: Reader, domain: string): Promise<StsPolicyRow | undefined> {
  const row = await reader.get<Omit<StsPolicyRow, "mx"> & { readonly mx: string }>(
    `select domain, policy_id as id, mode, mx, expires_at as "expiresAt" from sts_policy where domain = ?`,
    domain,
  );
  return row && { ...row, mx: row.mx === "" ? [] : row.mx.split(" ") };
}
