/** Managed attachments in the store (RFC 8607): an attachment that an item names is kept, counts in the quota and is freed with it. */

import { expect, it } from "vitest";
import type { PutAttachments } from "#/src/collections/attachments.ts";
import { nobody } from "#/src/model/author.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { byDav, eventText, type ItemHouse, openItemHouse } from "../support/items.ts";
import { seedAgent } from "../support/store.ts";

const bytes = Buffer.from("x".repeat(1000));
const added = (managedId: string) => ({ managedId, bytes, name: "a.txt", type: "text/plain" });

function attaching(uid: string, ...managedIds: string[]): Buffer {
  return eventText(uid, ...managedIds.map((id) => `ATTACH;MANAGED-ID=${id}:https://first.example/${id}`));
}

async function put(
  { collections, ada, actor, calendar }: ItemHouse,
  segment: string,
  text: Buffer,
  attachments?: PutAttachments,
  collection: CollectionNumber = calendar,
) {
  const action = { collection, segment, bytes: text, provenance: byDav, isAuthenticated: true, attachments };
  return collections.putItem(ada.agent, actor, action);
}

async function usage({ test, ada }: ItemHouse) {
  const { byteCount } = (await test.store.get<{ byteCount: number }>(
    'select byte_count as "byteCount" from agent where agent_id = ?',
    ada.agent,
  ))!;
  const { blobs } = (await test.store.get<{ blobs: number }>("select count(*) as blobs from blob"))!;
  return { byteCount, blobs };
}

it("keeps attachments that an item names, counts them for each item, and frees them with the last item", async () => {
  await using house = await openItemHouse();
  const { collections, ada } = house;
  const first = await put(house, "a.ics", attaching("a", "A"), { added: [added("A")] });
  const [place] = await collections.listAttachmentPlaces(ada.account, "A", ada.agent);
  expect(place).toMatchObject({ agent: ada.agent, item: first.item, name: "a.txt", size: 1000 });
  expect(Buffer.from(await collections.readAttachment(place!))).toEqual(bytes);
  expect(await usage(house)).toEqual({ byteCount: attaching("a", "A").length + 1000, blobs: 1 });

  const second = await put(house, "b.ics", attaching("b", "A"));
  expect((await usage(house)).byteCount).toBe(2 * (attaching("a", "A").length + 1000));
  await put(house, "a.ics", eventText("a"));
  expect(await usage(house)).toMatchObject({ blobs: 1 });
  await collections.deleteItem(ada.agent, house.actor, second.item);
  expect(await usage(house)).toEqual({ byteCount: eventText("a").length, blobs: 0 });
});

it("frees the attachments of items of a deleted calendar", async () => {
  await using house = await openItemHouse();
  const { collections, ada } = house;
  const made = await collections.createCollection(nobody, ada.agent, { kind: "calendar", properties: {} });
  await put(house, "a.ics", attaching("a", "A"), { added: [added("A")] }, made.collection);
  await collections.deleteCollection(nobody, ada.agent, made.collection);
  expect(await collections.listAttachmentPlaces(ada.account, "A", ada.agent)).toEqual([]);
  await expect.poll(() => usage(house)).toEqual({ byteCount: 0, blobs: 0 });
});

it("copies attachments of another agent when that is requested, and refuses a missing attachment", async () => {
  await using house = await openItemHouse();
  const { collections, ada, test } = house;
  const bob = await seedAgent(test.store, "bob");
  const calendar = (await collections.findCollectionOfRole(bob.agent, "calendar", "default"))!.number;
  await put(house, "a.ics", attaching("a", "A"), { added: [added("A")] });
  const action = {
    collection: calendar,
    bytes: attaching("a", "A"),
    provenance: byDav,
    isAuthenticated: true,
  };
  const actor = { ...nobody, agent: bob.agent, canApprove: false };
  await expect(
    collections.putItem(bob.agent, actor, { ...action, attachments: { needed: ["A"] } }),
  ).rejects.toMatchObject({ details: { reason: "valid-managed-id" } });
  await collections.putItem(bob.agent, actor, { ...action, attachments: { attachmentsOf: [ada.agent] } });
  const places = await collections.listAttachmentPlaces(ada.account, "A", bob.agent);
  expect(places.map(({ agent }) => agent)).toEqual([bob.agent, ada.agent]);
});
