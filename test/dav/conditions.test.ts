/** Conditions of a request still hold at the moment of its write, and a lock holds for every spelling of its URL. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { caldav, dav } from "#/protocols/dav/xml/names.ts";
import { basic, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { byDav, eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let calendar: string;

const ics = { "Content-Type": "text/calendar" };

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  calendar = `/dav/calendars/${server.ada.id}/conditions/`;
  expect((await ada.request("MKCALENDAR", calendar)).status).toBe(201);
});

afterAll(() => server[Symbol.asyncDispose]());

test("an entity tag in If is checked by the write itself, also when another write comes first", async () => {
  const href = `${calendar}a.ics`;
  const { headers } = await ada.request("PUT", href, eventText("a"), ics);
  const { collections } = server;
  const deleteItem = collections.deleteItem.bind(collections);
  // A write by another daemon: here the changes of one event wait for each other.
  vi.spyOn(collections, "deleteItem").mockImplementationOnce(async (agent, actor, item, ...rest) => {
    const { collection } = (await collections.findItem(agent, item))!;
    const bytes = Buffer.from(eventText("a", "SUMMARY:newer"));
    await collections.putItem(agent, actor, {
      collection,
      item,
      bytes,
      provenance: byDav,
      isAuthenticated: true,
    });
    return deleteItem(agent, actor, item, ...rest);
  });
  const late = await ada.request("DELETE", href, undefined, { If: `(["none"]) ([${headers.etag}])` });
  expect(late.status).toBe(412);
  expect((await ada.request("GET", href)).text).toContain("SUMMARY:newer");
});

test("a file is copied and moved at the version that the request relies on", async () => {
  const href = `/dav/files/${server.ada.id}/note.txt`;
  const first = await ada.request("PUT", href, "one");
  const second = await ada.request("PUT", href, "two");
  const Destination = `${href}.new`;
  for (const method of ["COPY", "MOVE"]) {
    const fields = { Destination, "If-Match": first.headers.etag! };
    expect((await ada.request(method, href, undefined, fields)).status).toBe(412);
    expect((await ada.request("GET", Destination)).status).toBe(404);
  }
  const fields = { Destination, "If-Match": second.headers.etag! };
  expect((await ada.request("MOVE", href, undefined, fields)).status).toBe(201);
});

const lockInfo = `<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>`;

test.each(["b@c.ics", "b%40c.ics", "%62%40c.ics", "/b@c.ics"])(
  "a locked resource is not written at %s without the lock token",
  async (segment) => {
    const href = `${calendar}b@c.ics`;
    await ada.request("PUT", href, eventText("b"), ics);
    const locked = await ada.request("LOCK", href, lockInfo, { Depth: "0" });
    expect(locked.status).toBe(200);
    const written = await ada.request("PUT", `${calendar}${segment}`, eventText("b"), ics);
    expect(written.status).toBe(423);
    await ada.request("UNLOCK", href, undefined, { "Lock-Token": locked.headers["lock-token"]! });
  },
);

test("a PUT whose condition fails answers the current object with Prefer: return=representation", async () => {
  const href = `${calendar}late.ics`;
  await ada.request("PUT", href, eventText("late"), ics);
  const fields = { ...ics, Prefer: "return=representation" };
  for (const condition of [{ "If-Match": '"1"' }, { "If-None-Match": "*" }]) {
    const late = await ada.request("PUT", href, eventText("late", "SUMMARY:mine"), {
      ...fields,
      ...condition,
    });
    const now = await ada.request("GET", href);
    expect([late.status, late.text]).toEqual([412, now.text]);
    expect(late.headers).toMatchObject({
      etag: now.headers.etag,
      "content-type": now.headers["content-type"],
      "content-location": href,
      "preference-applied": "return=representation",
    });
    const plain = await ada.request("PUT", href, eventText("late"), { ...ics, ...condition });
    expect(plain.xml.name).toBe("error");
  }
});

test("the Last-Modified of a calendar changes with the calendar and with its items", async () => {
  const lastModified = async () =>
    (await ada.properties(calendar, dav("getlastmodified"))).get("DAV: getlastmodified")!.text;
  const before = Date.parse(await lastModified());
  server.clock.advance(5000);
  await ada.request("PUT", `${calendar}new.ics`, eventText("new"), ics);
  const after = Date.parse(await lastModified());
  expect(after).toBe(before + 5000);
  server.clock.advance(5000);
  await ada.request("DELETE", `${calendar}new.ics`);
  expect(Date.parse(await lastModified())).toBe(after + 5000);
});

const max = "urn:ietf:params:xml:ns:caldav";

test.each([
  ["DTSTART:00001231T100000Z", "min-date-time"],
  ["DTSTART;TZID=Asia/Tokyo:00010101T000000", "min-date-time"],
  ["DTSTART:20260101T000000Z\r\nRDATE:00000101T000000Z", "min-date-time"],
  ["DTSTART;TZID=America/New_York:99991231T235959", "max-date-time"],
  ["DTSTART:99991231T233000Z\r\nDURATION:PT1H", "max-date-time"],
  ["DTSTART:20260101T000000Z\r\nDURATION:P9999999D", "max-date-time"],
  ["DTSTART:20260101T000000Z\r\nRDATE;VALUE=PERIOD:20260102T000000Z/P9999999D", "max-date-time"],
  ["DTSTART:20260101T000000Z\r\nRRULE:FREQ=SECONDLY;COUNT=10001", "max-instances"],
  [
    `DTSTART:20260101T000000Z\r\nRDATE:${"20260101T000000Z,".repeat(10_000)}20270101T000000Z`,
    "max-instances",
  ],
])("an event with %s is refused with the precondition of the limit", async (lines, condition) => {
  const found = await ada.properties(calendar, caldav(condition));
  expect(found.get(`${max} ${condition}`)!.text).toMatch(/^(?:00010101T000000Z|99991231T235959Z|10000)$/);
  const answer = await ada.request("PUT", `${calendar}limits.ics`, eventText("limits", lines), ics);
  expect([answer.status, answer.condition]).toEqual([403, `${max} ${condition}`]);
});

test.each([
  "DTSTART:00010101T000000Z",
  "DTSTART:99991231T235959Z",
  "DTSTART:99991231T233000Z\r\nDURATION:PT30M",
  "DTSTART;VALUE=DATE:99991231",
  "DTSTART:20260101T000000Z\r\nRRULE:FREQ=DAILY;COUNT=10000",
  // Times that nothing computes with are text.
  "DTSTART:20260101T000000Z\r\nCREATED:00001231T000000Z",
  "DTSTART:20260101T000000Z\r\nLAST-MODIFIED:00000000T000000Z",
])("an event with %s is at the limits and stored", async (lines) => {
  const answer = await ada.request("PUT", `${calendar}at-limits.ics`, eventText("at-limits", lines), ics);
  expect([201, 204]).toContain(answer.status);
  expect((await ada.request("GET", `${calendar}at-limits.ics`)).text).toContain(`\r\n${lines}\r\n`);
});

test("a query for times before the first one is refused", async () => {
  const range = '<C:time-range start="00000101T000000Z" end="20260101T000000Z"/>';
  const filter = `<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">${range}</C:comp-filter></C:comp-filter></C:filter>`;
  const query = `<C:calendar-query xmlns:C="${max}" xmlns:D="DAV:"><D:prop><D:getetag/></D:prop>${filter}</C:calendar-query>`;
  const answer = await ada.request("REPORT", calendar, query, { Depth: "1" });
  expect([answer.status, answer.condition]).toEqual([403, `${max} min-date-time`]);
});
