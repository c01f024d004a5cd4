/** A column that names a row of another table is known to `check`, so that a row without the other one is found. */
import { expect, test } from "vitest";
import { references } from "#/storage/checks/references.ts";
import { kindTables } from "#/storage/kinds.ts";
import { schema, type TableName } from "#/storage/schema/schema.ts";
import { openTestDatabase } from "../support/database.ts";
import { writeEverything } from "../support/every-write.ts";

/** The table that a column of this name is the number of a row of. Rows of an agent: `storage/kinds.ts`. */
const named: Readonly<Record<string, TableName | undefined>> = {
  ...Object.fromEntries(kindTables.map(({ table, number }) => [number, table])),
  agent_id: undefined,
  account_id: "account",
  blob_id: "blob",
};

/** What another sentence says, and what may stay without the other row. */
const otherwise: Readonly<Record<string, string>> = {
  "entry.message_id": "and with the size of the entry",
  "message.blob_id": "and with the size of the message",
  "message.account_id": "it is the one of its agent",
  "item_attachment.blob_id": "and with its size",
  "item_attachment.item_id": "in one sentence with its blob",
  "item_attachment.account_id": "with its blob",
  "submission.blob_id": "its references are counted",
  "submission.account_id": "it is the one of its agent",
  "upload.blob_id": "its references are counted",
  "upload.account_id": "with its blob",
  "blob.account_id": "its numbers are below those of the account",
  "domain.account_id": "accounts are not deleted",
  "owner_key.account_id": "accounts are not deleted",
  "suppression.account_id": "accounts are not deleted",
  "freed_object.account_id": "accounts are not deleted",
  "unfinished_copy.mailbox_id": "the mailbox may be deleted meanwhile",
  "hold.message_id": "only a live one has its mail",
  "calendar_message.hold_id": "the hold may be forgotten",
  "calendar_arrival.message_id": "the mail may be deleted before it is applied",
  "delivery_claim.submission_id": "it ends with the lease of its daemon",
  "push_subscription.password_id": "a revoked password keeps its row",
  "push_subscription.collection_id": "the collection may be deleted; then there is nothing to tell",
  "webhook_attempt.message_id": "the text that the webhook was sent with",
};

test("each column that names a row has its reference, or another sentence", () => {
  const missing: string[] = [];
  const known = new Set<string>();
  for (const [table, columns] of Object.entries(schema))
    for (const column of Object.keys(columns)) {
      const of = named[column];
      if (of === undefined || of === table) continue;
      const place = `${table}.${column}`;
      known.add(place);
      const isDeclared = references.some((one) => one.row === table && one.by.includes(column));
      if (!isDeclared && otherwise[place] === undefined) missing.push(place);
    }
  expect(missing).toEqual([]);
  expect(Object.keys(otherwise).filter((place) => !known.has(place))).toEqual([]);
});

test("each reference finds the rows whose other row is gone, and no others", async () => {
  using database = await openTestDatabase();
  const { tx, write } = database;
  await writeEverything(tx, write);
  expect((await Promise.all(references.map(({ query }) => tx.all(query)))).flat()).toEqual([]);
  await tx.run("update submission set kept = 1");
  for (const { row, of, query } of references) {
    await tx.run("savepoint whole");
    await tx.run(`delete from ${of}`);
    expect(await tx.all(query), `${row} without its ${of}`).not.toEqual([]);
    await tx.run("rollback to whole");
  }
});
