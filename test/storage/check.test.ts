import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { openStore } from "#/storage/open-store.ts";
import { append } from "../support/delivery.ts";
import { engine, itOnSqlite, openTestStore, seedAgent } from "../support/store.ts";

const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-check-"));
const sound = path.join(base, "sound.db");
/** The same on PostgreSQL: a database that others are copied from. */
let soundUrl = "";

beforeAll(async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  await append(test.store, ada, 3, { keywords: ["work"], text: "x".repeat(10_000) });
  const { mailbox } = await test.store.write(nobody, "createMailbox", {
    agent: ada.agent,
    name: "Work/2026",
    at: 0,
  });
  await append(test.store, { ...ada, inbox: mailbox });
  if (engine === "sqlite") return test.store.backup(sound);
  await test.store.close();
  const { makeDatabase, nameOf } = await import("../postgres/database.ts");
  soundUrl = await makeDatabase(nameOf(test.store.place.database!.url));
  await test.reopen();
});
afterAll(() => fs.rmSync(base, { recursive: true }));

async function findingsOnPostgres(damage: string): Promise<string[]> {
  const { change, dropDatabase, makeDatabase, nameOf } = await import("../postgres/database.ts");
  const url = await makeDatabase(nameOf(soundUrl));
  // Octets are written in another way there.
  await change(url, damage.replaceAll(/x'([0-9a-f]*)'/g, "'\\x$1'"));
  const folder = fs.mkdtempSync(path.join(base, "damaged-"));
  try {
    await using copy = await openStore({ folder, database: { url } });
    return await checkStore(copy);
  } finally {
    await dropDatabase(url);
  }
}

/** What a store that was tampered with is found to suffer from. */
async function findingsAfter(damage: string): Promise<string[]> {
  if (engine === "postgres") return findingsOnPostgres(damage);
  const folder = fs.mkdtempSync(path.join(base, "damaged-"));
  const file = path.join(folder, "waypost.db");
  fs.copyFileSync(sound, file);
  const database = new Database(file);
  // Not as a copy, which would be made new when it is opened.
  database.pragma("user_version = 0");
  database.exec(damage);
  database.close();
  await using copy = await openStore({ folder });
  return await checkStore(copy);
}

it.each([
  ["", []],
  ["update mailbox set unseen_count = 9 where name = 'INBOX'", ["counts 3 messages, 9 unseen"]],
  ["update agent set byte_count = byte_count + 1", ["its objects count"]],
  ["update mailbox set uid_next = 2 where name = 'INBOX'", ["is not below UIDNEXT"]],
  ["update agent set modseq = modseq - 1", ["above its agent's"]],
  ["delete from entry where uid = 2", ["counts 3 messages", "counts 1 entries and has 0"]],
  ["delete from message where message_id = 7", ["has no message", "counts 1 references and has 0"]],
  ["delete from blob where blob_id = 1", ["has no blob in its account"]],
  ["update blob set data = x'00' where blob_id = 1", ["octets and keeps", "cannot be read"]],
  ["update blob set sha256 = x'00' where blob_id = 1", ["does not have the octets that were stored"]],
  ["update blob set reference_count = 5 where blob_id = 2", ["counts 5 references and has 1"]],
  ["delete from change where kind = 'entry' and modseq = 9", ["which the log lacks"]],
  ["update change set kind = 'entries' where modseq = 9", ["of the kind entries", "which the log lacks"]],
  ["update change set ordinal = 1 where modseq = 9", ["has a gap in its order"]],
  [
    "insert into change values (1, 99, 0, 'entry', 3, 'add', '1', null, null, 0, null, null, null, null, null)",
    ["the last change in its log"],
  ],
  ["delete from keyword", ["has entries with keyword 0, which has no name"]],
  ["update mailbox set name = 'Elsewhere' where name = 'Work'", ["has no Work above it"]],
  ["delete from mailbox where name = 'INBOX'", ["has no INBOX"]],
  [
    "insert into grant_object values (1, 4, 'mailbox', 0, 1)",
    [
      "a row of grant_object is of the agent_grant with grant_id 4, agent_id 1, target_agent_id 1, which is not there",
    ],
  ],
  [
    "insert into agent_grant values (4, 1, 1, '[]', 0, null, null, null); insert into grant_object values (1, 4, 'mailbox', 99, 1), (1, 4, 'drawer', 0, 1)",
    [
      "grant 4 is on mailbox 99 of agent 1, which is not there",
      "an object of the kind drawer, which there is not",
    ],
  ],
  ["delete from address", ["exactly one primary address"]],
  ["insert into thread_key values (1, x'00', 999)", ["leads to thread 999"]],
  [
    "insert into blob_chunk values (1, 77, 1, x'00')",
    ["a row of blob_chunk is of the blob with blob_id 77, account_id 1, which is not there"],
  ],
  [
    "insert into token values (1, 44, 'a', x'00', '[]', 0, null, null)",
    ["a row of token belongs to agent 44"],
  ],
  [
    "insert into draft values (1, 5, 999, 5, '{}', 0)",
    ["a row of draft is of the message with message_id 999, agent_id 1, which is not there"],
  ],
  [
    "insert into draft_key values (1, x'00', 999)",
    ["a row of draft_key is of the draft with draft_id 999, agent_id 1, which is not there"],
  ],
  [
    "update mailbox set role = 'holds' where name = 'Archive'; update mailbox set role = null where name = 'INBOX'; update mailbox set role = 'holds_approved' where name = 'INBOX'",
    ["is among mail that waits, and nobody is asked about it"],
  ],
  [
    "insert into hold (agent_id, hold_id, message_id, modseq, state, reason, digest, envelope, requested_by, send_at, expires_at, created_at) values (1, 5, 7, 5, 'waiting', 'always', x'00', '{}', 1, 0, 0, 0)",
    ["hold 5 of agent 1 is live, and its mail is not in the mailbox of its state alone"],
  ],
  [
    "update mailbox set role = 'scheduled' where name = 'INBOX'",
    ["is among scheduled mail, and nothing is scheduled"],
  ],
  [
    "insert into upload values (1, 5, 1, 1, '', 'text/plain', 1, x'00', 0, 0)",
    ["blob 1 of account 1 counts"],
  ],
])("reports what is wrong after: %s", async (damage, sentences) => {
  const findings = await findingsAfter(damage);
  if (sentences.length === 0) expect(findings).toEqual([]);
  for (const sentence of sentences)
    expect(findings).toEqual(expect.arrayContaining([expect.stringContaining(sentence)]));
});

// On PostgreSQL a check of a small store is done before the thread of scans has connected.
itOnSqlite("lets searches go on meanwhile", async () => {
  await using test = await openTestStore();
  const { agent } = await seedAgent(test.store);
  const order: string[] = [];
  // The thread of scans is there; that of the check starts.
  await test.store.scan("newestMessages", { agent, limit: 1 });
  await Promise.all([
    test.store.check().then(() => order.push("check")),
    test.store.scan("newestMessages", { agent, limit: 1 }).then(() => order.push("search")),
  ]);
  expect(order).toEqual(["search", "check"]);
});

itOnSqlite("is given up when the store is closed", async () => {
  const folder = fs.mkdtempSync(path.join(base, "closed-"));
  fs.copyFileSync(sound, path.join(folder, "waypost.db"));
  const store = await openStore({ folder });
  const checked = expect(store.check()).rejects.toMatchObject({ code: "upstream_unavailable" });
  await store.close();
  await checked;
  await (await openStore({ folder })).close();
});

it("does not report octets that are deleted between their listing and their reading", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { mailbox } = await store.write(nobody, "createMailbox", { agent: ada.agent, name: "Old", at: 0 });
  await append(store, { ...ada, inbox: mailbox }, 3);
  const count = async () => (await store.get<{ blobs: number }>("select count(*) as blobs from blob"))!.blobs;
  expect(await count()).toBe(3);
  let isListed = false;
  const reader = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "all") return typeof value === "function" ? value.bind(target) : value;
      return async (query: string, ...values: never[]) => {
        const rows = await target.all(query, ...values);
        if (isListed || !query.includes('as "headerSize"')) return rows;
        isListed = true;
        await store.write(nobody, "deleteMailbox", { agent: ada.agent, mailbox, at: 0 });
        await expect.poll(count).toBe(0);
        return rows;
      };
    },
  });
  expect(await checkStore(reader)).toEqual([]);
  expect(isListed).toBe(true);
});
