/** Access to the collections of other owners through grants. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { caldav, dav } from "#/protocols/dav/xml/names.ts";
import { type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let bob: DavClient;
/** Of bob, by its own name. */
let work: string;
let home: string;

const ics = { "Content-Type": "text/calendar" };

beforeEach(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, `Bearer ${server.ada.token}`);
  bob = davClient(server.url, `Bearer ${server.bob.token}`);
  home = `/dav/calendars/${server.ada.id}/`;
  work = `/dav/calendars/${server.bob.id}/work/`;
  const named = `<mkcalendar xmlns="urn:ietf:params:xml:ns:caldav" xmlns:d="DAV:"><d:set><d:prop>
    <d:displayname>Work</d:displayname></d:prop></d:set></mkcalendar>`;
  expect((await bob.request("MKCALENDAR", work, named)).status).toBe(201);
  expect((await bob.request("PUT", `${work}a.ics`, eventText("a"), ics)).status).toBe(201);
});

afterEach(() => server[Symbol.asyncDispose]());

async function grant(...scopes: string[]): Promise<number> {
  const pair = { holder: server.ada.address, target: server.bob.address };
  const { number } = await server.administer("grant.create", { ...pair, scopes, calendars: ["Work"] });
  return number as number;
}

/** Calendars in the home of the reader that are somebody else's, by what they are called. */
async function listShared(): Promise<ReadonlyMap<string, string>> {
  const answer = await ada.request("PROPFIND", home, undefined, { Depth: "1" });
  expect(answer.status).toBe(207);
  const shown = readResponses(answer).map(
    ({ href, found }) => [found.get("DAV: displayname")?.text ?? "", href] as const,
  );
  return new Map(shown.filter(([name]) => name.includes("(") || name === "bob"));
}

test("a calendar that may be read is in the reader's home and at its owner's URL, under one ETag", async () => {
  expect((await ada.request("GET", `${work}a.ics`)).status).toBe(404);
  await grant("calendar:read");
  const [[name, shared]] = [...(await listShared())] as [[string, string]];
  expect(name).toMatch(/^Work \(.+\)$/);
  const atOwners = await ada.request("GET", `${work}a.ics`);
  const atOwn = await ada.request("GET", `${shared}a.ics`);
  expect([atOwners.status, atOwn.status]).toEqual([200, 200]);
  expect(atOwn.headers.etag).toBe(atOwners.headers.etag);
  const refused = await ada.request("PUT", `${shared}b.ics`, eventText("b"), ics);
  expect([refused.status, refused.condition]).toEqual([403, "DAV: need-privileges"]);
  const seen = await ada.request("PROPFIND", `/dav/calendars/${server.bob.id}/`, undefined, { Depth: "1" });
  expect(readResponses(seen).map(({ href }) => href)).toEqual([`/dav/calendars/${server.bob.id}/`, work]);
});

test("one with write access accepts events, and only its owner changes its properties", async () => {
  await grant("calendar");
  const [shared] = [...(await listShared()).values()];
  expect((await ada.request("PUT", `${shared}b.ics`, eventText("b"), ics)).status).toBe(201);
  expect((await bob.request("GET", `${work}b.ics`)).status).toBe(200);
  expect((await ada.request("DELETE", `${work}a.ics`)).status).toBe(204);
  expect((await ada.request("DELETE", shared!)).status).toBe(403);
  const renamed = `<propertyupdate xmlns="DAV:"><set><prop><displayname>x</displayname></prop></set></propertyupdate>`;
  expect((await ada.request("PROPPATCH", shared!, renamed)).status).toBe(403);
});

test("a client cannot give access to others, neither by CS:share nor by ACL", async () => {
  const share = `<share xmlns="http://calendarserver.org/ns/" xmlns:d="DAV:"><set><d:href>mailto:${server.ada.address}</d:href><read-write/></set></share>`;
  const rule = `<acl xmlns="DAV:"><ace><principal><all/></principal><grant><privilege><read/></privilege></grant></ace></acl>`;
  const refused = [await bob.request("POST", work, share, { "Content-Type": "application/xml" })];
  refused.push(await bob.request("ACL", work, rule));
  expect(refused.map(({ status }) => status)).toEqual([403, 403]);
  expect((await ada.request("GET", `${work}a.ics`)).status).toBe(404);
  expect(await listShared()).toEqual(new Map());
});

test("of one with free-busy alone only the times are shown", async () => {
  const secret = `<propertyupdate xmlns="DAV:"><set><prop><note xmlns="urn:x">secret</note></prop></set></propertyupdate>`;
  expect((await bob.request("PROPPATCH", work, secret)).status).toBe(207);
  await grant("calendar:freebusy");
  const [shared] = [...(await listShared()).values()];
  expect(shared).toMatch(/\/calendar_\w+\/$/);
  const all = await ada.request("PROPFIND", shared!, undefined, { Depth: "1" });
  expect(all.text).not.toMatch(/secret|[Ww]ork|a\.ics/);
  for (const path of [`${shared}a.ics`, `${work}a.ics`])
    expect((await ada.request("GET", path)).status).toBe(404);
  expect((await ada.request("GET", shared!)).status).toBe(403);
  const sync = `<sync-collection xmlns="DAV:"><sync-token/><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>`;
  expect((await ada.request("REPORT", shared!, sync)).status).toBe(403);
  const asked = `<free-busy-query xmlns="urn:ietf:params:xml:ns:caldav">
    <time-range start="20260101T000000Z" end="20260201T000000Z"/></free-busy-query>`;
  const times = await ada.request("REPORT", shared!, asked, { Depth: "1" });
  expect(times.status).toBe(200);
  expect(times.text).toContain("FREEBUSY;FBTYPE=BUSY:20260105T100000Z/PT1H");
  expect(times.text).not.toContain("UID:a");
});

test("of one with free-busy alone its time zone is not shown, which is text of its owner", async () => {
  const zone = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//bob//EN",
    "BEGIN:VTIMEZONE",
    "TZID:Bob/Secret",
    "BEGIN:STANDARD",
    "DTSTART:20000101T000000",
    "TZOFFSETFROM:+0100",
    "TZOFFSETTO:+0100",
    "END:STANDARD",
    "END:VTIMEZONE",
    "END:VCALENDAR",
    "",
  ].join("\n");
  const set = `<propertyupdate xmlns="DAV:"><set><prop><C:calendar-timezone xmlns:C="urn:ietf:params:xml:ns:caldav">${zone}</C:calendar-timezone></prop></set></propertyupdate>`;
  expect((await bob.request("PROPPATCH", work, set)).text).toContain("200 OK");
  const names = [caldav("calendar-timezone"), caldav("calendar-timezone-id")];
  const keys = async () => [...(await ada.properties(work, ...names)).keys()];
  await grant("calendar:freebusy");
  const [shared] = [...(await listShared()).values()];
  expect([...(await ada.properties(shared!, ...names)).keys()]).toEqual([]);
  await grant("calendar:read");
  expect(await keys()).toEqual(["urn:ietf:params:xml:ns:caldav calendar-timezone"]);
});

test("a shared calendar does not show the quota of its owner", async () => {
  await grant("calendar");
  const [shared] = [...(await listShared()).values()];
  const used = dav("quota-used-bytes");
  for (const path of [shared!, work, `/dav/calendars/${server.bob.id}/`])
    expect([...(await ada.properties(path, used)).keys()]).toEqual([]);
  for (const path of [home, `/dav/calendars/${server.ada.id}/`])
    expect([...(await ada.properties(path, used)).keys()]).toEqual(["DAV: quota-used-bytes"]);
});

test("a revoked grant gives no access from the next request on", async () => {
  const number = await grant("calendar");
  const [shared] = [...(await listShared()).values()];
  await server.administer("grant.revoke", { number });
  expect(await listShared()).toEqual(new Map());
  for (const path of [shared!, work, `${work}a.ics`]) {
    const answer = await ada.request("PROPFIND", path, undefined, { Depth: "0" });
    expect(answer.status).toBe(404);
  }
  const privileges = await bob.properties(
    work,
    dav("current-user-privilege-set"),
    caldav("calendar-timezone"),
  );
  expect(privileges.size).toBeGreaterThan(0);
});
