import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCollections } from "#/src/collections/create-collections.ts";
import { createDirectPreparation } from "#/src/collections/preparing/preparation.ts";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import { type CollectionReach, createCollectionReach } from "#/src/reach/collection-reach.ts";
import { openReachHouse, type ReachHouse } from "./reach-house.ts";

let house: ReachHouse;
let eve: AgentNumber;
let work: CollectionNumber;

beforeEach(async () => {
  house = await openReachHouse();
  eve = house.agents.eve;
  const collections = createCollections(house.store, createDirectPreparation());
  await collections.listCollections(eve);
  const properties = { displayName: "Work", description: "secret", color: "#ff0000" };
  work = (await collections.createCollection(nobody, eve, { kind: "calendar", segment: "work", properties }))
    .collection;
});

afterEach(() => house[Symbol.asyncDispose]());

/** Of ada. */
async function reachWith(...scopes: string[]): Promise<CollectionReach> {
  const { rooms, principal } = await house.ask("ada", ...scopes);
  const collections = createCollections(house.store, createDirectPreparation());
  return createCollectionReach({ rooms: { ...rooms, collections }, principal });
}

async function namesOf(reach: CollectionReach, kind: "calendar" | "addressbook", owner?: AgentNumber) {
  return (await reach.list(kind, owner)).map((one) => `${one.shownName}: ${[...one.rights].join(" ")}`);
}

const all = "freebusy read write manage";

describe("a login sees", () => {
  test("its own collections, within the scopes of its credential", async () => {
    expect(await namesOf(await reachWith("calendar"), "calendar")).toEqual([
      `Calendar: ${all}`,
      `Inbox: ${all}`,
    ]);
    expect(await namesOf(await reachWith("calendar:read", "contacts"), "calendar")).toEqual([
      "Calendar: freebusy read",
      "Inbox: freebusy read",
    ]);
    expect(await namesOf(await reachWith("mail", "contacts"), "calendar")).toEqual([]);
    expect(await namesOf(await reachWith("contacts"), "addressbook")).toEqual([`Contacts: ${all}`]);
  });

  test("those of others by grants, under their names and the owner's, without the scheduling inbox", async () => {
    await house.grant(["calendar"], { calendars: ["Work"] });
    const reach = await reachWith("calendar", "contacts");
    expect(await namesOf(reach, "calendar", eve)).toEqual(["Work (Eve): freebusy read write"]);
    expect((await reach.list("calendar")).map(({ isOwn }) => isOwn)).toEqual([true, true, false]);
    expect(await namesOf(reach, "addressbook", eve)).toEqual([]);
    await house.grant(["contacts:read", "calendar:read"]);
    expect(await namesOf(reach, "calendar", eve)).toEqual([
      "Calendar (Eve): freebusy read",
      "Work (Eve): freebusy read write",
    ]);
    expect(await namesOf(reach, "addressbook", eve)).toEqual(["Contacts (Eve): freebusy read"]);
    const [shared] = await reach.list("calendar", eve);
    expect(shared).toMatchObject({
      owner: { agent: eve, address: "eve@example.org", name: "Eve" },
      actor: expect.objectContaining({ kind: "token", agent: house.agents.ada, canApprove: false }),
    });
    expect(await reach.list("calendar", house.agents.mallory)).toEqual([]);
  });

  test("of a calendar with free-busy alone nothing that its owner wrote", async () => {
    await house.grant(["calendar:freebusy"], { calendars: ["Work"] });
    const reach = await reachWith("calendar:read");
    const [shared] = await reach.list("calendar", eve);
    expect(shared).toMatchObject({ number: work, displayName: "Eve", shownName: "Eve", itemCount: 0 });
    expect(shared!.rights).toEqual(new Set(["freebusy"]));
    expect(JSON.stringify(shared)).not.toMatch(/secret|ff0000|[Ww]ork/);
    expect(await reach.find(eve, work, "freebusy")).toEqual(shared);
    await expect(reach.find(eve, work, "read")).rejects.toMatchObject({ code: "forbidden_scope" });
  });

  test("a renamed calendar, and not a deleted one", async () => {
    await house.grant(["calendar:read"], { calendars: [house.store.ids.encode("calendar", eve, work)] });
    const reach = await reachWith("calendar");
    const collections = createCollections(house.store, createDirectPreparation());
    await collections.updateCollection(nobody, eve, work, { properties: { displayName: "Job" } });
    expect(await namesOf(reach, "calendar", eve)).toEqual(["Job (Eve): freebusy read"]);
    await collections.deleteCollection(nobody, eve, work);
    expect(await reach.list("calendar", eve)).toEqual([]);
  });
});

describe("what is asked for is", () => {
  const codeOf = (asked: Promise<unknown>) => asked.then(() => "ok").catch(({ code }) => code);

  test("found if it is visible, hidden if not, and refused without the right", async () => {
    await house.grant(["calendar:read"], { calendars: ["Work"] });
    const reach = await reachWith("calendar");
    const [calendar] = await otherCalendars();
    expect(await reach.find(eve, work, "read")).toMatchObject({ number: work });
    expect(await codeOf(reach.find(eve, work, "write"))).toBe("forbidden_scope");
    expect(await reach.find(eve, calendar!, "freebusy")).toBeUndefined();
    expect(await reach.find(eve, 999 as CollectionNumber, "read")).toBeUndefined();
    expect(await reach.find(house.agents.mallory, work, "read")).toBeUndefined();
  });

  test("by id: not found, found without a grant, found without the right", async () => {
    await house.grant(["calendar:read"], { calendars: ["Work"] });
    const reach = await reachWith("calendar");
    const [calendar, inbox] = await otherCalendars();
    const ask = (number: number, right: "read" | "write", agent = eve) =>
      codeOf(reach.reach("calendar", agent, number as CollectionNumber, right));
    expect(await ask(work, "read")).toBe("ok");
    expect(await ask(work, "write")).toBe("forbidden_scope");
    expect(await ask(calendar!, "read")).toBe("forbidden_scope");
    expect(await ask(999, "read")).toBe("not_found");
    expect(await ask(inbox!, "read")).toBe("not_found");
    expect(await ask(work, "read", house.agents.mallory)).toBe("not_found");
    expect(await ask(work, "read", 999 as AgentNumber)).toBe("not_found");
    expect(await ask(work, "read", house.agents.zoe)).toBe("forbidden_scope");
    expect(await codeOf(reach.reach("addressbook", eve, work, "read"))).toBe("forbidden_scope");
    await house.grant(["contacts"]);
    const more = await reachWith("contacts");
    expect(await codeOf(more.reach("addressbook", eve, work, "read"))).toBe("not_found");
  });

  test("a place for a new collection only where all of the kind may be written", async () => {
    const reach = await reachWith("calendar", "contacts:read");
    const { ada } = house.agents;
    expect(await reach.place("calendar", ada)).toEqual({
      agent: ada,
      actor: expect.objectContaining({ kind: "token", agent: ada, canApprove: false }),
    });
    expect(await codeOf(reach.place("addressbook", ada))).toBe("forbidden_scope");
    await house.grant(["calendar"], { calendars: ["Work"] });
    expect(await codeOf(reach.place("calendar", eve))).toBe("forbidden_scope");
    await house.grant(["calendar"]);
    expect(await codeOf(reach.place("calendar", eve))).toBe("ok");
    expect(await codeOf(reach.place("calendar", house.agents.mallory))).toBe("not_found");
  });

  /** Of eve, the default calendar and the scheduling inbox. */
  async function otherCalendars(): Promise<CollectionNumber[]> {
    const collections = createCollections(house.store, createDirectPreparation());
    return (await collections.listCollections(eve, "calendar")).slice(0, 2).map(({ number }) => number);
  }
});
