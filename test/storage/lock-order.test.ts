import { expect, it } from "vitest";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { agentsOf, isOfNamedAgents } from "#/storage/transactions/agents-of.ts";
import { transactions } from "#/storage/transactions/index.ts";
import { runWrite } from "#/storage/transactions/run-write.ts";
import { openTestDatabase } from "../support/database.ts";
import { type Write, writeEverything } from "../support/every-write.ts";

interface Lock {
  readonly kind: "agent" | "account";
  readonly number: number;
}

it("locks agents in the order of their numbers, and then accounts, in every named write", async () => {
  using test = await openTestDatabase();
  const { database, tx } = test;
  // A row that a write updates or deletes stays locked until the write ends. Nobody waits for rows that it inserts.
  database.exec("create temp table lock (kind text not null, number bigint not null)");
  for (const kind of ["agent", "account"])
    for (const action of ["update", "delete"])
      database.exec(
        `create temp trigger lock_${kind}_${action} after ${action} on main.${kind}
        begin insert into lock (kind, number) values ('${kind}', old.${kind}_id); end`,
      );
  const orders = new Map<string, Set<string>>();
  const disorders: string[] = [];
  const write = async (name: keyof typeof transactions, args: unknown) => {
    database.exec("delete from lock; begin");
    const result = await runWrite(tx, name, args, 0).finally(() => database.exec("commit"));
    const locks = firstOfEach(
      database.prepare("select kind, number from lock order by rowid").all() as Lock[],
    );
    const order = locks.map(({ kind, number }) => `${kind} ${number}`).join(", ");
    orders.set(name, (orders.get(name) ?? new Set()).add(order));
    if (isOfNamedAgents(name)) {
      const named = agentsOf(args);
      const others = locks.filter(
        ({ kind, number }) => kind === "agent" && !named.includes(number as AgentNumber),
      );
      if (others.length > 0) disorders.push(`${name} locks an agent that it does not name: ${order}`);
    }
    const sorted = locks.toSorted(
      (a, b) => Number(a.kind === "account") - Number(b.kind === "account") || a.number - b.number,
    );
    if (locks.some((lock, index) => lock !== sorted[index])) disorders.push(`${name}: ${order}`);
    return result;
  };
  await writeEverything(tx, write as Write);
  expect(disorders).toEqual([]);
  expect([...orders.keys()].sort()).toEqual(Object.keys(transactions).sort());
  expect(orders.get("deliverMessage")).toContain("agent 1, agent 2, agent 3, agent 4, account 1, account 2");
});

/** A row that is locked already is not waited for. */
function firstOfEach(locks: readonly Lock[]): Lock[] {
  return locks.filter(
    ({ kind, number }, index) =>
      index === locks.findIndex((lock) => lock.kind === kind && lock.number === number),
  );
}
