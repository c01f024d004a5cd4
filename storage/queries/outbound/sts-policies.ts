import type { StsPolicyRow } from "../../rows.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

type StoredPolicy = Omit<StsPolicyRow, "mx"> & { readonly mx: string };

export async function findStsPolicy(reader: Reader, domain: string): Promise<StsPolicyRow | undefined> {
  const row = await reader.get<StoredPolicy>(
    `select ${selectList<StoredPolicy, "sts_policy">({
      domain: "sts_policy.domain",
      id: "sts_policy.policy_id",
      mode: "sts_policy.mode",
      mx: "sts_policy.mx",
      expiresAt: "sts_policy.expires_at",
    })}
    from sts_policy where domain = ?`,
    domain,
  );
  return row && { ...row, mx: row.mx === "" ? [] : row.mx.split(" ") };
}
