/** Rows of `author_key`: whose mail has come to a mailbox, and to whom a person has written from it. */
import { presenceKey, seenKey, writtenKeys } from "#/src/model/likeness.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql } from "../../sql.ts";

/** Mail of this author has come; the first one counts. */
export async function noteAuthor(tx: Sql, agent: AgentNumber, address: string, at: number): Promise<void> {
  await tx.send(
    ...insertion(
      "author_key",
      { agent_id: agent, name: seenKey, address, since: at },
      "on conflict do nothing",
    ),
  );
}

/** A person has written to these addresses. */
export async function noteWrittenTo(
  tx: Sql,
  agent: AgentNumber,
  addresses: readonly string[],
  at: number,
): Promise<void> {
  for (const address of addresses) {
    const domain = address.slice(address.lastIndexOf("@") + 1);
    const present = await tx.get(
      "select 1 as found from author_key where agent_id = ? and name = ? limit 1",
      agent,
      presenceKey(domain),
    );
    const rows = writtenKeys(address, present === undefined).map((name) => ({
      agent_id: agent,
      name,
      address,
      since: at,
    }));
    await tx.run(...insertion("author_key", rows, "on conflict do nothing"));
  }
}
