import { expect, it } from "vitest";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { inTurn } from "#/src/scheduling/turns.ts";
import { openJsonServer } from "../support/servers/json-server.ts";
import { calendarText, eventText, openSchedulingHouse, type SchedulingHouse } from "./scheduling-house.ts";

it("changes of events with one UID wait for each other in an account, and for no other account", async () => {
  await using server = await openJsonServer();
  const { accounts, ada, bob, eve } = server;
  const first = Promise.withResolvers<void>();
  const done: string[] = [];
  const change = (name: string, agent: typeof ada.agent, work: () => Promise<void> = async () => {}) =>
    inTurn(accounts, { agent, uid: "one" }, async () => {
      await work();
      done.push(name);
    });
  const begun = Promise.withResolvers<void>();
  const ofAda = change("ada", ada.agent, () => {
    begun.resolve();
    return first.promise;
  });
  await begun.promise;
  const ofBob = change("bob", bob.agent);
  await change("eve", eve.agent);
  expect(done).toEqual(["eve"]);
  first.resolve();
  await Promise.all([ofAda, ofBob]);
  expect(done).toEqual(["eve", "ada", "bob"]);
});

type Door = (house: SchedulingHouse, uid: string, calendar: CollectionNumber) => Promise<unknown>;

const people = "ada* ada=ACCEPTED bob";
const numberIn = async ({ ada, collections }: SchedulingHouse, uid: string) =>
  (await collections.findItemsByUid(ada.owner.agent, uid, { kind: "calendar" }))[0]!.number;
const doors: Readonly<Record<string, Door>> = {
  "a change": async (house, uid, collection) =>
    house.ada.put(calendarText(eventText(people, "SUMMARY:Later\n", uid)), {
      collection,
      item: await numberIn(house, uid),
    }),
  "a deletion": async (house, uid) => house.ada.delete(await numberIn(house, uid)),
  "the deletion of its calendar": ({ ada, scheduling }, _, calendar) =>
    scheduling.deleteCalendar(ada.writer, calendar),
  "a move to another owner": async (house, uid) => {
    const { ada, eve, scheduling, collections } = house;
    const { number } = (await collections.findCollectionOfRole(eve.owner.agent, "calendar", "default"))!;
    const target = { collection: number, segment: `${uid}.ics`, overwrite: false };
    await scheduling.moveToOther(ada.writer, await numberIn(house, uid), eve.writer, target);
  },
  "an answer that comes by mail": (house, uid) =>
    house.arrive(
      house.ada,
      "REPLY",
      "mel@elsewhere.example",
      calendarText(eventText("ada* mel@elsewhere.example=ACCEPTED", "", uid)),
    ),
};

it.each(Object.entries(doors))("%s of an event waits for the change before it", async (_, act) => {
  await using house = await openSchedulingHouse();
  await house.openPolicies();
  const { ada, collections, server } = house;
  const calendars: Record<string, CollectionNumber> = {};
  for (const uid of ["held", "free"]) {
    const { collection } = await collections.createCollection(ada.writer.actor, ada.owner.agent, {
      kind: "calendar",
      properties: { displayName: uid },
    });
    calendars[uid] = collection;
    await ada.put(calendarText(eventText(`${people} mel@elsewhere.example`, "", uid)), { collection });
  }
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const done: string[] = [];
  const before = inTurn(server.accounts, { agent: ada.owner.agent, uid: "held" }, async () => {
    begun.resolve();
    await first.promise;
    done.push("first");
  });
  await begun.promise;
  const after = act(house, "held", calendars.held!).then(() => done.push("held"));
  // It begins later, and has as many steps.
  await act(house, "free", calendars.free!);
  const early = [...done];
  first.resolve();
  await Promise.all([before, after]);
  expect([early, done]).toEqual([[], ["first", "held"]]);
});
