import { WaypostError } from "#/src/model/errors.ts";
import type { NewDomainKey } from "../../rows.ts";
import type { Sql } from "../../sql.ts";

export async function insertDomainKeys(
  tx: Sql,
  keys: readonly NewDomainKey[],
  state: "signing" | "next" = "signing",
): Promise<void> {
  for (const key of keys) {
    const inserted = await tx.run(
      `insert into domain_key (domain, selector, algorithm, private_key, created_at, state)
      values (?, ?, ?, ?, ?, ?)
      on conflict do nothing`,
      key.domain,
      key.selector,
      key.algorithm,
      key.privateKey,
      key.createdAt,
      state,
    );
    if (inserted === 0)
      throw new WaypostError("precondition_failed", "The domain has a key of that name", {
        reason: "already_exists",
      });
  }
}
