/** The tables with rows of an agent: their list is complete, and a deleted agent leaves no row in any of them. */
import { expect, it } from "vitest";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { agentTableNames } from "#/storage/kinds.ts";
import type { Reader } from "#/storage/sql.ts";
import { SweepState } from "#/storage/sweep.ts";
import { openTestDatabase } from "../support/database.ts";
import { writeEverything } from "../support/every-write.ts";

it("lists every table of the schema that has rows of an agent", async () => {
  using test = await openTestDatabase();
  const tables = await test.tx.column<string>(
    `select m.name
    from sqlite_master as m join pragma_table_info(m.name) as c on c.name = 'agent_id'
    where m.type = 'table' and m.name <> 'agent'`,
  );
  expect(agentTableNames.toSorted()).toEqual(tables.toSorted());
});

it("leaves no row in any table when agents are deleted and swept", async () => {
  using test = await openTestDatabase();
  const { tx, write } = test;
  await writeEverything(tx, write);
  await requestOnce(tx.run.bind(tx));
  const { agents } = (await tx.get<{ agents: number }>("select count(*) as agents from agent"))!;
  expect(agents).toBeGreaterThan(2);
  for (const agent of await tx.column<AgentNumber>("select agent_id from agent where state <> 'deleted'"))
    await write("deleteAgent", { agent });
  const sweep = new SweepState();
  while (await sweep.sweep(tx));
  expect(await tablesWithRows(tx)).toEqual([]);
  expect(await tx.column("select agent_id from agent")).toEqual([]);
  expect(await checkStore(tx)).toEqual([]);
});

it("check finds rows of a missing agent in every table", async () => {
  using test = await openTestDatabase();
  const { tx, write } = test;
  await writeEverything(tx, write);
  await requestOnce(tx.run.bind(tx));
  expect(await tablesWithRows(tx)).toEqual(agentTableNames);
  await tx.run("delete from agent");
  const findings = await checkStore(tx);
  for (const table of agentTableNames)
    expect(findings.join("\n")).toMatch(
      new RegExp(`(a row of ${table}|^${table} .*) (belongs|leads) to agent`, "m"),
    );
});

async function tablesWithRows(tx: Reader): Promise<string[]> {
  const found: string[] = [];
  for (const table of agentTableNames)
    if ((await tx.get(`select 1 as found from ${table} limit 1`)) !== undefined) found.push(table);
  return found;
}

/** What a request with a key leaves behind; no named write alone does that. */
async function requestOnce(run: (query: string) => Promise<number>): Promise<void> {
  await run(
    `insert into idempotency
    select agent_id, 'key', 'folder.create', x'00', '{}', 9999999999999 from agent limit 1`,
  );
}
