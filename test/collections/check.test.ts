/** The faults that `check` finds in calendars, addressbooks and items. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { openStore } from "#/storage/open-store.ts";
import { byDav, eventText, openItemHouse, putEvent } from "../support/items.ts";

const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-check-items-"));
const sound = path.join(base, "sound.db");
let names: Readonly<Record<"calendar" | "item" | "large", number>>;

beforeAll(async () => {
  await using house = await openItemHouse();
  const item = await putEvent(house, "a.ics", eventText("a"));
  const { ada, actor, calendar, collections } = house;
  await collections.putItem(ada.agent, actor, {
    collection: calendar,
    bytes: eventText("c", "ATTACH;MANAGED-ID=A:https://first.example/A"),
    provenance: byDav,
    isAuthenticated: true,
    attachments: { added: [{ managedId: "A", bytes: Buffer.from("text"), name: "a", type: "text/plain" }] },
  });
  const large = await putEvent(house, "b.ics", eventText("b", `DESCRIPTION:${"long ".repeat(2000)}`));
  await house.collections.updateCollection(nobody, house.ada.agent, house.calendar, {
    setDead: [{ namespace: "urn:x", name: "note", xml: "<note/>" }],
  });
  await house.collections.changeItemDeadProperties(nobody, house.ada.agent, item, {
    set: [{ namespace: "urn:x", name: "mark", xml: "<mark/>" }],
    remove: [],
  });
  names = { calendar: house.calendar, item, large };
  await house.test.store.backup(sound);
});
afterAll(() => fs.rmSync(base, { recursive: true }));

async function findingsAfter(damage: string): Promise<string[]> {
  const folder = fs.mkdtempSync(path.join(base, "damaged-"));
  const file = path.join(folder, "waypost.db");
  fs.copyFileSync(sound, file);
  const database = new Database(file);
  database.pragma("user_version = 0");
  database.exec(damage.replace(/\{(\w+)\}/g, (_, name: keyof typeof names) => String(names[name])));
  database.close();
  await using copy = await openStore({ folder });
  return await checkStore(copy);
}

const tampered: readonly (readonly [damage: string, sentence: string])[] = [
  ["update agent set item_count = 5", "counts 0 messages, 5 items"],
  ["update agent set byte_count = 5", "3 items and 5 octets"],
  [
    "update collection set role = null where role = 'inbox'",
    "has some of the collections that everybody has",
  ],
  ["update collection set item_count = 9 where collection_id = {calendar}", "counts 9 items"],
  ["update collection set byte_count = 9 where collection_id = {calendar}", "and 9 octets; it has 3"],
  ["update collection set modseq = 999 where collection_id = {calendar}", "a MODSEQ above its agent's"],
  [
    "update collection set properties_modseq = modseq + 1 where collection_id = {calendar}",
    "properties of a later MODSEQ",
  ],
  [
    "update collection_property set collection_id = 99",
    "a row of collection_property is of the collection with collection_id 99",
  ],
  ["update item_property set item_id = 99", "a row of item_property is of the item with item_id 99"],
  ["update item_attachment set item_id = 99", "attachment A of item 99"],
  ["update item_attachment set size = 9", "or no blob of its size"],
  ["update item set attachment_bytes = 9 where item_id = {item}", "counts 9 octets of attachments"],
  ["delete from item_attachment", "counts 1 references and has 0"],
  [
    "update item set collection_id = 99 where item_id = {item}",
    "a row of item is of the collection with collection_id 99",
  ],
  ["update item set modseq = 999 where item_id = {item}", "a MODSEQ above its collection's"],
  ["update item set modseq = modseq - 1 where item_id = {large}", "which the log lacks"],
  ["update item set uid = 'a'", "has 3 items of the UID a"],
  ["delete from item_data where item_id = {item}", "a row of item is of the item_data with"],
  ["delete from item where item_id = {item}", "a row of item_data is of the item with"],
  ["update item_data set data = x'00' where item_id = {large}", "does not have the octets"],
  ["update item_data set codec = 9 where item_id = {item}", "does not have the octets"],
  ["update item set size = size + 1 where item_id = {item}", "does not have the octets"],
  [
    "update occurrence set collection_id = 99 where item_id = {item}",
    "a row of occurrence is of the item with item_id",
  ],
  ["update occurrence set end_at = start_at - 1", "ends before it starts"],
  ["update occurrence set end_at = start_at + 864000000", "is longer than its class"],
  [
    "insert into agent_grant values (4, 1, 1, '[]', 0, null, null, null); insert into grant_object values (1, 4, 'calendar', 99, 1)",
    "grant 4 is on calendar 99 of agent 1",
  ],
];

it.each(tampered)("reports what is wrong after: %s", async (damage, sentence) => {
  expect(await findingsAfter(damage)).toEqual(expect.arrayContaining([expect.stringContaining(sentence)]));
});

it("finds nothing wrong with a sound store", async () => {
  expect(await findingsAfter("")).toEqual([]);
});
