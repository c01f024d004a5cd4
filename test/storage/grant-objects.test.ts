/** The migration of the schema after which grants name objects. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { migrations } from "#/storage/migrations/index.ts";
import { openWriting } from "#/storage/sqlite/connection.ts";
import { migrate } from "#/storage/sqlite/migrate.ts";

const step = migrations.findIndex(({ name }) => name === "grant objects");

it("converts the mailbox names of grants to rows, and keeps names without a mailbox", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-grants-"));
  const database = openWriting(folder);
  await migrate(database, folder, 0, { steps: migrations.slice(0, step) });
  for (const [agent, mailbox, name] of [
    [1, 3, "INBOX"],
    [1, 4, "Work"],
    [2, 5, "Elsewhere"],
  ])
    database
      .prepare(
        `insert into mailbox (agent_id, mailbox_id, name, uid_validity, uid_next, modseq, message_count, unseen_count,
          deleted_count, byte_count, version)
        values (?, ?, ?, 1, 1, 1, 0, 0, 0, 0, 1)`,
      )
      .run(agent, mailbox, name);
  const names = [null, ["Work", "INBOX", "Work"], ["Work", "work", "Elsewhere"], ["Gone"]];
  for (const [index, mailboxes] of names.entries())
    database
      .prepare(
        "insert into agent_grant (grant_id, agent_id, target_agent_id, scopes, mailboxes, created_at) values (?, 2, 1, '[]', ?, 0)",
      )
      .run(index + 1, mailboxes && JSON.stringify(mailboxes));

  await migrate(database, folder, 0, { steps: migrations.slice(0, step + 1) });
  const rows = database
    .prepare(
      `select agent_id || ' ' || target_agent_id || ' ' || grant_id || ' ' || kind || ' ' || object_id as row
      from grant_object
      where kind = 'mailbox' or grant_id = 1
      order by grant_id, kind, object_id`,
    )
    .pluck()
    .all();
  expect(rows).toEqual([
    "2 1 1 addressbook 0",
    "2 1 1 calendar 0",
    "2 1 1 mailbox 0",
    "2 1 2 mailbox 3",
    "2 1 2 mailbox 4",
    "2 1 3 mailbox 4",
  ]);
  expect(database.prepare("select lost_mailboxes from agent_grant order by grant_id").pluck().all()).toEqual([
    null,
    null,
    '["work","Elsewhere"]',
    '["Gone"]',
  ]);
  database.close();
  fs.rmSync(folder, { recursive: true });
});
