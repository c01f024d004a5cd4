import { WaypostError } from "#/src/model/errors.ts";
import type { Transaction } from "../../sql.ts";
import { assertPageOperator } from "../../writing/accounts/operators.ts";
import {
  insertPasskey,
  insertSession,
  type NewPageSession,
  type NewPasskey,
  operatorTables,
  type SpentChallenge,
  spendChallenge,
} from "../../writing/accounts/page-sessions.ts";

export interface UseOperatorLink {
  /** SHA-256 of what opens it. */
  readonly hash: Uint8Array;
  readonly session: NewPageSession;
  readonly passkey: NewPasskey & { readonly challenge: SpentChallenge };
  readonly at: number;
}

/** Spends a link: the operator has a passkey and a session. Throws `unauthorized`, the same for an unknown, a used and an expired one. */
export async function useOperatorLink(
  tx: Transaction,
  { hash, session, passkey, at }: UseOperatorLink,
): Promise<{ operator: number; session: number }> {
  const row = await tx.get<{ operator: number }>(
    `update operator_link
    set used_at = ?
    where hash = ? and used_at is null and expires_at > ?
    returning operator_token_id as operator`,
    at,
    hash,
    at,
  );
  if (row === undefined) throw new WaypostError("unauthorized", "The link is unknown, used or expired.");
  const { operator } = row;
  await assertPageOperator(tx, operator, at);
  await spendChallenge(tx, passkey.challenge);
  await insertPasskey(tx, operatorTables, operator, passkey, at);
  return { operator, session: await insertSession(tx, operatorTables, operator, session, at) };
}
