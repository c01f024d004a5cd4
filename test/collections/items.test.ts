/** Writing and reading items. */

import { expect, it } from "vitest";
import type { ItemExpectation } from "#/src/collections/collections.ts";
import { nobody } from "#/src/model/author.ts";
import { deadPropertiesMax, itemPropertiesMax } from "#/src/model/limits.ts";
import {
  byDav,
  calendarText,
  cardText,
  eventText,
  gather,
  type ItemHouse,
  openItemHouse,
  putEvent,
} from "../support/items.ts";
import { seedAgent } from "../support/store.ts";
import { submission } from "../support/submission.ts";

async function put(house: ItemHouse, segment: string, bytes: Buffer, expected?: ItemExpectation) {
  const { collections, ada, actor, calendar } = house;
  const asked = { collection: calendar, segment, bytes, provenance: byDav, isAuthenticated: true, expected };
  return collections.putItem(ada.agent, actor, asked);
}

it("reads the octets that were written, whatever their size", async () => {
  await using house = await openItemHouse();
  const { collections, ada } = house;
  const texts = [
    eventText("a", "SUMMARY:Ä ö"),
    eventText("b", `DESCRIPTION:${"long ".repeat(3000)}`),
    eventText("c", `DESCRIPTION:${"longer ".repeat(300_000)}`),
    Buffer.from(eventText("d").toString().replaceAll("\r\n", "\n")),
  ];
  const items = [];
  for (const [at, text] of texts.entries()) items.push(await putEvent(house, `${at}.ics`, text));
  const read = await collections.readItems(ada.agent, [...items, 999 as (typeof items)[0]]);
  expect(read.slice(0, 4).map((item) => Buffer.compare(item!.bytes, texts.shift()!))).toEqual([0, 0, 0, 0]);
  expect(read[4]).toBeUndefined();
  expect(read[0]).toMatchObject({ uid: "a", component: "VEVENT", segment: "0.ics", provenance: byDav });
});

it("changes the item at a segment, and does not change it for the same octets", async () => {
  await using house = await openItemHouse();
  const first = await put(house, "a.ics", eventText("a"));
  const same = await put(house, "a.ics", eventText("a"));
  expect(same).toMatchObject({ item: first.item, isCreated: false, modseq: first.modseq });
  const changed = await put(house, "a.ics", eventText("a", "SUMMARY:New"));
  expect(changed).toMatchObject({ item: first.item, isCreated: false });
  expect(changed.modseq).toBeGreaterThan(first.modseq);
});

it("checks the preconditions of the writer in the transaction", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor } = house;
  const { item, modseq } = await put(house, "a.ics", eventText("a"), { version: "absent" });
  const stale = { code: "precondition_failed", details: { version: String(modseq), object: item } };
  await expect(put(house, "a.ics", eventText("a"), { version: "absent" })).rejects.toMatchObject(stale);
  await expect(put(house, "a.ics", eventText("a"), { version: "1" })).rejects.toMatchObject(stale);
  await expect(put(house, "b.ics", eventText("b"), { version: "1" })).rejects.toMatchObject({
    code: "precondition_failed",
  });
  await expect(collections.deleteItem(ada.agent, actor, item, { version: "1" })).rejects.toMatchObject(stale);
  await collections.deleteItem(ada.agent, actor, item, { version: String(modseq) });
  expect(await collections.findItem(ada.agent, item)).toBeUndefined();
  await expect(collections.deleteItem(ada.agent, actor, item)).rejects.toMatchObject({ code: "not_found" });
});

it("lets one of two writers create an item at the same segment, when both require that there is none", async () => {
  await using house = await openItemHouse();
  const results = await Promise.allSettled(
    ["a", "b"].map((uid) => put(house, "new.ics", eventText(uid), { version: "absent" })),
  );
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

it("finds an item by the segment of its id, and writes to it there", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar } = house;
  const asked = { collection: calendar, bytes: eventText("a"), provenance: byDav, isAuthenticated: true };
  const { item } = await collections.putItem(ada.agent, actor, asked);
  const segment = `${collections.ids.encode("event", ada.agent, item)}.ics`;
  expect((await collections.findItemBySegment(ada.agent, calendar, segment))?.number).toBe(item);
  const again = await put(house, segment, eventText("a", "SUMMARY:New"));
  expect(again).toMatchObject({ item, isCreated: false });
  await collections.deleteItem(ada.agent, actor, item);
  const anew = await put(house, segment, eventText("a"));
  expect(anew.isCreated).toBe(true);
  expect((await collections.findItemBySegment(ada.agent, calendar, segment))?.number).toBe(anew.item);
});

it("has each UID once in a collection, and lets no item get another UID", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor } = house;
  const { item } = await put(house, "a.ics", eventText("a"));
  const conflict = { code: "policy_refused", details: { reason: "no-uid-conflict", object: item } };
  await expect(put(house, "b.ics", eventText("a"))).rejects.toMatchObject(conflict);
  await expect(put(house, "a.ics", eventText("b"))).rejects.toMatchObject(conflict);
  const { collection } = await collections.createCollection(nobody, ada.agent, {
    kind: "calendar",
    properties: {},
  });
  const other = await putEvent(house, "a.ics", eventText("a"), collection);
  await expect(
    collections.moveItem(ada.agent, actor, other, {
      collection: house.calendar,
      segment: "c.ics",
      overwrite: true,
    }),
  ).rejects.toMatchObject(conflict);
  const found = await collections.findItemsByUid(ada.agent, "a", { kind: "calendar" });
  expect(found.map(({ number }) => number)).toEqual([item, other]);
  expect(await collections.findItemsByUid(ada.agent, "a", { collection })).toHaveLength(1);
});

it("stores several messages about one object in the scheduling inbox, and does not find them by UID", async () => {
  await using house = await openItemHouse();
  const { collections, ada } = house;
  const inbox = (await collections.findCollectionOfRole(ada.agent, "calendar", "inbox"))!.number;
  const message = calendarText("METHOD:REQUEST", ...eventText("a").toString().split("\r\n").slice(3, -2));
  await putEvent(house, "1.ics", message, inbox);
  await putEvent(house, "2.ics", message, inbox);
  await expect(putEvent(house, "3.ics", message)).rejects.toMatchObject({
    details: { reason: "valid-calendar-object-resource" },
  });
  expect(await collections.findItemsByUid(ada.agent, "a", { kind: "calendar" })).toEqual([]);
});

it.each([
  ["calendar", "no calendar", "valid-calendar-data"],
  ["calendar", calendarText("BEGIN:VALARM", "UID:a", "END:VALARM"), "supported-calendar-component"],
  ["calendar", calendarText("METHOD:REQUEST"), "valid-calendar-object-resource"],
  ["calendar", cardText("a", "Ada"), "valid-calendar-data"],
  ["calendar", "x".repeat(4 * 1024 * 1024 + 1), "max-resource-size"],
  ["addressbook", eventText("a"), "valid-address-data"],
  ["addressbook", cardText("a", "Ada").toString().replace("3.0", "2.1"), "supported-address-data"],
] as const)(
  "refuses octets that are no item of a %s, with the name of the precondition",
  async (kind, bytes, reason) => {
    await using house = await openItemHouse();
    await expect(putEvent(house, "a", Buffer.from(bytes), house[kind])).rejects.toMatchObject({
      code: "invalid",
      details: { reason },
    });
  },
);

it("accepts into a calendar only its supported components", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor } = house;
  const { collection } = await collections.createCollection(nobody, ada.agent, {
    kind: "calendar",
    properties: { components: ["VTODO"] },
  });
  const refusal = { details: { reason: "supported-calendar-component" } };
  await expect(putEvent(house, "a.ics", eventText("a"), collection)).rejects.toMatchObject(refusal);
  const event = await putEvent(house, "a.ics", eventText("a"));
  const to = { collection, overwrite: false };
  await expect(collections.moveItem(ada.agent, actor, event, to)).rejects.toMatchObject(refusal);
});

it("moves an item: it keeps its number, and replaces the item at the destination if overwrite is set", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar } = house;
  const { collection } = await collections.createCollection(nobody, ada.agent, {
    kind: "calendar",
    properties: {},
  });
  const item = await putEvent(house, "a.ics", eventText("a"));
  const standing = await putEvent(house, "x.ics", eventText("a", "SUMMARY:Old"), collection);
  const to = { collection, segment: "x.ics" };
  const move = (overwrite: boolean) => collections.moveItem(ada.agent, actor, item, { ...to, overwrite });
  await expect(move(false)).rejects.toMatchObject({
    code: "precondition_failed",
    details: { object: standing },
  });
  const moved = await move(true);
  expect(moved).toMatchObject({ item, isCreated: false });
  expect(await collections.findItem(ada.agent, item)).toMatchObject({ collection, segment: "x.ics" });
  expect(await collections.findItem(ada.agent, standing)).toBeUndefined();
  const back = await collections.moveItem(ada.agent, actor, item, { collection: calendar, overwrite: false });
  expect(back).toMatchObject({ item, isCreated: true });
  expect(await gather(collections.listCandidates(ada.agent, calendar, undefined, undefined))).toMatchObject([
    { item },
  ]);
  expect(await gather(collections.listCandidates(ada.agent, collection, undefined, undefined))).toEqual([]);
});

it("moves an item without a new segment to the same segment, or to its id where that is in use", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor } = house;
  const { collection } = await collections.createCollection(nobody, ada.agent, {
    kind: "calendar",
    properties: {},
  });
  const item = await putEvent(house, "a.ics", eventText("a"));
  await putEvent(house, "a.ics", eventText("b"), collection);
  await collections.moveItem(ada.agent, actor, item, { collection, overwrite: false });
  expect(await collections.findItem(ada.agent, item)).toMatchObject({ collection, segment: undefined });
});

it("gives a scheduling object another Schedule-Tag with each change, unless the write keeps it", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar } = house;
  const people = ["ORGANIZER:mailto:ada@example.org", "ATTENDEE:mailto:mel@far.example"];
  const { item, modseq } = await put(house, "a.ics", eventText("a", ...people));
  const tagOf = async () => (await collections.findItem(ada.agent, item))!.scheduleTag;
  expect(await tagOf()).toBe(String(modseq));
  const kept = {
    collection: calendar,
    item,
    bytes: eventText("a", ...people, "SUMMARY:Answered"),
    provenance: byDav,
    isAuthenticated: true,
    keepsScheduleTag: true,
    expected: { scheduleTag: String(modseq) },
  };
  expect((await collections.putItem(ada.agent, actor, kept)).modseq).toBeGreaterThan(modseq);
  expect(await tagOf()).toBe(String(modseq));
  const changed = { ...kept, bytes: eventText("a", ...people, "SUMMARY:Moved"), keepsScheduleTag: false };
  await collections.putItem(ada.agent, actor, changed);
  expect(await tagOf()).not.toBe(String(modseq));
  await expect(collections.putItem(ada.agent, actor, kept)).rejects.toMatchObject({
    code: "precondition_failed",
    details: { reason: "schedule-tag-match" },
  });
  const event = await put(house, "b.ics", eventText("b"));
  expect(await collections.findItem(ada.agent, event.item)).toMatchObject({ scheduleTag: undefined });
});

it("changes the items of several agents in one transaction, or none", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar, test } = house;
  const mia = await seedAgent(test.store, "mia");
  const ofMia = (await collections.findCollectionOfRole(mia.agent, "calendar", "default"))!.number;
  const action = (collection: typeof calendar, uid: string) => ({
    kind: "put" as const,
    collection,
    bytes: eventText(uid),
    provenance: byDav,
    isAuthenticated: true,
  });
  const miaToo = { agent: mia.agent, actor, actions: [action(ofMia, "a"), action(ofMia, "b")] };
  const { agents } = await collections.changeItems(nobody, [
    miaToo,
    { agent: ada.agent, actor, actions: [action(calendar, "a")] },
  ]);
  expect(agents.map(({ agent, items }) => [agent, items.length])).toEqual([
    [mia.agent, 2],
    [ada.agent, 1],
  ]);
  await expect(
    collections.changeItems(nobody, [
      { agent: ada.agent, actor, actions: [action(calendar, "c")] },
      { agent: mia.agent, actor, actions: [action(ofMia, "a")] },
    ]),
  ).rejects.toMatchObject({ details: { reason: "no-uid-conflict" } });
  expect(await collections.findItemsByUid(ada.agent, "c", { kind: "calendar" })).toEqual([]);
});

it("counts items in the quota that mail is counted in", async () => {
  await using house = await openItemHouse();
  const { collections, test } = house;
  const zoe = await seedAgent(test.store, "zoe", { quotaBytes: 1000 });
  const collection = (await collections.findCollectionOfRole(zoe.agent, "calendar", "default"))!.number;
  const actor = { ...nobody, agent: zoe.agent, canApprove: false };
  const action = (uid: string) => ({
    kind: "put" as const,
    collection,
    bytes: eventText(uid, `DESCRIPTION:${"x".repeat(300)}`),
    provenance: byDav,
    isAuthenticated: true,
  });
  const change = (...uids: string[]) =>
    collections.changeItems(nobody, [{ agent: zoe.agent, actor, actions: uids.map(action) }]);
  await expect(change("a", "b", "c")).rejects.toMatchObject({ details: { reason: "over_quota" } });
  const { agents } = await change("a");
  await change("b");
  await expect(change("c")).rejects.toMatchObject({ details: { reason: "over_quota" } });
  await collections.deleteItem(zoe.agent, actor, agents[0]!.items[0]!.item);
  await change("c");
});

it("finds all items by words in their text, in the order of their numbers", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar } = house;
  const actions = Array.from({ length: 600 }, (_, at) => ({
    kind: "put" as const,
    collection: calendar,
    bytes: eventText(`u${at}`, `SUMMARY:Straße ${at % 2 === 0 ? "100%_!" : "other"}`, "LOCATION:Caf\u00e9"),
    provenance: byDav,
    isAuthenticated: true,
  }));
  await collections.changeItems(nobody, [{ agent: ada.agent, actor, actions }]);
  const find = async (...words: string[]) =>
    (await gather(collections.listItemsWithText(ada.agent, calendar, words))).map(({ uid }) => uid);
  expect(await find("strasse")).toHaveLength(0);
  expect(await find("STRASSE")).toHaveLength(0);
  expect(await find("straße")).toHaveLength(600);
  const some = await find("100%_!", "cafe\u0301");
  expect(some).toHaveLength(300);
  expect(some.slice(0, 2)).toEqual(["u0", "u2"]);
  expect(await find("100%!")).toEqual([]);
  const items = await gather(collections.listItems(ada.agent, calendar, undefined));
  const last = await gather(
    collections.listItemsWithText(ada.agent, calendar, ["straße"], items.at(-2)!.number),
  );
  expect(last.map(({ uid }) => uid)).toEqual(["u599"]);
});

it("sends mail and changes items in one transaction, or does neither", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar, test } = house;
  const mia = await seedAgent(test.store, "mia");
  const ofMia = (await collections.findCollectionOfRole(mia.agent, "calendar", "default"))!.number;
  const asked = await submission(test.store, ada);
  const { at: _, ...mail } = asked;
  const action = (collection: typeof calendar, uid: string) => ({
    kind: "put" as const,
    collection,
    bytes: eventText(uid),
    provenance: byDav,
    isAuthenticated: true,
  });
  const parts = (uid: string) => [
    { agent: mia.agent, actor, actions: [action(ofMia, uid)] },
    { agent: ada.agent, actor, actions: [action(calendar, uid)] },
  ];
  const held = { ...mail, sendAt: test.clock.now() + 1e6 };
  const done = await collections.changeItems(nobody, parts("a"), undefined, { mails: [mail, held] });
  expect(done.mails.map(({ state }) => state)).toEqual(["queued", "scheduled"]);
  expect(done.mails[0]!.modseq).toBe(done.agents[1]!.modseq);
  expect(done.agents[1]!.items[0]!.modseq).toBe(done.agents[1]!.modseq);
  await test.store.write(nobody, "setAgentState", {
    agent: ada.agent,
    state: "paused",
    by: "operator",
    at: 0,
  });
  await expect(
    collections.changeItems(nobody, parts("b"), undefined, { mails: [mail] }),
  ).rejects.toMatchObject({
    code: "paused",
  });
  expect(await collections.findItemsByUid(mia.agent, "b", { kind: "calendar" })).toEqual([]);
});

it("limits the number of properties on all items of an agent", async () => {
  await using house = await openItemHouse();
  const { collections, ada } = house;
  const set = Array.from({ length: deadPropertiesMax }, (_, at) => ({
    namespace: "urn:x",
    name: `n${at}`,
    xml: "<n/>",
  }));
  for (let count = 0; count < itemPropertiesMax; count += deadPropertiesMax) {
    const { item } = await put(house, `${count}.ics`, eventText(`marked ${count}`));
    await collections.changeItemDeadProperties(nobody, ada.agent, item, { set, remove: [] });
  }
  const { item } = await put(house, "last.ics", eventText("last"));
  const change = (one: number) =>
    collections.changeItemDeadProperties(nobody, ada.agent, item, { set: set.slice(0, one), remove: [] });
  await expect(change(1)).rejects.toMatchObject({ details: { reason: "limit_reached" } });
  await change(0);
  expect(await collections.listItemDeadProperties(ada.agent, item)).toEqual([]);
  expect((await collections.listItemsWithDeadProperties(ada.agent)).size).toBe(100);
});

it("finds all items by their octets, in the order of their numbers", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar } = house;
  const actions = Array.from({ length: 600 }, (_, at) => ({
    kind: "put" as const,
    collection: calendar,
    bytes: eventText(
      `u${at}`,
      `SUMMARY:${at % 3 === 0 ? "wanted" : "other"}`,
      `COMMENT:${"x".repeat(at * 20)}`,
    ),
    provenance: byDav,
    isAuthenticated: true,
  }));
  await collections.changeItems(nobody, [{ agent: ada.agent, actor, actions }]);
  let looked = 0;
  const found = await gather(
    collections.listItemsByOctets(ada.agent, calendar, (octets) => {
      looked++;
      return Buffer.from(octets).includes("wanted");
    }),
  );
  expect(looked).toBe(600);
  expect(found.map(({ uid }) => uid)).toEqual(Array.from({ length: 200 }, (_, at) => `u${at * 3}`));
  expect(found[1]).toEqual((await collections.readItems(ada.agent, [found[1]!.number]))[0]);
});
