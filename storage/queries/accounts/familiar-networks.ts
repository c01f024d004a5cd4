import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Reader } from "../../sql.ts";

/** When the agent last logged in from the network, if that is still stored. */
export async function findFamiliarNetwork(
  reader: Reader,
  agent: AgentNumber,
  network: string,
): Promise<number | undefined> {
  const row = await reader.get<{ readonly usedAt: number }>(
    `select used_at as "usedAt" from familiar_network where agent_id = ? and network = ?`,
    agent,
    network,
  );
  return row?.usedAt;
}
