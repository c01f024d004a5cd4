/** An assistant: an agent with a grant of calendars and of sending speaks for a person, from a CalDAV client (tsdav) and over `/v1`. */
import { createDAVClient, type DAVCalendar } from "tsdav";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type CalendarOwner,
  calendarText,
  eventText,
  openSchedulingHouse,
  type SchedulingHouse,
} from "../scheduling/scheduling-house.ts";

let house: SchedulingHouse;
let mia: CalendarOwner;
let client: Awaited<ReturnType<typeof createDAVClient>>;
let calendar: DAVCalendar;

beforeAll(async () => {
  house = await openSchedulingHouse();
  await house.openPolicies();
  mia = await house.person("mia");
  const { ada, server } = house;
  await house.granted(ada, mia, ["calendar", "send"]);
  client = await createDAVClient({
    serverUrl: server.url,
    credentials: { username: ada.owner.address, password: ada.owner.token },
    authMethod: "Basic",
    defaultAccountType: "caldav",
  });
  const { number } = (await house.collections.findCollectionOfRole(mia.owner.agent, "calendar", "default"))!;
  const id = server.store.ids.encode("calendar", mia.owner.agent, number);
  calendar = (await client.fetchCalendars()).find(({ url }) => url.includes(id))!;
});
afterAll(() => house[Symbol.asyncDispose]());

const ics = (text: string) => text.replaceAll("\n", "\r\n");
const urlOf = (filename: string) => new URL(filename, calendar.url).href;
const people = "mia* mia=ACCEPTED bob mel@elsewhere.example";

const known = new Set<string>();

/** Since the last time: method, From and recipients of each mail. */
async function left(): Promise<string[]> {
  const mails = (await house.leaving()).filter(({ text }) => !known.has(text));
  return mails.map(({ to, text, calendar: body }) => {
    known.add(text);
    const [, from] = /^From: (?:.*<)?([^<>\r\n]+)>?\r?$/m.exec(text)!;
    return `${/METHOD:(\w+)/.exec(body)![1]} ${from} -> ${to.join(" ")}`;
  });
}

async function objectOf(uid: string) {
  const objects = await client.fetchCalendarObjects({ calendar });
  return objects.find(({ data }) => (data as string).includes(`UID:${uid}\r\n`))!;
}

test("invites, changes and cancels in the name of the principal", async () => {
  const event = (lines = "") => ics(calendarText(eventText(people, lines)));
  const made = await client.createCalendarObject({ calendar, filename: "meeting.ics", iCalString: event() });
  expect(made.status).toBe(201);
  expect(await left()).toEqual(["REQUEST mia@first.example -> mel@elsewhere.example"]);
  expect(await house.bob.texts()).toHaveLength(1);
  const calendarObject = { ...(await objectOf("meeting-1")), data: event("SUMMARY:Later\n") };
  expect((await client.updateCalendarObject({ calendarObject })).status).toBe(204);
  expect(await left()).toEqual(["REQUEST mia@first.example -> mel@elsewhere.example"]);
  expect((await house.bob.texts())[0]).toContain("SUMMARY:Later\n");
  const { etag } = await objectOf("meeting-1");
  const gone = await client.deleteCalendarObject({
    calendarObject: { url: urlOf("meeting.ics"), etag: etag! },
  });
  expect(gone.status).toBe(204);
  expect(await left()).toEqual(["CANCEL mia@first.example -> mel@elsewhere.example"]);
  expect((await house.bob.texts())[0]).toContain("STATUS:CANCELLED\n");
});

test("answers and proposes another time in the name of the principal", async () => {
  const invitation = calendarText(eventText("olga*@organizer.example mia", "", "visit"));
  await house.arrive(mia, "REQUEST", "olga@organizer.example", invitation);
  const object = await objectOf("visit");
  const data = (object.data as string).replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED");
  expect((await client.updateCalendarObject({ calendarObject: { ...object, data } })).status).toBe(204);
  expect(await left()).toEqual(["REPLY mia@first.example -> olga@organizer.example"]);
  const { server, ada } = house;
  const item = (await mia.items()).find(({ uid }) => uid === "visit")!;
  const proposed = await ada.owner.client.call("event.update", {
    id: server.store.ids.encode("event", mia.owner.agent, item.number),
    version: String(item.modseq),
    patch: { "participants/me/waypost:proposal": "2026-10-07T10:00:00Z/2026-10-07T11:00:00Z" },
    invite: "send",
  });
  expect(proposed.status).toBe(200);
  expect(await left()).toEqual(["COUNTER mia@first.example -> olga@organizer.example"]);
});

test("has what it changes for the principal approved by nobody else: the principal goes on with it", async () => {
  const event = (lines = "") => calendarText(eventText(people, lines, "shared"));
  await client.createCalendarObject({ calendar, filename: "shared.ics", iCalString: ics(event()) });
  await left();
  const item = (await mia.items()).find(({ uid }) => uid === "shared")!;
  const told = await mia.put(event("SUMMARY:Mine\n"), { item: item.number });
  expect(told.recipients.map(({ state }) => state)).toEqual(["delivered", "sent"]);
  expect(await left()).toEqual(["REQUEST mia@first.example -> mel@elsewhere.example"]);
});
