/** Every named write leaves its author where it says: in the change log of a mailbox, or in the log of access. */
import { expect, it } from "vitest";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { authorOfRow } from "#/storage/author-row.ts";
import { listAccessChanges, listAccessChangesOf } from "#/storage/queries/access-changes.ts";
import type { Store } from "#/storage/store.ts";
import * as mailboxWrites from "#/storage/transactions/mailbox-writes.ts";
import { recorded } from "#/storage/transactions/recorded.ts";
import * as upkeepWrites from "#/storage/transactions/upkeep-writes.ts";
import { everyAuthor, type Write, writeEverything } from "../support/every-write.ts";
import { openTestStore } from "../support/store.ts";

const everything = { before: Number.MAX_SAFE_INTEGER, since: 0, limit: 1000 };

/** Writes that find nothing to change in the life of the small store. */
const unchanged = ["emptyMailbox", "placeScheduled"];

async function countAuthored(store: Store): Promise<number> {
  const row = await store.get<{ count: number }>(
    "select coalesce(sum(modseq), 0) as count from change where by_kind is not null",
  );
  return row!.count;
}

it("in the log that it names, and in no other", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const inMailbox = new Set<string>();
  const wrong: string[] = [];
  const write: Write = async (name, args) => {
    const before = {
      access: (await listAccessChanges(store, everything)).length,
      mailbox: await countAuthored(store),
    };
    const result = await store.write(everyAuthor, name, args);
    const access = await listAccessChanges(store, everything);
    if ((await countAuthored(store)) > before.mailbox) inMailbox.add(name);
    const added = access.slice(0, access.length - before.access);
    const isAccess = name in recorded;
    if (added.length !== (isAccess ? 1 : 0)) wrong.push(`${name}: ${added.length}`);
    for (const row of added) {
      expect(row).toMatchObject({ write: name, at: store.clock.now() });
      expect(authorOfRow(row.by!)).toEqual(everyAuthor);
    }
    return result as never;
  };
  await writeEverything(store, write);
  expect(wrong).toEqual([]);
  expect(Object.keys(mailboxWrites).filter((name) => !inMailbox.has(name))).toEqual(unchanged);
  expect(Object.keys(upkeepWrites).filter((name) => inMailbox.has(name))).toEqual([]);
});

it("for the owner and the holder of a grant, also after they are deleted", async () => {
  await using test = await openTestStore();
  const { store } = test;
  let grant: { agent: AgentNumber; targetAgent: AgentNumber } | undefined;
  await writeEverything(store, (name, args) => {
    if (name === "createGrant") grant = args as never;
    return store.write(everyAuthor, name, args);
  });
  for (const agent of [grant!.agent, grant!.targetAgent]) {
    const rows = await listAccessChangesOf(store, agent, everything);
    expect(rows.map(({ write }) => write)).toEqual(expect.arrayContaining(["createGrant", "createAgent"]));
    expect(rows.map(({ change }) => change)).toEqual(
      rows.map(({ change }) => change).toSorted((a, b) => b - a),
    );
  }
});

it("and is deleted from the log of access when it is old", async () => {
  await using test = await openTestStore();
  const { store, clock } = test;
  await store.write(everyAuthor, "createAccount", { name: "old", at: 0 });
  clock.advance(10 * 86_400_000);
  await store.write(everyAuthor, "createAccount", { name: "new", at: 0 });
  await store.maintain({ changesMs: 0, auditMs: 86_400_000 });
  expect((await listAccessChanges(store, everything)).map(({ object }) => object)).toEqual(["new"]);
});
