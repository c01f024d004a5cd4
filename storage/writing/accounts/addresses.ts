/** Rows of `address`. Several agents may share an address; mail to it is delivered to each. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql } from "../../sql.ts";

export interface NewAddress {
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
  readonly domain: string;
  readonly localPart: string;
  readonly isPrimary: boolean;
  readonly at: number;
}

export async function insertAddress(tx: Sql, address: NewAddress): Promise<void> {
  const domain = await tx.get<{ account: AccountNumber }>(
    "select account_id as account from domain where name = ?",
    address.domain,
  );
  if (domain === undefined || domain.account !== address.account)
    throw new WaypostError("not_found", "The account has no such domain");
  const created = await tx.run(
    ...insertion(
      "address",
      {
        domain: address.domain,
        local_part: address.localPart,
        agent_id: address.agent,
        is_primary: address.isPrimary ? 1 : 0,
        created_at: address.at,
      },
      "on conflict do nothing",
    ),
  );
  if (created === 0)
    throw new WaypostError("invalid", "The agent has this address", { reason: "already_exists" });
}

export async function assertAgent(tx: Sql, agent: AgentNumber): Promise<void> {
  const found = await tx.get("select 1 as found from agent where agent_id = ? and state <> 'deleted'", agent);
  if (found === undefined) throw new WaypostError("not_found", "There is no such agent");
}
