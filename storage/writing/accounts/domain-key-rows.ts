import { WaypostError } from "#/src/model/errors.ts";
import type { NewDomainKey } from "../../rows.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql } from "../../sql.ts";

export async function insertDomainKeys(
  tx: Sql,
  keys: readonly NewDomainKey[],
  state: "signing" | "next" = "signing",
): Promise<void> {
  for (const key of keys) {
    const inserted = await tx.run(
      ...insertion(
        "domain_key",
        {
          domain: key.domain,
          selector: key.selector,
          algorithm: key.algorithm,
          private_key: key.privateKey,
          created_at: key.createdAt,
          state,
          retired_at: null,
        },
        "on conflict do nothing",
      ),
    );
    if (inserted === 0)
      throw new WaypostError("precondition_failed", "The domain has a key of that name", {
        reason: "already_exists",
      });
  }
}
