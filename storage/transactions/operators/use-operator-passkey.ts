import type { Transaction } from "../../sql.ts";
import { assertPageOperator } from "../../writing/accounts/operators.ts";
import {
  insertSession,
  type NewPageSession,
  notePasskeyUse,
  operatorTables,
  type PasskeyUse,
} from "../../writing/accounts/page-sessions.ts";

export interface UseOperatorPasskey extends PasskeyUse {
  /** Of a sign-in. */
  readonly session?: NewPageSession | undefined;
}

/** Records that a passkey of an operator has answered a challenge, and begins what that allows. */
export async function useOperatorPasskey(
  tx: Transaction,
  args: UseOperatorPasskey,
): Promise<{ operator: number; session: number | null }> {
  const operator = await notePasskeyUse(tx, operatorTables, args);
  await assertPageOperator(tx, operator, args.at);
  const session =
    args.session === undefined
      ? null
      : await insertSession(tx, operatorTables, operator, args.session, args.at);
  return { operator, session };
}
