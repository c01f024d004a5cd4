/** CalDAV scheduling (RFC 6638) as conversations: ada invites bob, and bob answers; busy time by POST. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { caldav, dav } from "#/protocols/dav/xml/names.ts";
import { calendarText, eventText, plain } from "../scheduling/scheduling-house.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { type JsonServer, type Owner, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let bob: DavClient;
let adaCalendar: string;
let bobCalendar: string;
let count = 0;

const ics = { "Content-Type": "text/calendar; charset=utf-8" };

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  bob = davClient(server.url, basic(server.bob.address, server.bob.token));
  adaCalendar = await defaultCalendar(ada, server.ada);
  bobCalendar = await defaultCalendar(bob, server.bob);
});
afterAll(() => server[Symbol.asyncDispose]());

async function defaultCalendar(client: DavClient, owner: Owner): Promise<string> {
  const listed = await client.request("PROPFIND", `/dav/calendars/${owner.id}/`, undefined, { Depth: "1" });
  return readResponses(listed).find(({ found }) => found.get("DAV: displayname")?.text === "Calendar")!.href;
}

async function itemsIn(client: DavClient, href: string): Promise<string[]> {
  const listed = await client.request("PROPFIND", href, undefined, { Depth: "1" });
  return readResponses(listed)
    .map((one) => one.href)
    .filter((one) => one !== href);
}

function invitation(people: string, lines = ""): string {
  return calendarText(eventText(people, lines, `dav-${count}`)).replaceAll("\n", "\r\n");
}

/** Puts an invitation of bob; answers its URL, and that of bob's copy. */
async function invite(): Promise<{ readonly own: string; readonly copy: string }> {
  count++;
  const own = `${adaCalendar}meeting-${count}.ics`;
  const before = new Set(await itemsIn(bob, bobCalendar));
  expect((await ada.request("PUT", own, invitation("ada* ada=ACCEPTED bob"), ics)).status).toBe(201);
  const [copy] = (await itemsIn(bob, bobCalendar)).filter((one) => !before.has(one));
  return { own, copy: copy! };
}

test("OPTIONS says that the server schedules", async () => {
  expect((await ada.request("OPTIONS", adaCalendar)).headers.dav).toContain("calendar-auto-schedule");
});

test("PUT of an invitation answers a Schedule-Tag and no ETag, since it was changed", async () => {
  count++;
  const answer = await ada.request("PUT", `${adaCalendar}plain-${count}.ics`, invitation("ada* bob"), ics);
  expect(answer.headers.etag).toBeUndefined();
  expect(answer.headers["schedule-tag"]).toMatch(/^"\d+"$/);
  const get = await ada.request("GET", `${adaCalendar}plain-${count}.ics`);
  expect(get.headers["schedule-tag"]).toBe(answer.headers["schedule-tag"]);
  expect(plain(get.bytes)).toContain("SCHEDULE-STATUS=1.2:mailto:bob@first.example\n");
  const shown = await ada.request(
    "PUT",
    `${adaCalendar}plain-${count}.ics`,
    invitation("ada* bob", "SUMMARY:New\n"),
    {
      ...ics,
      Prefer: "return=representation",
    },
  );
  expect(plain(shown.bytes)).toMatch(/SCHEDULE-STATUS=1\.2/);
});

test("an event with more attendees than max-attendees-per-instance is refused", async () => {
  count++;
  const found = await ada.properties(adaCalendar, caldav("max-attendees-per-instance"));
  const most = Number(found.get("urn:ietf:params:xml:ns:caldav max-attendees-per-instance")!.text);
  const people = Array.from({ length: most + 1 }, (_, at) => `p${at}@far.example`).join(" ");
  const answer = await ada.request("PUT", `${adaCalendar}many.ics`, invitation(`ada* ${people}`), ics);
  expect([answer.status, answer.condition]).toEqual([
    403,
    "urn:ietf:params:xml:ns:caldav max-attendees-per-instance",
  ]);
});

test("an answer of an attendee does not change the organizer's Schedule-Tag", async () => {
  const { own, copy } = await invite();
  const tag = (await ada.request("GET", own)).headers["schedule-tag"]!;
  const text = (await bob.request("GET", copy)).text.replace(
    "NEEDS-ACTION;RSVP=TRUE:mailto:bob",
    "ACCEPTED:mailto:bob",
  );
  expect((await bob.request("PUT", copy, text, ics)).status).toBe(204);
  const fields = { ...ics, "If-Schedule-Tag-Match": tag };
  const changed = await ada.request("PUT", own, invitation("ada* ada=ACCEPTED bob", "SUMMARY:New\n"), fields);
  expect(changed.status).toBe(204);
  expect(plain((await ada.request("GET", own)).bytes)).toMatch(/PARTSTAT=ACCEPTED[^\n]*bob/);
  expect((await ada.request("PUT", own, invitation("ada* bob"), fields)).status).toBe(412);
});

test("an attendee cannot change properties of the organizer", async () => {
  const { copy } = await invite();
  const text = (await bob.request("GET", copy)).text.replace("SUMMARY:Planning", "SUMMARY:Mine");
  const answer = await bob.request("PUT", copy, text, ics);
  expect([answer.status, answer.condition]).toEqual([
    403,
    "urn:ietf:params:xml:ns:caldav allowed-attendee-scheduling-object-change",
  ]);
});

test("a second scheduling object with the same UID is refused, and the refusal names the first", async () => {
  const { own } = await invite();
  const other = `/dav/calendars/${server.ada.id}/other-${count}/`;
  expect((await ada.request("MKCALENDAR", other)).status).toBe(201);
  const answer = await ada.request("PUT", `${other}again.ics`, invitation("ada* bob"), ics);
  expect([answer.status, answer.condition]).toEqual([
    403,
    "urn:ietf:params:xml:ns:caldav unique-scheduling-object-resource",
  ]);
  expect(answer.text).toContain(`<D:href>${own}</D:href>`);
});

test("Schedule-Reply: F deletes without an answer to the organizer", async () => {
  const [quiet, told] = [await invite(), await invite()];
  expect((await bob.request("DELETE", quiet.copy, undefined, { "Schedule-Reply": "F" })).status).toBe(204);
  expect((await bob.request("DELETE", told.copy)).status).toBe(204);
  expect((await ada.request("GET", quiet.own)).text).not.toContain("PARTSTAT=DECLINED");
  expect((await ada.request("GET", told.own)).text).toContain("PARTSTAT=DECLINED");
});

test("the scheduling inbox has the messages, and its owner deletes them", async () => {
  await invite();
  const inbox = `/dav/calendars/${server.bob.id}/inbox/`;
  const messages = await itemsIn(bob, inbox);
  const last = (await bob.request("GET", messages.at(-1)!)).text;
  expect(last).toContain("METHOD:REQUEST\r\n");
  expect((await bob.request("DELETE", messages.at(-1)!)).status).toBe(204);
  expect(await itemsIn(bob, inbox)).toHaveLength(messages.length - 1);
});

function busyRequest(organizer: string, ...attendees: readonly string[]): string {
  return `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Client//EN
METHOD:REQUEST
BEGIN:VFREEBUSY
UID:busy-1
DTSTAMP:20260101T000000Z
DTSTART:20261001T000000Z
DTEND:20261010T000000Z
ORGANIZER:mailto:${organizer}
${attendees.map((one) => `ATTENDEE:mailto:${one}\n`).join("")}END:VFREEBUSY
END:VCALENDAR
`.replaceAll("\n", "\r\n");
}

test("a busy time request is answered for calendars in reach, and with a request status for others", async () => {
  const { copy } = await invite();
  const accepted = (await bob.request("GET", copy)).text.replace(
    "NEEDS-ACTION;RSVP=TRUE:mailto:bob",
    "ACCEPTED:mailto:bob",
  );
  await bob.request("PUT", copy, accepted, ics);
  const outbox = `/dav/calendars/${server.bob.id}/outbox/`;
  const asked = busyRequest(
    "bob@first.example",
    "bob@first.example",
    "ada@first.example",
    "mel@else.example",
    "nobody@first.example",
  );
  const answer = await bob.request("POST", outbox, asked, ics);
  expect(answer.status).toBe(200);
  const [own, ...others] = answer.xml.children;
  expect(own!.children[1]!.text).toBe("2.0;Success");
  expect(own!.children[2]!.text).toMatch(
    /METHOD:REPLY\r\n[\s\S]*FREEBUSY;FBTYPE=BUSY:20261005T100000Z\/PT1H\r\n/,
  );
  expect(others.map(({ children }) => children[1]!.text)).toEqual([
    "3.8;No authority",
    "5.3;No scheduling support for user",
    "3.7;Invalid calendar user",
  ]);
});

test.each([
  ["valid-scheduling-message", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"],
  ["valid-organizer", busyRequest("ada@first.example", "bob@first.example")],
])("a POST to the outbox that violates %s is refused with that precondition", async (condition, body) => {
  const answer = await bob.request("POST", `/dav/calendars/${server.bob.id}/outbox/`, body, ics);
  expect([answer.status, answer.condition]).toEqual([403, `urn:ietf:params:xml:ns:caldav ${condition}`]);
});

test("a POST to another's outbox is refused", async () => {
  const answer = await bob.request(
    "POST",
    `/dav/calendars/${server.ada.id}/outbox/`,
    busyRequest("ada@first.example"),
    ics,
  );
  expect(answer.status).toBe(404);
  expect(await ada.properties(`/dav/calendars/${server.ada.id}/outbox/`, dav("resourcetype"))).toBeDefined();
});

test("a POST to the outbox is refused with its precondition when the body is no iCalendar or no request", async () => {
  const outbox = `/dav/calendars/${server.ada.id}/outbox/`;
  for (const [body, condition] of [
    ["Hello", "urn:ietf:params:xml:ns:caldav valid-calendar-data"],
    [invitation("ada* bob"), "urn:ietf:params:xml:ns:caldav valid-scheduling-message"],
  ] as const) {
    const answer = await ada.request("POST", outbox, body, ics);
    expect([answer.status, answer.condition]).toEqual([403, condition]);
  }
});

test("DELETE of a calendar cancels its events, and with Schedule-Reply: F declines none", async () => {
  const mine = `/dav/calendars/${server.ada.id}/mine-${++count}/`;
  await ada.request("MKCALENDAR", mine);
  const before = new Set(await itemsIn(bob, bobCalendar));
  await ada.request("PUT", `${mine}one.ics`, invitation("ada* ada=ACCEPTED bob"), ics);
  const [copy] = (await itemsIn(bob, bobCalendar)).filter((one) => !before.has(one));
  expect((await ada.request("DELETE", mine)).status).toBe(204);
  expect((await bob.request("GET", copy!)).text).toContain("STATUS:CANCELLED");

  const { own, copy: asked } = await invite();
  const theirs = `/dav/calendars/${server.bob.id}/theirs-${count}/`;
  await bob.request("MKCALENDAR", theirs);
  const answered = await ada.request("GET", own);
  await bob.request("MOVE", asked, undefined, { Destination: `${theirs}one.ics` });
  expect((await ada.request("GET", own)).headers.etag).toBe(answered.headers.etag);
  expect((await bob.request("DELETE", theirs, undefined, { "Schedule-Reply": "F" })).status).toBe(204);
  expect((await ada.request("GET", own)).text).not.toContain("PARTSTAT=DECLINED");
});
