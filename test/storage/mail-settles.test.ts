/** No write of mail bypasses the approver: only the mail part of a transaction changes entries, and it always ends by settling holds and
 *  scheduled mail. */

import fs from "node:fs";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { type Mutation, transactions } from "#/storage/transactions/index.ts";
import { beginAgentTransaction } from "#/storage/writing/agent-transaction.ts";
import { selectEntries } from "#/storage/writing/mail/entry-rows.ts";
import { mailOf } from "#/storage/writing/mail/mail.ts";
import { MailWrite } from "#/storage/writing/mail/mail-write.ts";
import { openTestDatabase } from "../support/database.ts";
import { type Write, writeEverything } from "../support/every-write.ts";

it("settles the mail of every agent whose entries a named write changes", async () => {
  using made = await openTestDatabase();
  const { database, tx } = made;
  database.exec("create temp table changed (agent bigint not null)");
  for (const [action, row] of [
    ["insert", "new"],
    ["update", "new"],
    ["delete", "old"],
  ])
    database.exec(
      `create temp trigger changed_${action} after ${action} on main.entry
      begin insert into changed (agent) values (${row}.agent_id); end`,
    );
  const settle = vi.spyOn(MailWrite.prototype, "settle");
  const changing = new Set<string>();
  const unsettled: string[] = [];
  const write = async (name: keyof typeof transactions, args: unknown) => {
    settle.mockClear();
    database.exec("delete from changed; begin");
    const result = await (transactions[name] as Mutation)(tx, args).finally(() => database.exec("commit"));
    const agents = database.prepare("select distinct agent from changed").all() as { agent: number }[];
    const settled = settle.mock.contexts.map((mail) => (mail as MailWrite).transaction.agent as number);
    if (agents.length > 0) changing.add(name);
    for (const { agent } of agents) if (!settled.includes(agent)) unsettled.push(`${name}: agent ${agent}`);
    return result;
  };
  try {
    await writeEverything(tx, write as Write);
  } finally {
    settle.mockRestore();
  }
  expect(unsettled).toEqual([]);
  expect([...changing]).toEqual(
    expect.arrayContaining(["deliverMessage", "storeFlags", "expungeMessages", "releaseHold"]),
  );
});

it("settles mail that another part of the transaction changes, and accepts no change after that", async () => {
  using made = await openTestDatabase();
  const { tx } = made;
  await writeEverything(tx, made.write);
  const { agent, mailbox } = (await tx.get<{ agent: AgentNumber; mailbox: MailboxNumber }>(
    `select entry.agent_id as agent, mailbox_id as mailbox
    from entry
    join agent on agent.agent_id = entry.agent_id and agent.state <> 'deleted'
    limit 1`,
  ))!;
  const [entry] = await selectEntries(tx, agent, mailbox, undefined);
  const order: string[] = [];
  const settle = vi.spyOn(MailWrite.prototype, "settle");
  try {
    const write = await beginAgentTransaction(tx, agent, Date.UTC(2026, 5, 1), nobody);
    write.part(() => ({
      async settle() {
        const mail = mailOf(write);
        mail.touchEntry(await mail.mailbox(mailbox), entry!);
        order.push("other");
      },
      listChanges: () => [],
      async write() {
        order.push(`written after ${settle.mock.calls.length} settled`);
      },
    }));
    await write.finish();
    expect(order).toEqual(["other", "written after 1 settled"]);
    await expect(async () =>
      mailOf(write).touchEntry(await mailOf(write).mailbox(mailbox), entry!),
    ).rejects.toThrow("after it was settled");
  } finally {
    settle.mockRestore();
  }
});

it("allows only MailWrite to write rows of entries, and only mailOf to make a MailWrite", () => {
  const users = (pattern: RegExp): string[] =>
    sources().flatMap(({ name, text }) => (pattern.test(text) ? [name] : []));
  expect(users(/\b(insert into|update|delete from) entry\b/)).toEqual(["writing/mail/entry-rows.ts"]);
  expect(users(/\b(insertEntries|updateEntries|deleteEntries)\(/)).toEqual([
    "sweep.ts", // What deleted agents leave behind.
    "writing/mail/entry-rows.ts",
    "writing/mail/mail-write.ts",
  ]);
  expect(users(/new MailWrite\(/)).toEqual(["writing/mail/mail.ts"]);
});

/** The product's own SQL, without what made the schema of older stores. */
function sources(): { name: string; text: string }[] {
  const folder = new URL("../../storage", import.meta.url).pathname;
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("migrations/"))
    .sort()
    .map((name) => ({ name, text: fs.readFileSync(path.join(folder, name), "utf8") }));
}
