/** Creating, changing and deleting calendars and addressbooks. */

import { expect, it } from "vitest";
import type { CollectionProperties } from "#/src/collections/collection.ts";
import { nobody } from "#/src/model/author.ts";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import { ofGrantedKinds } from "#/src/model/grants.ts";
import { byDav, eventText, gather, openItemHouse, putEvent } from "../support/items.ts";
import { seedAgent } from "../support/store.ts";

it("makes a calendar, an addressbook and a scheduling inbox at the first reading, once", async () => {
  await using house = await openItemHouse();
  const { collections, test } = house;
  const { agent } = await seedAgent(test.store, "mia", { kind: "person" });
  const [one, other] = await Promise.all([
    collections.listCollections(agent),
    collections.listCollections(agent),
  ]);
  expect(other).toEqual(one);
  expect(one.map(({ kind, role, displayName, segment }) => [kind, role, displayName, segment])).toEqual([
    ["calendar", "default", "Calendar", undefined],
    ["calendar", "inbox", "Inbox", "inbox"],
    ["addressbook", "default", "Contacts", undefined],
  ]);
  const { number } = await seedAgentAndLook("inbox");
  expect(number).toBeGreaterThan(0);

  async function seedAgentAndLook(segment: string) {
    const { agent: another } = await seedAgent(test.store, "zoe");
    return (await collections.findCollectionBySegment(another, "calendar", segment))!;
  }
});

/** A value of its own for each. */
const everyProperty: Required<CollectionProperties> = {
  ...collectionProperties.forEachForm({
    name: "One",
    text: "Of one that is added",
    number: 1,
    flag: true,
    time: 7,
  }),
  displayName: "Work",
  description: "Of the office",
  color: "#ff0000",
  order: 7,
  components: ["VEVENT"],
  timeZone: "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\n",
  isTransparent: true,
  availability: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
};

it("keeps every property with which a collection is made", async () => {
  await using house = await openItemHouse();
  const { collections, ada } = house;
  const made = { kind: "calendar", segment: "work", properties: everyProperty } as const;
  const { collection } = await collections.createCollection(nobody, ada.agent, made);
  expect(await collections.findCollection(ada.agent, collection)).toMatchObject(everyProperty);
});

it("finds a collection by its own segment and by its id", async () => {
  await using house = await openItemHouse();
  const { collections, ada, calendar } = house;
  const { collection } = await collections.createCollection(nobody, ada.agent, {
    kind: "calendar",
    segment: "work",
    properties: { displayName: "Work", components: ["VEVENT"], color: "#ff0000" },
  });
  const find = (segment: string) => collections.findCollectionBySegment(ada.agent, "calendar", segment);
  expect((await find("work"))?.number).toBe(collection);
  expect((await find(collections.ids.encode("calendar", ada.agent, collection)))?.number).toBe(collection);
  expect((await find(collections.ids.encode("calendar", ada.agent, calendar)))?.role).toBe("default");
  expect(await find("nothing")).toBeUndefined();
  expect(await collections.findCollectionBySegment(ada.agent, "addressbook", "work")).toBeUndefined();
  expect(await find("work")).toMatchObject({ components: ["VEVENT"], color: "#ff0000", itemCount: 0 });
});

it("refuses a segment that is in use, reserved or invalid", async () => {
  await using house = await openItemHouse();
  const { collections, ada, calendar } = house;
  const make = (segment: string) =>
    collections.createCollection(nobody, ada.agent, { kind: "calendar", segment, properties: {} });
  await make("work");
  for (const taken of ["work", "inbox", "outbox", collections.ids.encode("calendar", ada.agent, calendar)])
    await expect(make(taken)).rejects.toMatchObject({ details: { reason: "already_exists" } });
  for (const bad of ["", ".", "..", "a/b", "a\0b", "a".repeat(256)])
    await expect(make(bad)).rejects.toMatchObject({ code: "invalid" });
  await collections.createCollection(nobody, ada.agent, {
    kind: "addressbook",
    segment: "work",
    properties: {},
  });
});

it("sets and removes properties, and changes their version", async () => {
  await using house = await openItemHouse();
  const { collections, ada, calendar } = house;
  const before = (await collections.findCollection(ada.agent, calendar))!;
  const note = { namespace: "urn:x", name: "note" };
  const changed = collectionProperties.forEachForm({
    name: "All",
    text: "Changed",
    number: 1,
    flag: true,
    time: 7,
  });
  await collections.updateCollection(nobody, ada.agent, calendar, {
    properties: { ...changed, displayName: "Mine", order: 3 },
    setDead: [{ ...note, xml: "<note xmlns='urn:x'>a</note>" }],
    version: String(before.propertiesModseq),
  });
  const after = (await collections.findCollection(ada.agent, calendar))!;
  expect(after).toMatchObject({ ...changed, displayName: "Mine", order: 3 });
  expect(after.modseq).toBeGreaterThan(before.modseq);
  expect(await collections.listDeadProperties(ada.agent, calendar)).toHaveLength(1);
  const stale = { properties: { displayName: "No" }, version: String(before.propertiesModseq) };
  await expect(collections.updateCollection(nobody, ada.agent, calendar, stale)).rejects.toMatchObject({
    code: "precondition_failed",
    details: { version: String(after.propertiesModseq) },
  });
  await putEvent(house, "a.ics", eventText("a"));
  const put = (await collections.findCollection(ada.agent, calendar))!;
  expect(put.propertiesModseq).toBe(after.propertiesModseq);
  expect(put.modseq).toBeGreaterThan(after.modseq);
  await collections.updateCollection(nobody, ada.agent, calendar, {
    properties: { description: undefined, order: undefined },
    removeDead: [note],
  });
  expect(await collections.findCollection(ada.agent, calendar)).toMatchObject({
    displayName: "Mine",
    description: undefined,
    order: undefined,
  });
  expect(await collections.listDeadProperties(ada.agent, calendar)).toEqual([]);
});

it("limits the properties that a client sets on a collection", async () => {
  await using house = await openItemHouse();
  const { collections, ada, calendar } = house;
  const change = (properties: object, setDead: { namespace: string; name: string; xml: string }[] = []) =>
    collections.updateCollection(nobody, ada.agent, calendar, { properties, setDead });
  await expect(change({ description: "x".repeat(65 * 1024) })).rejects.toMatchObject({
    details: { reason: "too_large" },
  });
  const dead = (name: string, xml = "<a/>") => ({ namespace: "urn:x", name, xml });
  await expect(change({}, [dead("a", "x".repeat(17 * 1024))])).rejects.toMatchObject({
    details: { reason: "too_large" },
  });
  const many = Array.from({ length: 101 }, (_, at) => dead(`a${at}`));
  await expect(change({}, many)).rejects.toMatchObject({ details: { reason: "limit_reached" } });
});

it("deletes a collection with its items, at once for all readers, and frees them afterwards", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, test } = house;
  const { collection } = await collections.createCollection(nobody, ada.agent, {
    kind: "calendar",
    segment: "work",
    properties: {},
  });
  const items = [];
  for (let at = 0; at < 600; at += 200) {
    const actions = Array.from({ length: 200 }, (_, index) => ({
      kind: "put" as const,
      collection,
      bytes: eventText(`u${at + index}`),
      provenance: byDav,
      isAuthenticated: true,
    }));
    const { agents } = await collections.changeItems(nobody, [{ agent: ada.agent, actor, actions }]);
    items.push(...agents[0]!.items);
  }
  const before = await test.store.get<{ modseq: number }>("select modseq from agent");
  await collections.deleteCollection(nobody, ada.agent, collection);
  expect(await collections.findCollection(ada.agent, collection)).toBeUndefined();
  expect(await collections.findItem(ada.agent, items[0]!.item)).toBeUndefined();
  expect(await collections.findItemsByUid(ada.agent, "u1", { kind: "calendar" })).toEqual([]);
  expect(await gather(collections.listItems(ada.agent, collection))).toEqual([]);
  expect(await test.store.get("select item_count as items, byte_count as bytes from agent")).toEqual({
    items: 0,
    bytes: 0,
  });
  const told = await test.store.all(
    "select kind, operation, ids from change where modseq > ?",
    before!.modseq,
  );
  expect(told).toEqual([{ kind: "collection", operation: "remove", ids: String(collection) }]);
  // Its name is free at once.
  const again = { kind: "calendar", segment: "work", properties: {} } as const;
  await collections.createCollection(nobody, ada.agent, again);
  await test.store.close().then(() => test.reopen());
  for (const table of ["item", "item_data", "occurrence"])
    await expect
      .poll(async () => (await test.store.get<{ n: number }>(`select count(*) as n from ${table}`))!.n)
      .toBe(0);
});

it("refuses to delete the default collections", async () => {
  await using house = await openItemHouse();
  const { collections, ada, calendar } = house;
  await expect(collections.deleteCollection(nobody, ada.agent, calendar)).rejects.toMatchObject({
    details: { reason: "collection_is_required" },
  });
});

it("answers a repeated write with the first answer", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, test } = house;
  const once = {
    agent: ada.agent,
    operation: "event.create",
    key: "k",
    requestHash: new Uint8Array(32),
    expiresAt: test.clock.now() + 1e6,
  };
  const put = {
    collection: house.calendar,
    bytes: eventText("a"),
    provenance: byDav,
    isAuthenticated: true,
  };
  expect(await collections.findItemRepeat(once)).toBeUndefined();
  const first = await collections.putItem(ada.agent, actor, put, once);
  const second = await collections.putItem(ada.agent, actor, put, once);
  expect(first).toMatchObject({ isReplayed: false, isCreated: true });
  expect(second).toEqual({ ...first, isReplayed: true });
  expect(await collections.findItemRepeat(once)).toEqual(second);
  expect(await gather(collections.listItems(ada.agent, house.calendar))).toHaveLength(1);
});

it("leaves no row of a deleted agent, and removes a deleted calendar from grants", async () => {
  await using house = await openItemHouse();
  const { collections, ada, test } = house;
  const mia = await seedAgent(test.store, "mia");
  const { collection } = await collections.createCollection(nobody, ada.agent, {
    kind: "calendar",
    properties: {},
  });
  await putEvent(house, "a.ics", eventText("a"), collection);
  const grant = {
    agent: mia.agent,
    targetAgent: ada.agent,
    scopes: ["calendar:read" as const],
    objects: { ...ofGrantedKinds(() => []), calendar: [collection] },
    expiresAt: null,
    at: 0,
  };
  await test.store.write(nobody, "createGrant", grant);
  const named = () => test.store.column("select object_id from grant_object");
  expect(await named()).toEqual([collection]);
  await collections.deleteCollection(nobody, ada.agent, collection);
  expect(await named()).toEqual([]);
  await expect(test.store.write(nobody, "createGrant", grant)).rejects.toMatchObject({ code: "not_found" });
  await putEvent(house, "b.ics", eventText("b"));
  await test.store.write(nobody, "deleteAgent", { agent: ada.agent });
  for (const table of ["collection", "item", "item_data", "occurrence"])
    await expect
      .poll(() => test.store.column(`select agent_id from ${table} where agent_id = ?`, ada.agent))
      .toEqual([]);
});

it("moves a collection to a segment that is free, or its own id", async () => {
  await using house = await openItemHouse();
  const { collections, ada, calendar } = house;
  const kind = "calendar";
  const make = async (segment: string) =>
    (await collections.createCollection(nobody, ada.agent, { kind, segment, properties: {} })).collection;
  const idOf = (number: typeof calendar) => collections.ids.encode(kind, ada.agent, number);
  const [work, other] = [await make("work"), await make("other")];
  const move = (number: typeof calendar, segment: string, overwrite = false) =>
    collections.moveCollection(nobody, ada.agent, { number, kind }, { segment, overwrite });
  for (const taken of ["other", "inbox", "outbox", idOf(calendar)])
    await expect(move(work, taken), taken).rejects.toMatchObject({ details: { reason: "already_exists" } });
  for (const needed of ["inbox", "outbox", idOf(calendar)])
    await expect(move(work, needed, true), needed).rejects.toThrow();
  const inbox = await collections.findCollectionOfRole(ada.agent, kind, "inbox");
  await expect(move(inbox!.number, "elsewhere")).rejects.toMatchObject({
    details: { reason: "collection_is_required" },
  });
  await expect(move(work, "a/b")).rejects.toMatchObject({ code: "invalid" });

  const segmentOf = async (number: typeof calendar) =>
    (await collections.findCollection(ada.agent, number))?.segment;
  const before = (await collections.findCollection(ada.agent, work))!;
  await move(work, "moved");
  expect(await segmentOf(work)).toBe("moved");
  expect((await collections.findCollection(ada.agent, work))!.modseq).toBeGreaterThan(before.modseq);
  await move(work, idOf(work));
  expect(await segmentOf(work)).toBeUndefined();
  await move(other, idOf(work), true);
  expect(await collections.findCollection(ada.agent, work)).toBeUndefined();
  await move(calendar, "mine");
  expect(await collections.findCollectionOfRole(ada.agent, kind, "default")).toMatchObject({
    number: calendar,
    segment: "mine",
  });
});
