/** Rows of `owner_key`: by which name and addresses a mailbox of an account may be meant (`src/model/likeness.ts`). */
import { ownerKeys } from "#/src/model/likeness.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql } from "../../sql.ts";

/** After each change of its name or addresses. */
export async function replaceOwnerKeys(tx: Sql, agent: AgentNumber): Promise<void> {
  await tx.run("delete from owner_key where agent_id = ?", agent);
  const owner = await tx.get<{ account: AccountNumber; name: string }>(
    "select account_id as account, name from agent where agent_id = ?",
    agent,
  );
  if (owner === undefined) return;
  const addresses = await tx.column<string>(
    "select local_part || '@' || domain from address where agent_id = ? and local_part <> '*' order by 1 limit 100",
    agent,
  );
  const keys = ownerKeys(owner.name, addresses);
  for (let first = 0; first < keys.length; first += rowsPerInsert)
    await tx.run(
      ...insertion(
        "owner_key",
        keys
          .slice(first, first + rowsPerInsert)
          .map((name) => ({ agent_id: agent, name, account_id: owner.account })),
      ),
    );
}

const rowsPerInsert = 100;
