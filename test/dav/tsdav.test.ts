/** A real client of CalDAV and CardDAV (tsdav) finds, reads and writes collections with only an address and a password. */
import { createDAVClient } from "tsdav";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cardText, eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;

beforeAll(async () => {
  server = await openJsonServer();
});

afterAll(() => server[Symbol.asyncDispose]());

function connect(defaultAccountType: "caldav" | "carddav") {
  return createDAVClient({
    serverUrl: server.url,
    credentials: { username: server.ada.address, password: server.ada.token },
    authMethod: "Basic",
    defaultAccountType,
  });
}

test("calendars are found and their events written", async () => {
  const client = await connect("caldav");
  const [calendar] = await client.fetchCalendars();
  expect(calendar).toMatchObject({ displayName: "Calendar", components: expect.arrayContaining(["VEVENT"]) });
  const iCalString = eventText("by tsdav", "SUMMARY:One").toString();
  const made = await client.createCalendarObject({ calendar: calendar!, filename: "one.ics", iCalString });
  expect(made.status).toBe(201);
  const url = new URL("one.ics", calendar!.url).href;
  const etag = made.headers.get("etag")!;
  const changed = eventText("by tsdav", "SUMMARY:Two").toString();
  const updated = await client.updateCalendarObject({ calendarObject: { url, etag, data: changed } });
  expect(updated.status).toBe(204);
  const stale = await client.updateCalendarObject({ calendarObject: { url, etag, data: changed } });
  expect(stale.status).toBe(412);
  const objects = await client.fetchCalendarObjects({
    calendar: calendar!,
    timeRange: { start: "2026-01-05T00:00:00Z", end: "2026-01-06T00:00:00Z" },
  });
  expect(objects.map(({ data }) => data)).toEqual([changed.trimEnd()]);
  const [collection] = await client.fetchCalendars();
  expect(collection!.ctag).not.toBe(calendar!.ctag);
  const deleted = await client.deleteCalendarObject({
    calendarObject: { url, etag: updated.headers.get("etag")! },
  });
  expect(deleted.status).toBe(204);
});

test("a calendar is made", async () => {
  const client = await connect("caldav");
  const home = `${server.url}/dav/calendars/${server.ada.id}/`;
  await client.makeCalendar({ url: `${home}made/`, props: { displayname: "Made" } });
  expect((await client.fetchCalendars()).map(({ displayName }) => displayName)).toContain("Made");
});

test("addressbooks are found and their cards written", async () => {
  const client = await connect("carddav");
  const [addressBook] = await client.fetchAddressBooks();
  expect(addressBook).toMatchObject({ displayName: "Contacts" });
  const vCardString = cardText("by tsdav", "Ann").toString();
  const made = await client.createVCard({ addressBook: addressBook!, filename: "ann.vcf", vCardString });
  expect(made.status).toBe(201);
  const cards = await client.fetchVCards({ addressBook: addressBook! });
  expect(cards.map(({ data }) => data)).toEqual([vCardString.trimEnd()]);
});

test("tsdav follows the changes of a calendar by its sync-token", async () => {
  const client = await connect("caldav");
  const [calendar] = await client.fetchCalendars();
  const collection = { ...calendar!, objectMultiGet: client.calendarMultiGet };
  const before = await client.smartCollectionSync({ collection, method: "webdav" });
  const iCalString = eventText("synced").toString();
  await client.createCalendarObject({ calendar: calendar!, filename: "synced.ics", iCalString });
  const after = await client.smartCollectionSync({ collection: before, method: "webdav" });
  // tsdav takes white space from the ends.
  expect(after.objects?.map(({ data }) => data)).toEqual([iCalString.trimEnd()]);
});
