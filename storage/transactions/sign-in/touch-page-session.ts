import type { Transaction } from "../../sql.ts";
import { personTables, touchSession } from "../../writing/accounts/page-sessions.ts";

export function touchPageSession(
  tx: Transaction,
  args: { readonly session: number; readonly at: number },
): Promise<void> {
  return touchSession(tx, personTables, args.session, args.at);
}
