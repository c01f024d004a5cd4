import type { Transaction } from "../../sql.ts";
import { deletePasskey, operatorTables } from "../../writing/accounts/page-sessions.ts";

/** Removes one of several passkeys of an operator. */
export function removeOperatorPasskey(
  tx: Transaction,
  args: { readonly operator: number; readonly passkey: number },
): Promise<void> {
  return deletePasskey(tx, operatorTables, args.operator, args.passkey);
}
