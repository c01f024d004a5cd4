/** What `storage/schema` says of the columns: that they are all of the schema, and what becomes of them where messages go within a store,
 *  and in a backup. Archives and files of mail: `test/daemon/journeys.test.ts`. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { draftFlag } from "#/src/model/flags.ts";
import { messageProperties } from "#/src/model/message-properties.ts";
import type { Uid } from "#/src/model/numbers.ts";
import { openStore } from "#/storage/open-store.ts";
import { findDraft } from "#/storage/queries/mail/drafts.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import { schema } from "#/storage/schema/schema.ts";
import { openWriting, SqliteSql } from "#/storage/sqlite/connection.ts";
import { beginAnew } from "#/storage/sqlite/restore.ts";
import { openTestDatabase } from "../support/database.ts";
import { writeEverything } from "../support/every-write.ts";
import { itOnSqlite, testFacts } from "../support/store.ts";
import { onlyCarried, openScene, ownProperties, stateOf } from "./message-scene.ts";

it("has every column of the schema, and no other", async () => {
  using test = await openTestDatabase();
  const rows = await test.tx.all<{ table: string; column: string; isNullable: number }>(
    `select m.name as "table", c.name as "column", c."notnull" = 0 and c.pk = 0 as "isNullable"
    from sqlite_master as m join pragma_table_info(m.name) as c
    where m.type = 'table' and m.name not like 'sqlite_%'`,
  );
  const stored = rows.map(({ table, column, isNullable }) => [table, column, isNullable === 1].join());
  const declared = Object.entries(schema).flatMap(([table, columns]) =>
    Object.entries(columns).map(([column, { isNullable }]) => [table, column, isNullable].join()),
  );
  expect(declared.toSorted()).toEqual(stored.toSorted());
});

itOnSqlite("is the same after a backup is put back, where it says so, and otherwise not", async () => {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-columns-"));
  try {
    const store = await openStore({ folder: path.join(top, "store") });
    await writeEverything(store, (name, args) => store.write(nobody, name, args));
    fs.mkdirSync(path.join(top, "copy"));
    await store.backup(path.join(top, "copy", "waypost.db"));
    await store.close();
    const [before, after] = ["store", "copy"].map((name) => openWriting(path.join(top, name)));
    await beginAnew(after!, Date.now());
    const changed: string[] = [];
    for (const [table, columns] of Object.entries(schema))
      for (const [column, { fates }] of Object.entries(columns)) {
        const query = `select ${column} as value from ${table} order by 1`;
        const [was, is] = await Promise.all([before!, after!].map((one) => new SqliteSql(one).column(query)));
        // There is nothing to be seen where no row has a value.
        const isEmpty = was!.every((value) => value === null);
        if (isEmpty || JSON.stringify(was) !== JSON.stringify(is)) changed.push(`${table}.${column}`);
        if (fates.restore === "carried") expect(is, `${table}.${column}`).toEqual(was);
      }
    const declared = Object.entries(schema).flatMap(([table, columns]) =>
      Object.entries(columns).flatMap(([column, { fates }]) =>
        fates.restore === "carried" ? [] : [`${table}.${column}`],
      ),
    );
    expect(declared.filter((one) => !changed.includes(one))).toEqual([]);
    for (const one of [before!, after!]) one.close();
  } finally {
    fs.rmSync(top, { recursive: true });
  }
});

describe("a message with a value of its own in every column", () => {
  it("keeps them in a copy and in a transfer to another owner", async () => {
    await using scene = await openScene();
    const { store, ada, bob, source, at } = scene;
    const uids = [[1, 1]] as const;
    const archive = (await findMailboxByName(store, ada.agent, "Archive"))!.mailbox;
    await store.write(nobody, "copyMessages", {
      ...{ agent: ada.agent, source: ada.inbox, target: archive, uids, actor: nobody, at },
    });
    await store.write(nobody, "transferMessages", {
      source: { agent: ada.agent, mailbox: ada.inbox, actor: nobody },
      target: { agent: bob.agent, mailbox: bob.inbox, actor: nobody },
      ...{ uids, isMove: false, threadKeys: [], at },
    });
    const copy = await stateOf(store, ada.agent, archive);
    const transferred = await stateOf(store, bob.agent, bob.inbox);
    for (const [journey, arrived] of [
      ["copy", copy],
      ["transfer", transferred],
    ] as const)
      expect(onlyCarried(arrived, journey), journey).toEqual(onlyCarried(source, journey));
  });

  it("keeps them in a new version of a draft", async () => {
    await using scene = await openScene();
    const { store, ada, message, at } = scene;
    const drafts = (await findMailboxByName(store, ada.agent, "Drafts"))!.mailbox;
    const made = await store.write(nobody, "createDraft", { agent: ada.agent, message, options: "{}", at });
    const uids = [[1, 1]] as const;
    await store.write(nobody, "storeFlags", {
      ...{ agent: ada.agent, mailbox: drafts, uids, mode: "add", flags: 2 | draftFlag, keywords: ["Own"] },
      ...{ actor: nobody, at },
    });
    await store.write(nobody, "updateMessages", {
      ...{ agent: ada.agent, messages: [made.message], properties: ownProperties, actor: nobody, at },
    });
    const before = await stateOf(store, ada.agent, drafts);
    await store.write(nobody, "updateDraft", {
      ...{ agent: ada.agent, draft: made.draft, options: "{}", at: at + 1 },
      version: (await findDraft(store, ada.agent, made.draft))!.version,
      message: { ...message, facts: await testFacts("Another.\r\n", { subject: "Another" }) },
    });
    const after = await stateOf(store, ada.agent, drafts);
    expect(after.message!.subject).toBe("Another");
    expect(onlyCarried(after, "draftVersion")).toEqual(onlyCarried(before, "draftVersion"));
  });
});

it("keeps what was set on a message when REPLACE puts another in its place", async () => {
  await using scene = await openScene();
  const { store, ada, source, at, message } = scene;
  const replacing = { ...message, flags: 0, keywords: [], internalDate: 8 };
  for (const [uid, target] of [
    [1, ada.inbox],
    [2, (await findMailboxByName(store, ada.agent, "Archive"))!.mailbox],
  ] as const) {
    const args = { agent: ada.agent, source: ada.inbox, uid: uid as Uid, target, actor: nobody, at };
    await store.write(nobody, "replaceMessage", { ...args, message: replacing });
    const { message: replaced } = await stateOf(store, ada.agent, target);
    for (const column of Object.keys(messageProperties.newColumns({})))
      expect(replaced![column], column).toBe(source.message![column]);
  }
  const drafts = (await findMailboxByName(store, ada.agent, "Drafts"))!.mailbox;
  const given = messageProperties.stored(
    messageProperties.forEachForm({ name: "New", text: "New", number: 8, flag: false, time: 8 }),
  );
  for (const target of [drafts, ada.inbox]) {
    const args = { agent: ada.agent, actor: nobody, at };
    await store.write(nobody, "appendMessages", {
      ...{ ...args, mailbox: target },
      messages: [{ ...replacing, properties: ownProperties }],
    });
    const entry = await store.get<{ uid: Uid }>(
      "select max(uid) as uid from entry where agent_id = ? and mailbox_id = ?",
      ada.agent,
      target,
    );
    await store.write(nobody, "replaceMessage", {
      ...{ ...args, source: target, uid: entry!.uid, target },
      message: { ...replacing, properties: given },
    });
    const { message: replaced } = await stateOf(store, ada.agent, target);
    for (const [column, value] of messageProperties.inColumns(given))
      expect(replaced![column], column).toBe(value);
  }
});
