import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

/** Networks of one agent that are kept; beyond it the least recently used are deleted. */
const networksMax = 50;

/** Stores the network from which an agent logs in. Does nothing for an agent that was deleted meanwhile. */
export async function keepFamiliarNetwork(
  tx: Transaction,
  args: { agent: AgentNumber; network: string; at: number },
): Promise<void> {
  await tx.run(
    `insert into familiar_network (agent_id, network, used_at)
    select agent_id, ?, ? from agent where agent_id = ? and state <> 'deleted'
    on conflict (agent_id, network) do update set used_at = excluded.used_at`,
    args.network,
    args.at,
    args.agent,
  );
  await tx.run(
    `delete from familiar_network
    where agent_id = ? and network not in (
      select network from familiar_network where agent_id = ? order by used_at desc, network limit ?)`,
    args.agent,
    args.agent,
    networksMax,
  );
}
