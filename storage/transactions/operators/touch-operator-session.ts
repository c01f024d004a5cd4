import type { Transaction } from "../../sql.ts";
import { operatorTables, touchSession } from "../../writing/accounts/page-sessions.ts";

export function touchOperatorSession(
  tx: Transaction,
  args: { readonly session: number; readonly at: number },
): Promise<void> {
  return touchSession(tx, operatorTables, args.session, args.at);
}
