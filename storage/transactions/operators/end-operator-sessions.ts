import type { Transaction } from "../../sql.ts";
import { endSessions, operatorTables, type WhichSessions } from "../../writing/accounts/page-sessions.ts";

/** Ends sessions of one operator. */
export function endOperatorSessions(
  tx: Transaction,
  args: WhichSessions & { readonly operator: number },
): Promise<{ ended: number }> {
  return endSessions(tx, operatorTables, args.operator, args);
}
