/** Managed attachments (RFC 8607) as conversations: ada attaches a file, the attendee bob may read it, others may not. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { caldav } from "#/protocols/dav/xml/names.ts";
import { calendarText, plain, eventText as schedulingEvent } from "../scheduling/scheduling-house.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { eventText } from "../support/items.ts";
import { type JsonServer, type Owner, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let bob: DavClient;
let eve: DavClient;
let calendar: string;
let count = 0;

const ics = { "Content-Type": "text/calendar" };
const textFile = { "Content-Type": "text/plain", "Content-Disposition": "attachment;filename=test.txt" };
const representation = { Prefer: "return=representation" };
const zoned = [
  "DTSTART;TZID=Europe/Berlin:20260302T100000",
  "DTEND;TZID=Europe/Berlin:20260302T110000",
  "RRULE:FREQ=DAILY;COUNT=5",
];

beforeAll(async () => {
  server = await openJsonServer();
  const clientOf = (owner: Owner) => davClient(server.url, basic(owner.address, owner.token));
  [ada, bob, eve] = [clientOf(server.ada), clientOf(server.bob), clientOf(server.eve)];
  calendar = await calendarOf(ada, server.ada);
});
afterAll(() => server[Symbol.asyncDispose]());

async function calendarOf(client: DavClient, owner: Owner): Promise<string> {
  const listed = await client.request("PROPFIND", `/dav/calendars/${owner.id}/`, undefined, { Depth: "1" });
  return readResponses(listed).find(({ found }) => found.get("DAV: displayname")?.text === "Calendar")!.href;
}

async function putEvent(...lines: readonly string[]): Promise<string> {
  const href = `${calendar}attached-${++count}.ics`;
  expect((await ada.request("PUT", href, eventText(`attached-${count}`, ...lines), ics)).status).toBe(201);
  return href;
}

async function textOf(client: DavClient, href: string): Promise<string> {
  return (await client.request("GET", href)).text.replaceAll("\r\n ", "");
}

async function attach(href: string, bytes = "some text", query = "", headers = {}) {
  const answer = await ada.request("POST", `${href}?action=attachment-add${query}`, bytes, {
    ...textFile,
    ...headers,
  });
  const { location } = answer.headers;
  return {
    answer,
    managedId: answer.headers["cal-managed-id"]!,
    path: location === undefined ? "" : new URL(location).pathname,
  };
}

test("OPTIONS and properties say that attachments are managed here", async () => {
  expect((await ada.request("OPTIONS", calendar)).headers.dav).toContain("calendar-managed-attachments");
  const names = ["max-attachment-size", "max-attachments-per-resource", "managed-attachments-server-URL"];
  const found = await ada.properties(`/dav/calendars/${server.ada.id}/`, ...names.map(caldav));
  expect([...found.values()].map(({ text }) => text)).toEqual(["16777216", "100", ""]);
});

test("an attachment is added, read, replaced by one of another name, and removed", async () => {
  const href = await putEvent();
  const before = (await ada.request("GET", href)).headers.etag;
  const { answer, managedId, path } = await attach(href);
  expect(answer).toMatchObject({ status: 201, text: "" });
  expect(answer.headers.etag).toBeUndefined();
  const text = await textOf(ada, href);
  expect(text).toContain(
    `ATTACH;FILENAME=test.txt;FMTTYPE=text/plain;MANAGED-ID=${managedId};SIZE=9:${answer.headers.location}\r\n`,
  );
  expect((await ada.request("GET", href)).headers.etag).not.toBe(before);
  const got = await ada.request("GET", path);
  expect(got).toMatchObject({ status: 200, text: "some text" });
  expect(got.headers).toMatchObject({
    "content-type": "text/plain",
    "content-disposition": "attachment; filename*=UTF-8''test.txt",
    "content-security-policy": "sandbox",
    "x-content-type-options": "nosniff",
  });
  const etag = String(got.headers.etag);
  expect((await ada.request("GET", path, undefined, { "If-None-Match": etag })).status).toBe(304);

  const updated = await ada.request(
    "POST",
    `${href}?action=attachment-update&managed-id=${managedId}`,
    "other text!",
    { ...textFile, "Content-Disposition": 'attachment; filename="C:\\x\\new.txt"', ...representation },
  );
  expect(updated.status).toBe(200);
  const next = updated.headers["cal-managed-id"]!;
  expect(next).not.toBe(managedId);
  expect(updated.headers.etag).toBe((await ada.request("GET", href)).headers.etag);
  expect(updated.text.replaceAll("\r\n ", "")).toMatch(
    /FILENAME=new\.txt;FMTTYPE=text\/plain;MANAGED-ID=[^;]*;SIZE=11:/,
  );
  expect(updated.text).not.toContain(managedId);
  expect((await ada.request("GET", path)).condition).toBe("DAV: need-privileges");
  expect((await ada.request("GET", new URL(updated.headers.location!).pathname)).text).toBe("other text!");

  const remove = `${href}?action=attachment-remove&managed-id=${next}`;
  expect((await ada.request("POST", remove)).status).toBe(204);
  expect(await textOf(ada, href)).not.toContain("ATTACH");
  expect((await ada.request("POST", remove)).condition).toBe(
    "urn:ietf:params:xml:ns:caldav valid-managed-id-parameter",
  );
});

test("return=representation answers the object with its ETag", async () => {
  const href = await putEvent();
  const { answer } = await attach(href, "x", "", representation);
  expect(answer.status).toBe(201);
  expect(answer.headers["content-location"]).toBe(href);
  const got = await ada.request("GET", href);
  expect([answer.text, answer.headers.etag]).toEqual([got.text, got.headers.etag]);
});

test("an instance gets an attachment of its own, and another loses that of the series", async () => {
  const href = await putEvent(...zoned);
  const series = await attach(href, "of all", "&rid=M");
  const single = await attach(href, "of one", "&rid=20260303T090000Z");
  expect([series.answer.status, single.answer.status]).toEqual([201, 201]);
  const components = (await textOf(ada, href)).split("BEGIN:VEVENT").slice(1);
  expect(components).toHaveLength(2);
  expect(components[0]).toContain(series.managedId);
  expect(components[0]).not.toContain(single.managedId);
  expect(components[1]).toContain("RECURRENCE-ID;TZID=Europe/Berlin:20260303T100000");
  expect(components[1]).toContain("DTEND;TZID=Europe/Berlin:20260303T110000");
  expect(components[1]).toContain(series.managedId);
  expect(components[1]).toContain(single.managedId);
  const removed = await ada.request(
    "POST",
    `${href}?action=attachment-remove&managed-id=${series.managedId}&rid=20260304T090000Z,20260303T090000Z`,
  );
  expect(removed.status).toBe(204);
  const [master, second, third] = (await textOf(ada, href)).split("BEGIN:VEVENT").slice(1);
  expect(master).toContain(series.managedId);
  for (const override of [second, third]) expect(override).not.toContain(series.managedId);
});

test.each([
  ["?action=attachment-drop", "valid-action-parameter"],
  ["", "valid-action-parameter"],
  ["?action=attachment-add&managed-id=x", "valid-managed-id-parameter"],
  ["?action=attachment-update", "valid-managed-id-parameter"],
  ["?action=attachment-update&managed-id=unknown", "valid-managed-id-parameter"],
  ["?action=attachment-update&managed-id=x&rid=M", "valid-rid-parameter"],
  ["?action=attachment-add&rid=20260302T100000", "valid-rid-parameter"],
  ["?action=attachment-add&rid=20260310T090000Z", "valid-rid-parameter"],
  ["?action=attachment-add&rid=M,M", "valid-rid-parameter"],
  ["?action=attachment-add&rid=", "valid-rid-parameter"],
  [`?action=attachment-add&rid=${"20260302T090000Z,".repeat(200)}M`, "valid-rid-parameter"],
])("POST %s is refused as %s and changes nothing", async (query, condition) => {
  const href = await putEvent(...zoned);
  const before = await ada.request("GET", href);
  const answer = await ada.request("POST", `${href}${query}`, "text", textFile);
  expect([answer.status, answer.condition]).toEqual([403, `urn:ietf:params:xml:ns:caldav ${condition}`]);
  expect((await ada.request("GET", href)).headers.etag).toBe(before.headers.etag);
});

test("an instance is not named in an event that does not repeat", async () => {
  const href = await putEvent();
  const { answer } = await attach(href, "x", "&rid=20260105T100000Z");
  expect(answer.condition).toBe("urn:ietf:params:xml:ns:caldav valid-rid-parameter");
});

test("attachments that are too large or too many are refused before they are stored", async () => {
  const href = await putEvent();
  const large = await attach(href, "x".repeat(16 * 1024 * 1024 + 1));
  expect(large.answer.condition).toBe("urn:ietf:params:xml:ns:caldav max-attachment-size");
  const lines = Array.from({ length: 101 }, (_, at) => `ATTACH;MANAGED-ID=m${at}:https://first.example/`);
  const put = await ada.request("PUT", `${calendar}many.ics`, eventText("many", ...lines), ics);
  expect(put.condition).toBe("urn:ietf:params:xml:ns:caldav max-attachments-per-resource");
});

test("PUT names attachments that its login reads, and no others", async () => {
  const { managedId, answer, path } = await attach(await putEvent());
  const line = `ATTACH;MANAGED-ID=${managedId}:${answer.headers.location}`;
  const second = `${calendar}second.ics`;
  expect((await ada.request("PUT", second, eventText("second", line), ics)).status).toBe(201);
  for (const [client, owner] of [
    [bob, server.bob],
    [eve, server.eve],
  ] as const) {
    const refused = await client.request(
      "PUT",
      `${await calendarOf(client, owner)}stolen.ics`,
      eventText("stolen", line),
      ics,
    );
    expect([refused.status, refused.condition]).toEqual([
      403,
      "urn:ietf:params:xml:ns:caldav valid-managed-id",
    ]);
    expect((await client.request("GET", path)).condition).toBe("DAV: need-privileges");
  }
  expect((await davClient(server.url).request("GET", path)).status).toBe(401);
  expect((await ada.request("GET", "/dav/attachments/unknown/x")).condition).toBe("DAV: need-privileges");
  const unknown = eventText("unknown", "ATTACH;MANAGED-ID=unknown:https://first.example/x");
  expect((await ada.request("PUT", `${calendar}unknown.ics`, unknown, ics)).condition).toBe(
    "urn:ietf:params:xml:ns:caldav valid-managed-id",
  );
  for (const method of ["PUT", "DELETE"])
    expect((await ada.request(method, path)).status).toBeGreaterThan(402);
  expect((await ada.request("GET", path)).text).toBe("some text");
});

test("a copy of an object keeps its attachments after the object is deleted", async () => {
  const href = await putEvent();
  const { path } = await attach(href);
  const made = `/dav/calendars/${server.ada.id}/copies/`;
  expect((await ada.request("MKCALENDAR", made)).status).toBe(201);
  expect((await ada.request("COPY", href, undefined, { Destination: `${made}copy.ics` })).status).toBe(201);
  expect((await ada.request("DELETE", href)).status).toBe(204);
  expect((await ada.request("GET", path)).text).toBe("some text");
  expect((await ada.request("DELETE", made)).status).toBe(204);
  expect((await ada.request("GET", path)).status).toBe(403);
});

test("If-Match of a POST is compared with the ETag of the object", async () => {
  const href = await putEvent();
  const { answer } = await attach(href, "x", "", { "If-Match": '"1"' });
  expect(answer.status).toBe(412);
  const added = await Promise.all(["a", "b", "c"].map((text) => attach(href, text)));
  expect(added.map(({ answer: { status } }) => status)).toEqual([201, 201, 201]);
  expect((await textOf(ada, href)).match(/ATTACH/g)).toHaveLength(3);
});

test("an attendee reads attachments of an invitation, and nobody reads a removed one", async () => {
  const own = `${calendar}meeting.ics`;
  const text = calendarText(schedulingEvent("ada* ada=ACCEPTED bob", "", "meeting")).replaceAll("\n", "\r\n");
  expect((await ada.request("PUT", own, text, ics)).status).toBe(201);
  const bobCalendar = await calendarOf(bob, server.bob);
  const listed = await bob.request("PROPFIND", bobCalendar, undefined, { Depth: "1" });
  const [copy] = readResponses(listed)
    .map(({ href }) => href)
    .filter((href) => href.endsWith(".ics"));
  const { managedId, path } = await attach(own, "for bob");
  expect(plain((await bob.request("GET", copy!)).bytes)).toContain(`MANAGED-ID=${managedId}`);
  expect((await bob.request("GET", path)).text).toBe("for bob");
  expect((await eve.request("GET", path)).status).toBe(403);
  const removed = await ada.request("POST", `${own}?action=attachment-remove&managed-id=${managedId}`);
  expect(removed.status).toBe(204);
  for (const client of [ada, bob]) expect((await client.request("GET", path)).status).toBe(403);
});
