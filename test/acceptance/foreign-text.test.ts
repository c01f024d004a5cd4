/** Whoever sends a mail, an invitation or a question for free times chooses what is read. It is read apart from the connections of all
 *  others: no more than 4 KiB at once on the main thread, and no HTML and no recurrence rule: `test/support/long-readings.ts` watches that in
 *  every test with a daemon. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { itemSegment } from "#/src/collections/rows.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { postJson } from "../support/clients/events.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

let daemon: InProcessDaemon;
let ada: DavClient;
let home: string;

const ics = { "Content-Type": "text/calendar" };
const post = (operation: string, body: object) =>
  postJson(daemon.http.url, operation, daemon.agents[0]!.token, body);

beforeAll(async () => {
  daemon = await startInProcessDaemon();
  const { id, address, password } = daemon.agents[0]!;
  ada = davClient(daemon.http.url, basic(address, password));
  home = `/dav/calendars/${id}/`;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

/** Sends a mail, and waits until a listing has it. */
async function receive(mail: object): Promise<string> {
  const { address } = daemon.agents[0]!;
  const { host, port } = daemon.smtp;
  const transport = createTransport({ host, port, secure: false, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: "stranger@example.net", to: address, ...mail });
  transport.close();
  const { content } = await post("search", { folder: "inbox", limit: 1 });
  return content.items[0].id;
}

const event = (line: string): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\n${line}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
const blanks = " ".repeat(200_000);
const answers = `${" <a>".repeat(120)}:\n`;

test.each([
  [
    "a calendar part of 200 KB",
    { text: "a", icalEvent: { content: event(`DTEND;X=${blanks}:20260101T010000`) } },
  ],
  [
    "a calendar part alone",
    { text: "a", attachments: [{ filename: "a.ics", content: event(`SUMMARY:${blanks}`) }] },
  ],
  [
    "a contact of 200 KB",
    {
      text: "a",
      attachments: [
        {
          filename: "a.vcf",
          content: `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:${"a".repeat(200_000)}\r\nEND:VCARD\r\n`,
        },
      ],
    },
  ],
  ["an answer of 166 KB", { text: answers.repeat(350) }],
  [
    "an attachment of 200 KB in base64, and one in quoted-printable",
    {
      text: "a",
      attachments: [
        { filename: "a.txt", content: "words ".repeat(33_000), encoding: "base64" },
        {
          filename: "b.txt",
          content: "words é ".repeat(25_000),
          contentTransferEncoding: "quoted-printable",
        },
      ],
    },
  ],
  [
    "alternatives that differ",
    { text: "other words ".repeat(1000), html: `<p>${"these words ".repeat(1000)}` },
  ],
  ["a subject of 20 KB", { subject: "words ".repeat(3000), text: "a" }],
  ["a page", { html: `<p>a<noscript><img style="${"display:a".repeat(20_000)}"></noscript>` }],
])("a mail with %s is listed and read", async (_, mail) => {
  const id = await receive(mail);
  for (const part of ["body", "1", "2"])
    for (const render of ["text", "reply"]) await post("part.describe", { id, part, render });
  const { content } = await post("search", { folder: "inbox", limit: 5 });
  expect(content.items[0].id).toBe(id);
});

test("a question for free times with an address of 100 KB is answered", async () => {
  const question = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nMETHOD:REQUEST\r\nBEGIN:VFREEBUSY\r\nUID:a\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\nDTEND:20260102T000000Z\r\nORGANIZER:mailto:${daemon.agents[0]!.address}\r\nATTENDEE:${"@".repeat(100_000)}:\r\nEND:VFREEBUSY\r\nEND:VCALENDAR\r\n`;
  const { status, text } = await ada.request("POST", `${home}outbox/`, question, ics);
  expect([status, text.includes("3.7;Invalid calendar user")]).toEqual([200, true]);
});

const ownZone = (rule: string): string =>
  `BEGIN:VTIMEZONE\r\nTZID:Mine\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\n${rule}END:STANDARD\r\nEND:VTIMEZONE\r\n`;
const zoneRule = "RRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=1SU\r\n";
const zoned = (lines: string, zone = ownZone(zoneRule)): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\n${zone}BEGIN:VEVENT\r\nUID:zoned\r\nDTSTAMP:20260101T000000Z\r\n${lines}\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

test.each([
  ["a rule", zoned("DTSTART;TZID=Europe/Berlin:20260101T090000\r\nRRULE:FREQ=DAILY;COUNT=9", ""), 9],
  ["a rule in a group", zoned("DTSTART:20260101T090000\r\nX.RRULE:FREQ=DAILY;COUNT=9", ""), 9],
  ["a zone of its own", zoned("DTSTART;TZID=Mine:20260101T090000"), 1],
])("a short event with %s is stored, found, described and changed", async (_, text, count) => {
  const calendar = `${home}short-${count}-${text.length}/`;
  expect((await ada.request("MKCALENDAR", calendar)).status).toBe(201);
  expect((await ada.request("PUT", `${calendar}a.ics`, text, ics)).status).toBe(201);
  const range = `start="20260101T000000Z" end="20270101T000000Z"`;
  const zone = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\n${ownZone(zoneRule)}END:VCALENDAR\r\n`;
  for (const timeZone of ["", `<C:timezone>${zone}</C:timezone>`]) {
    const report = await ada.request(
      "REPORT",
      calendar,
      `<C:calendar-query xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:prop><C:calendar-data><C:expand ${range}/></C:calendar-data></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range ${range}/></C:comp-filter></C:comp-filter></C:filter>${timeZone}</C:calendar-query>`,
      { Depth: "1" },
    );
    expect([report.status, report.text.split("BEGIN:VEVENT").length - 1]).toEqual([207, count]);
  }
  const { content } = await post("part.describe", { id: daemon.agents[0]!.id });
  const own = content.calendars.at(-1);
  const asked = { in: own.id, since: "2026-01-01T00:00:00Z", before: "2027-01-01T00:00:00Z" };
  const listed = await post("search", asked);
  const id: string = listed.content.items[0].id;
  expect(listed.content.items).toHaveLength(1);
  const month = await post("calendarMonth.list", { in: own.id, month: "2026-01" });
  expect(month.content.items).toHaveLength(count);
  for (const render of ["text", "json", "ical", "agenda"]) await post("part.describe", { id, render });
  const { version } = listed.content.items[0];
  expect(await post("event.update", { id, version, patch: { title: "b" } })).toHaveProperty("ref", id);
  const busy = `<C:free-busy-query xmlns:C="urn:ietf:params:xml:ns:caldav"><C:time-range ${range}/></C:free-busy-query>`;
  expect((await ada.request("REPORT", calendar, busy, { Depth: "1" })).status).toBe(200);
  expect((await ada.request("DELETE", calendar)).status).toBe(204);
});

test("a calendar whose zone has rules of its own, and an availability with a rule, are read", async () => {
  const set = (href: string, name: string, text: string) =>
    ada.request(
      "PROPPATCH",
      href,
      `<propertyupdate xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><C:${name}>${text}</C:${name}></prop></set></propertyupdate>`,
    );
  const calendar = `${home}ruled/`;
  expect((await ada.request("MKCALENDAR", calendar)).status).toBe(201);
  const zone = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\n${ownZone(zoneRule)}END:VCALENDAR\r\n`;
  expect((await set(calendar, "calendar-timezone", zone)).text).toContain("200 OK");
  expect(
    (await ada.request("PUT", `${calendar}a.ics`, zoned("DTSTART:20260105T090000", ""), ics)).status,
  ).toBe(201);
  const availability =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nBEGIN:VAVAILABILITY\r\nUID:a\r\nDTSTAMP:20260101T000000Z\r\nBEGIN:AVAILABLE\r\nUID:b\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;TZID=Europe/Berlin:20260101T090000\r\nDTEND;TZID=Europe/Berlin:20260101T170000\r\nRRULE:FREQ=WEEKLY;BYDAY=MO\r\nEND:AVAILABLE\r\nEND:VAVAILABILITY\r\nEND:VCALENDAR\r\n";
  expect((await set(`${home}inbox/`, "calendar-availability", availability)).text).toContain("200 OK");
  const range = `start="20260101T000000Z" end="20260201T000000Z"`;
  const busy = `<C:free-busy-query xmlns:C="urn:ietf:params:xml:ns:caldav"><C:time-range ${range}/></C:free-busy-query>`;
  // 9 o'clock is 8 UTC there.
  const told = await ada.request("REPORT", calendar, busy, { Depth: "1" });
  expect(told.text).toContain("20260105T080000Z");
  const found = await ada.request(
    "REPORT",
    calendar,
    `<C:calendar-query xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:prop><D:getetag/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="20260105T080000Z" end="20260105T083000Z"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`,
    { Depth: "1" },
  );
  expect(found.text).toContain("a.ics");
  const question = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nMETHOD:REQUEST\r\nBEGIN:VFREEBUSY\r\nUID:a\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\nDTEND:20260201T000000Z\r\nORGANIZER:mailto:${daemon.agents[0]!.address}\r\nATTENDEE:mailto:${daemon.agents[0]!.address}\r\nEND:VFREEBUSY\r\nEND:VCALENDAR\r\n`;
  expect((await ada.request("POST", `${home}outbox/`, question, ics)).text).toContain("BUSY-UNAVAILABLE");
});

test("a short invitation that repeats in a zone of its own is taken, told and answered", async () => {
  const { address } = daemon.agents[0]!;
  const content = zoned(
    `DTSTART;TZID=Mine:20260101T090000\r\nRRULE:FREQ=DAILY;COUNT=5\r\nSUMMARY:a\r\nORGANIZER:mailto:stranger@example.net\r\nATTENDEE:mailto:${address}`,
  ).replace("PRODID:a", "PRODID:a\r\nMETHOD:REQUEST");
  const id = await receive({ text: "a", icalEvent: { method: "REQUEST", content } });
  for (const render of ["text", "json"]) await post("part.describe", { id, render });
  for (const part of ["1", "2", "body"]) await post("part.describe", { id, part });
  const { content: told } = await post("search", { folder: "inbox", limit: 1 });
  expect(told.items[0].id).toBe(id);
});

test("an event of 100 KB is stored, found, described and changed", async () => {
  const listed = await ada.request("PROPFIND", home, undefined, { Depth: "1" });
  const isDefault = (found: ReadonlyMap<string, { readonly text: string }>) =>
    found.get("DAV: displayname")?.text === "Calendar";
  const calendar = readResponses(listed).find(({ found }) => isDefault(found))!.href;
  const href = `${calendar}a.ics`;
  const put = await ada.request(
    "PUT",
    href,
    event(`SUMMARY:a\r\nRRULE:FREQ=DAILY\r\nDESCRIPTION:${"words ".repeat(16_000)}`),
    ics,
  );
  expect(put.status).toBe(201);
  const range = `start="20260101T000000Z" end="20270101T000000Z"`;
  const report = await ada.request(
    "REPORT",
    calendar,
    `<C:calendar-query xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:prop><C:calendar-data><C:expand ${range}/></C:calendar-data></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range ${range}/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`,
    { Depth: "1" },
  );
  expect([report.status, report.text.split("BEGIN:VEVENT").length]).toEqual([207, 366]);
  expect((await ada.request("DELETE", href)).status).toBe(204);
});

test("a long event that invites is stored, changed, answered and deleted", async () => {
  const [agent] = daemon.agents;
  const [person] = daemon.people;
  const invites = (title: string) =>
    event(
      `SUMMARY:${title}\r\nORGANIZER:mailto:${agent!.address}\r\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${person!.address}\r\nATTENDEE:mailto:stranger@example.net\r\nDESCRIPTION:${"words ".repeat(4000)}`,
    ).replace("UID:a", "UID:invites");
  const calendar = `${home}invites/`;
  expect((await ada.request("MKCALENDAR", calendar)).status).toBe(201);
  expect((await ada.request("PUT", `${calendar}a.ics`, invites("One"), ics)).status).toBe(201);
  expect((await ada.request("PUT", `${calendar}a.ics`, invites("Two"), ics)).status).toBe(204);
  const attached = await ada.request("POST", `${calendar}a.ics?action=attachment-add`, "File.", {
    "Content-Type": "text/plain",
    "Content-Disposition": 'attachment; filename="file.txt"',
  });
  expect(attached.status).toBe(201);
  const theirs = davClient(daemon.http.url, basic(person!.address, person!.password));
  const { store, collections } = daemon.daemon.house;
  const { agent: number } = store.ids.decode(person!.id)!;
  const [item] = await collections.findItemsByUid(number, "invites", { kind: "calendar" });
  const at = store.ids.encode("calendar", number, item!.collection);
  const href = `/dav/calendars/${person!.id}/${at}/${itemSegment(store.ids, { ...item!, agent: number })}`;
  const copy = (await theirs.request("GET", href)).text;
  expect(copy).toContain("SUMMARY:Two");
  const answered = copy.replaceAll("\r\n ", "").replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED");
  expect((await theirs.request("PUT", href, answered, ics)).status).toBe(204);
  const { text } = await ada.request("GET", `${calendar}a.ics`);
  expect(text.replaceAll("\r\n ", "")).toContain("PARTSTAT=ACCEPTED");
  expect((await ada.request("DELETE", `${calendar}a.ics`)).status).toBe(204);
});

test("a long time zone is kept by its name, or refused, and so is a long availability", async () => {
  const zone = (name: string) =>
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nBEGIN:VTIMEZONE\r\nTZID:${name}\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nCOMMENT:${blanks}\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nEND:VCALENDAR\r\n`;
  const set = async (href: string, name: string, text: string): Promise<string> => {
    const body = `<propertyupdate xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><C:${name}>${text}</C:${name}></prop></set></propertyupdate>`;
    return (await ada.request("PROPPATCH", href, body)).text;
  };
  const calendar = `${home}zoned/`;
  expect((await ada.request("MKCALENDAR", calendar)).status).toBe(201);
  expect(await set(calendar, "calendar-timezone", zone("Mine"))).toContain("valid-calendar-data");
  expect(await set(calendar, "calendar-timezone", zone("Europe/Berlin"))).toContain("200 OK");
  const asked = `<propfind xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><C:calendar-timezone-id/></prop></propfind>`;
  const { text } = await ada.request("PROPFIND", calendar, asked, { Depth: "0" });
  expect(text).toContain("Europe/Berlin");
  const availability = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nBEGIN:VAVAILABILITY\r\nUID:a\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:${blanks}\r\nEND:VAVAILABILITY\r\nEND:VCALENDAR\r\n`;
  expect(await set(`${home}inbox/`, "calendar-availability", availability)).toContain("valid-calendar-data");
});
