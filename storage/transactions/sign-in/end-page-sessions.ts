import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { endSessions, personTables, type WhichSessions } from "../../writing/accounts/page-sessions.ts";

/** Ends sessions of one person. */
export function endPageSessions(
  tx: Transaction,
  args: WhichSessions & { readonly agent: AgentNumber },
): Promise<{ ended: number }> {
  return endSessions(tx, personTables, args.agent, args);
}
