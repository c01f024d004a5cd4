import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { endSessions, personTables, type WhichSessions } from "../../writing/accounts/page-sessions.ts";
import { wakeAgent } from "../../writing/wake-agent.ts";

/** Ends sessions of one person. Listeners are called, so that streams of these sessions end. */
export async function endPageSessions(
  tx: Transaction,
  args: WhichSessions & { readonly agent: AgentNumber },
): Promise<{ ended: number }> {
  const ended = await endSessions(tx, personTables, args.agent, args);
  await wakeAgent(tx, args.agent);
  return ended;
}
