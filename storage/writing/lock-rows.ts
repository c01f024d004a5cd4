/** Locks for a transaction that writes for several agents: first agents, in the order of their numbers, then accounts. Every
 *  transaction keeps to this order, so that two transactions never wait for each other. */
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { Sql } from "../sql.ts";

export async function lockRows(
  tx: Sql,
  rows: { readonly agents: readonly AgentNumber[]; readonly accounts: readonly AccountNumber[] },
): Promise<void> {
  for (const agent of ascending(rows.agents))
    await tx.run("update agent set modseq = modseq where agent_id = ?", agent);
  for (const account of ascending(rows.accounts))
    await tx.run("update account set next_blob_id = next_blob_id where account_id = ?", account);
}

function ascending<N extends number>(numbers: readonly N[]): N[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
