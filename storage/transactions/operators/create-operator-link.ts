import { insertion, replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { takeCounter } from "../../writing/counters.ts";

export interface CreateOperatorLink {
  readonly name: string;
  /** SHA-256 of what opens the link. */
  readonly hash: Uint8Array;
  readonly linkExpiresAt: number;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly at: number;
}

/** A link with which the operator of this name signs in to the pages: the last one can be used. Name, scopes and expiry are in a row of
 *  `operator_token` whose hash is that of no token. One that is revoked stays so, and the name gets a new one. */
export async function createOperatorLink(
  tx: Transaction,
  args: CreateOperatorLink,
): Promise<{ operator: number }> {
  const { name, hash, linkExpiresAt, scopes, expiresAt, at } = args;
  const known = await tx.get<{ operator: number }>(
    `select o.operator_token_id as operator
    from operator_token as o
    join operator_link as l on l.operator_token_id = o.operator_token_id
    where o.name = ? and o.revoked_at is null`,
    name,
  );
  const operator = known?.operator ?? (await takeCounter(tx, "operator_token"));
  if (known === undefined)
    await tx.run(
      ...insertion("operator_token", {
        operator_token_id: operator,
        name,
        hash,
        scopes: JSON.stringify(scopes),
        created_at: at,
        expires_at: expiresAt,
        revoked_at: null,
      }),
    );
  else
    await tx.run(
      "update operator_token set hash = ?, scopes = ?, expires_at = ? where operator_token_id = ?",
      hash,
      JSON.stringify(scopes),
      expiresAt,
      operator,
    );
  const link = { operator_token_id: operator, hash, expires_at: linkExpiresAt, used_at: null };
  await tx.run(...replacement("operator_link", link, "operator_token_id"));
  return { operator };
}
