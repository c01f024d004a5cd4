/** calendar-availability of the scheduling inbox (RFC 7953 section 7.2.4): working hours change busy time and nothing else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { caldav, calendarserver } from "#/protocols/dav/xml/names.ts";
import { escapeText } from "#/protocols/dav/xml/write-xml.ts";
import { basic, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { calendarText, eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let inbox: string;
const namespace = "urn:ietf:params:xml:ns:caldav";
const name = caldav("calendar-availability");

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  inbox = `/dav/calendars/${server.ada.id}/inbox/`;
});
afterAll(() => server[Symbol.asyncDispose]());

const workingHours = calendarText(
  "BEGIN:VAVAILABILITY",
  "UID:hours",
  "DTSTAMP:20260101T000000Z",
  "BEGIN:AVAILABLE",
  "UID:hours-1",
  "DTSTAMP:20260101T000000Z",
  "DTSTART:20261001T090000Z",
  "DTEND:20261001T170000Z",
  "RRULE:FREQ=DAILY",
  "END:AVAILABLE",
  "END:VAVAILABILITY",
).toString();

function setting(text: string | undefined, { namespace: used } = name): string {
  const element = `<a:calendar-availability xmlns:a="${used}">${text === undefined ? "" : escapeText(text)}</a:calendar-availability>`;
  const action = text === undefined ? "remove" : "set";
  return `<propertyupdate xmlns="DAV:"><${action}><prop>${element}</prop></${action}></propertyupdate>`;
}

async function busyTimes(): Promise<string[]> {
  const request = calendarText(
    "METHOD:REQUEST",
    "BEGIN:VFREEBUSY",
    "UID:ask",
    "DTSTAMP:20260101T000000Z",
    "DTSTART:20261005T000000Z",
    "DTEND:20261006T000000Z",
    `ORGANIZER:mailto:${server.ada.address}`,
    `ATTENDEE:mailto:${server.ada.address}`,
    "END:VFREEBUSY",
  );
  const outbox = `/dav/calendars/${server.ada.id}/outbox/`;
  const answer = await ada.request("POST", outbox, request, { "Content-Type": "text/calendar" });
  const text = answer.xml.children[0]!.children[2]!.text.replaceAll("\r\n ", "");
  return [...text.matchAll(/FREEBUSY;FBTYPE=(.*)\r\n/g)].map(([, found]) => found!);
}

test("the owner is unavailable outside of the hours, in answers by POST and in JSON, until they are taken away", async () => {
  expect(await busyTimes()).toEqual([]);
  expect((await ada.request("PROPPATCH", inbox, setting(workingHours))).text).toContain("200 OK");
  const found = await ada.properties(inbox, name, calendarserver("calendar-availability"));
  expect([...found.values()].map(({ text }) => text.replaceAll("\r", ""))).toEqual([
    workingHours.replaceAll("\r", ""),
    workingHours.replaceAll("\r", ""),
  ]);
  expect(await busyTimes()).toEqual(["BUSY-UNAVAILABLE:20261005T000000Z/PT9H,20261005T170000Z/PT7H"]);
  const range = { since: "2026-10-05T00:00:00Z", before: "2026-10-06T00:00:00Z" };
  const search = { in: server.ada.id, kind: "freebusy", ...range };
  const { content } = await server.ada.client.ok("search", search);
  expect(content.items).toMatchObject([{ busy: "unavailable" }, { busy: "unavailable" }]);
  expect((await ada.request("PROPPATCH", inbox, setting(undefined))).text).toContain("200 OK");
  expect(await busyTimes()).toEqual([]);
});

test("free-busy-query of one calendar does not include the availability", async () => {
  await ada.request("PROPPATCH", inbox, setting(workingHours));
  const calendar = `/dav/calendars/${server.ada.id}/own/`;
  await ada.request("MKCALENDAR", calendar);
  const range = '<C:time-range start="20261005T000000Z" end="20261006T000000Z"/>';
  const query = `<C:free-busy-query xmlns:C="${namespace}">${range}</C:free-busy-query>`;
  expect((await ada.request("REPORT", calendar, query)).text).not.toContain("FREEBUSY;");
});

test.each([
  ["no iCalendar", "hello"],
  ["an event", eventText("x").toString()],
])("%s is refused as availability", async (_, text) => {
  for (const { namespace: used } of [name, calendarserver("")]) {
    const answer = await ada.request("PROPPATCH", inbox, setting(text, { ...name, namespace: used }));
    expect(answer.text).toContain("valid-calendar-data");
  }
});
