/** Messages are computed against what each recipient was really told: what waits, was declined or refused has told nobody. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { nobody } from "#/src/model/author.ts";
import { createHolds } from "#/src/outbound/holds/create-holds.ts";
import { listCalendarMessages } from "#/storage/queries/collections/calendar-messages.ts";
import {
  calendarIn,
  calendarText,
  eventText,
  openSchedulingHouse,
  plain,
  type SchedulingHouse,
} from "./scheduling-house.ts";

let house: SchedulingHouse;
beforeEach(async () => {
  house = await openSchedulingHouse();
});
afterEach(async () => {
  await house[Symbol.asyncDispose]();
});

const invitation = (people: string, lines?: string) => calendarText(eventText(people, lines));
const stranger = "ada* ada=ACCEPTED mel@elsewhere.example";

interface Held {
  readonly hold: number;
  readonly state: string;
  readonly version: string;
}

async function holds(): Promise<Held[]> {
  const rows = await house.server.store.all<{ hold: number; state: string; modseq: number }>(
    "select hold_id as hold, state, modseq from hold order by hold_id",
  );
  return rows.map(({ modseq, ...row }) => ({ ...row, version: String(modseq) }));
}

async function decide(hold: number, action: "approve" | "decline"): Promise<void> {
  await house.server.administer(`hold.${action}`, {
    hold: house.server.store.ids.encode("hold", house.ada.owner.agent, hold),
  });
  await release();
}

/** Sends what is approved, after its grace time. */
async function release(): Promise<void> {
  const { server } = house;
  server.clock.advance(120_000);
  const { store, accounts, settings, outbound } = server;
  const prepare = (bytes: Uint8Array) => prepareMessage(Buffer.from(bytes));
  await createHolds({ store, accounts, settings, outbound, prepare }).runDue();
}

const methodsOf = (mails: Awaited<ReturnType<SchedulingHouse["leaving"]>>) =>
  mails.map(({ to, calendar }) => `${/METHOD:(\w+)/.exec(calendar)?.[1]} ${to.join(" ")}`);

async function told(): Promise<string[]> {
  const rows = await listCalendarMessages(house.server.store, house.ada.owner.agent, "meeting-1");
  return rows.map(
    ({ state, method, recipients }) => `${state} ${method} ${recipients.map(([to]) => to).join(" ")}`,
  );
}

describe("an invitation that waits", () => {
  test("is replaced by the one of a later change, and does not outlive the event", async () => {
    const { ada } = house;
    const { item } = await ada.put(invitation(stranger));
    const changed = await ada.put(invitation(stranger, "SUMMARY:Second\n"), { item });
    const waiting = await holds();
    expect(waiting.map(({ state }) => state)).toEqual(["withdrawn", "waiting"]);
    expect(changed.recipients).toEqual([
      { address: "mel@elsewhere.example", state: "held", reason: "invitation", hold: waiting[1]!.hold },
    ]);
    const deleted = await ada.delete(item);
    expect(deleted).toMatchObject({
      scheduling: "none",
      recipients: [{ address: "mel@elsewhere.example", state: "superseded" }],
    });
    expect((await holds()).map(({ state }) => state)).toEqual(["withdrawn", "withdrawn"]);
    expect(await house.leaving()).toEqual([]);
    expect(await told()).toEqual([]);
  });

  test("is taken back where the event is deleted without messages, or with its calendar", async () => {
    const { ada, scheduling, collections } = house;
    const { item } = await ada.put(invitation(stranger));
    await ada.delete(item, { messages: "none" });
    expect((await holds()).map(({ state }) => state)).toEqual(["withdrawn"]);
    const { collection } = await collections.createCollection(nobody, ada.owner.agent, {
      kind: "calendar",
      properties: { displayName: "Other" },
    });
    await ada.put(invitation(stranger), { collection });
    await scheduling.deleteCalendar(ada.writer, collection, undefined, { messages: "none" });
    expect((await holds()).map(({ state }) => state)).toEqual(["withdrawn", "withdrawn"]);
  });

  test("is made again for the others when one of its recipients is removed", async () => {
    const { ada } = house;
    const { item } = await ada.put(invitation(`${stranger} kim@else.example`));
    await ada.put(invitation(stranger), { item });
    const [first, second, ...more] = await holds();
    expect([first!.state, second!.state, more.length]).toEqual(["withdrawn", "waiting", 0]);
    await decide(second!.hold, "approve");
    expect(methodsOf(await house.leaving())).toEqual(["REQUEST mel@elsewhere.example"]);
    const [mail] = await house.leaving();
    expect(mail!.text).not.toContain("kim@else.example");
  });

  test("stays as it is when a change is no news for anybody", async () => {
    const { ada } = house;
    const { item } = await ada.put(invitation(stranger));
    const [before] = await holds();
    await ada.put(invitation(stranger, "X-NOTE:mine\n"), { item });
    expect(await holds()).toEqual([before]);
  });

  test("to the whole series is not replaced by one to an instance", async () => {
    const { ada } = house;
    const series = eventText(stranger, "RRULE:FREQ=WEEKLY\n");
    const third = "RECURRENCE-ID:20261019T100000Z\nDTSTART:20261019T120000Z\nDTEND:20261019T130000Z\n";
    const { item } = await ada.put(calendarText(series));
    await ada.put(calendarText(series, eventText(stranger, third)), { item });
    const [, second] = await holds();
    await decide(second!.hold, "approve");
    const [mail] = await house.leaving();
    expect(mail!.calendar).toMatch(/RRULE:FREQ=WEEKLY\n/);
    expect(mail!.calendar).toMatch(/RECURRENCE-ID:20261019T100000Z\n/);
  });

  test("tells who was told before only what is new since then", async () => {
    const { ada, server } = house;
    await house.openPolicies();
    const { item } = await ada.put(invitation(stranger));
    await server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "always" });
    await ada.put(invitation(stranger, "SUMMARY:Second\n"), { item });
    // Back to what the attendee knows: nothing is to be said any more.
    const back = await ada.put(invitation(stranger), { item });
    expect(back).toMatchObject({ scheduling: "none", recipients: [{ state: "superseded" }] });
    expect((await holds()).map(({ state }) => state)).toEqual(["withdrawn"]);
    expect((await ada.texts())[0]).toMatch(/SCHEDULE-STATUS=1\.1[^\n]*:mailto:mel@/);
    expect(await told()).toEqual(["left REQUEST mailto:mel@elsewhere.example"]);
  });
});

describe("who was never told", () => {
  test("gets no cancellation: the invitation was declined", async () => {
    const { ada } = house;
    const { item } = await ada.put(invitation(stranger));
    await decide((await holds())[0]!.hold, "decline");
    await house.openPolicies();
    expect((await ada.delete(item)).scheduling).toBe("none");
    expect(await house.leaving()).toEqual([]);
  });

  test("gets no cancellation: the event was stored without invitations, and gets it whole with the next change", async () => {
    const { ada, bob } = house;
    await house.openPolicies();
    const both = `${stranger} bob`;
    const first = await ada.put(invitation(both), {}, { messages: "none" });
    await ada.delete(first.item);
    expect(await house.leaving()).toEqual([]);
    expect(await bob.texts()).toEqual([]);
    const { item } = await ada.put(invitation(both), {}, { messages: "none" });
    await ada.put(invitation(both, "SUMMARY:Second\n"), { item });
    expect(methodsOf(await house.leaving())).toEqual(["REQUEST mel@elsewhere.example"]);
    expect((await bob.texts())[0]).toContain("SUMMARY:Second\n");
  });

  test("gets the whole event after its first invitation was declined", async () => {
    const { ada } = house;
    const series = eventText(stranger, "RRULE:FREQ=WEEKLY\n");
    const third = "RECURRENCE-ID:20261019T100000Z\nDTSTART:20261019T120000Z\nDTEND:20261019T130000Z\n";
    const { item } = await ada.put(calendarText(series));
    await decide((await holds())[0]!.hold, "decline");
    await house.openPolicies();
    await ada.put(calendarText(series, eventText(stranger, third)), { item });
    const [mail] = await house.leaving();
    expect(mail!.calendar).toMatch(/RRULE:FREQ=WEEKLY\n/);
  });
});

describe("a cancellation", () => {
  test("goes to who was told, after a change that waits", async () => {
    const { ada, server } = house;
    await house.openPolicies();
    const { item } = await ada.put(invitation(stranger));
    await server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "always" });
    await ada.put(invitation(stranger, "SUMMARY:Second\n"), { item });
    await server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "open" });
    await ada.delete(item);
    expect(methodsOf(await house.leaving())).toEqual([
      "REQUEST mel@elsewhere.example",
      "CANCEL mel@elsewhere.example",
    ]);
    expect(calendarIn((await house.leaving())[1]!.text)).toContain("SUMMARY:Planning\n");
    expect((await holds()).map(({ state }) => state)).toEqual(["withdrawn"]);
  });

  test("that waits is taken back when the event is put back", async () => {
    const { ada, server } = house;
    await house.openPolicies();
    const { item } = await ada.put(invitation(stranger));
    await server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "always" });
    await ada.delete(item);
    expect((await holds()).map(({ state }) => state)).toEqual(["waiting"]);
    await ada.put(invitation(stranger));
    expect((await holds())[0]!.state).toBe("withdrawn");
  });
});

describe("an approved invitation", () => {
  test("does not leave once its event is gone", async () => {
    const { ada, server } = house;
    const { item } = await ada.put(invitation(stranger));
    const [hold] = await holds();
    await server.administer("hold.approve", {
      hold: server.store.ids.encode("hold", ada.owner.agent, hold!.hold),
    });
    // Behind the back of scheduling, as an operation that does not know of it.
    await house.collections.deleteItem(ada.owner.agent, ada.writer.actor, item);
    await release();
    expect((await holds()).map(({ state }) => state)).toEqual(["failed"]);
    expect(await house.leaving()).toEqual([]);
  });
});

describe("an answer that waits", () => {
  const invited = "olga*@organizer.example ada";
  async function answer(partstat: string, pattern = /PARTSTAT=[A-Z-]+|RSVP=TRUE/) {
    const [item] = await house.ada.items();
    await house.ada.put(plain(item!.bytes).replace(pattern, `PARTSTAT=${partstat}`), { item: item!.number });
  }

  test("is replaced by a later one", async () => {
    const { ada, server } = house;
    await server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "always" });
    await house.arrive(ada, "REQUEST", "olga@organizer.example", invitation(invited));
    await answer("ACCEPTED");
    await answer("DECLINED");
    const [first, second, ...more] = await holds();
    expect([first!.state, second!.state, more.length]).toEqual(["withdrawn", "waiting", 0]);
    await decide(second!.hold, "approve");
    const [mail] = await house.leaving();
    expect(mail!.calendar).toContain("PARTSTAT=DECLINED");
  });

  test("about an instance stays when another instance is answered, and is said with the series", async () => {
    const { ada, server } = house;
    await server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "always" });
    const series = eventText(invited, "RRULE:FREQ=WEEKLY\n");
    await house.arrive(ada, "REQUEST", "olga@organizer.example", calendarText(series));
    const at = (day: string, partstat: string) =>
      eventText(
        `olga*@organizer.example ada=${partstat}`,
        `RECURRENCE-ID:202610${day}T100000Z\nDTSTART:202610${day}T100000Z\nDTEND:202610${day}T110000Z\n`,
      );
    const item = (await ada.items())[0]!.number;
    await ada.put(calendarText(series, at("12", "DECLINED")), { item });
    await ada.put(calendarText(series, at("12", "DECLINED"), at("19", "DECLINED")), { item });
    expect((await holds()).map(({ state }) => state)).toEqual(["waiting", "waiting"]);
    const accepted = series.replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED");
    await ada.put(calendarText(accepted, at("12", "DECLINED"), at("19", "DECLINED")), { item });
    expect((await holds()).map(({ state }) => state)).toEqual(["withdrawn", "withdrawn", "waiting"]);
    await decide((await holds())[2]!.hold, "approve");
    const [mail] = await house.leaving();
    expect(mail!.calendar.match(/PARTSTAT=DECLINED/g)).toHaveLength(2);
    expect(mail!.calendar.match(/PARTSTAT=ACCEPTED/g)).toHaveLength(1);
  });
});

test("rows of a deleted event go with the last message about it", async () => {
  const { ada } = house;
  await house.openPolicies();
  const { item } = await ada.put(invitation(stranger));
  expect(await told()).not.toEqual([]);
  await house.server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "always" });
  await ada.delete(item);
  expect(await told()).not.toEqual([]);
  await decide((await holds())[0]!.hold, "decline");
  expect(await told()).toEqual([]);
});
