/** Agents and people, and their addresses. */

import type { AccountNumber, AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { AddressRow, AddressTargetRow, AgentRow } from "../../rows.ts";
import { expression, selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

const selectAgent = `
  select ${selectList<AgentRow, "agent" | "account">({
    agent: "agent.agent_id",
    account: "agent.account_id",
    accountState: "account.state",
    kind: "agent.kind",
    name: "agent.name",
    state: "agent.state",
    pausedReason: "agent.paused_reason",
    pausedAt: "agent.paused_at",
    modseq: "agent.modseq",
    logFloor: "agent.log_floor",
    byteCount: "agent.byte_count",
    messageCount: "agent.message_count",
    quotaBytes: "agent.quota_bytes",
    scramSalt: "agent.scram_salt",
    scramIterations: "agent.scram_iterations",
    createdAt: "agent.created_at",
    address: expression(`own.local_part || '@' || own.domain`),
  })}
  from agent
  join account on account.account_id = agent.account_id
  join address as own on own.agent_id = agent.agent_id and own.is_primary = 1`;

export function findAgent(reader: Reader, agent: AgentNumber): Promise<AgentRow | undefined> {
  return reader.get(`${selectAgent} where agent.agent_id = ? and agent.state <> 'deleted'`, agent);
}

/** The agent whose primary address this is. */
export function findAgentByAddress(
  reader: Reader,
  domain: string,
  localPart: string,
): Promise<AgentRow | undefined> {
  return reader.get(
    `${selectAgent} where own.domain = ? and own.local_part = ? and agent.state <> 'deleted'`,
    domain,
    localPart,
  );
}

/** All agents, or those of one account. */
export function listAgents(reader: Reader, account?: AccountNumber): Promise<AgentRow[]> {
  if (account === undefined)
    return reader.all(`${selectAgent} where agent.state <> 'deleted' order by agent.agent_id`);
  return reader.all(
    `${selectAgent} where agent.account_id = ? and agent.state <> 'deleted' order by agent.agent_id`,
    account,
  );
}

const targetColumns = selectList<AddressTargetRow, "address" | "agent">({
  localPart: "address.local_part",
  account: "agent.account_id",
  agent: "agent.agent_id",
  state: "agent.state",
  address: expression("own.local_part || '@' || own.domain"),
  byteCount: "agent.byte_count",
  quotaBytes: "agent.quota_bytes",
});

/** Whom one or two names, and the catch-all if asked for (`*`), lead to in a domain: several for a shared one, none when it is not known. */
export function listAddressTargets(
  reader: Reader,
  domain: string,
  localPart: string,
  otherPart = localPart,
  catchAll = localPart,
): Promise<AddressTargetRow[]> {
  return reader.all(
    `select ${targetColumns}
    from address
    join agent on agent.agent_id = address.agent_id
    join address as own on own.agent_id = agent.agent_id and own.is_primary = 1
    where address.domain = ? and address.local_part in (?, ?, ?) and agent.state <> 'deleted'
    order by agent.agent_id`,
    domain,
    localPart,
    otherPart,
    catchAll,
  );
}

type StoredAddress = Omit<AddressRow, "isPrimary"> & { readonly is_primary: number };

export async function listAddresses(reader: Reader, agent: AgentNumber): Promise<AddressRow[]> {
  const rows = await reader.all<StoredAddress>(
    `select ${selectList<StoredAddress, "address">({
      domain: "address.domain",
      localPart: "address.local_part",
      agent: "address.agent_id",
      is_primary: "address.is_primary",
      createdAt: "address.created_at",
    })}
    from address
    where agent_id = ?
    order by is_primary desc, domain, local_part`,
    agent,
  );
  return rows.map(({ is_primary, ...row }) => ({ ...row, isPrimary: is_primary === 1 }));
}

/** How far the change log of an agent reaches, and from where. */
export function findPosition(
  reader: Reader,
  agent: AgentNumber,
): Promise<{ modseq: Modseq; logFloor: Modseq } | undefined> {
  return reader.get(
    `select modseq, log_floor as "logFloor" from agent where agent_id = ? and state <> 'deleted'`,
    agent,
  );
}
