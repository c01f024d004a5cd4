/** Whoever sends a mail, an invitation or a question for free times chooses what is read. It is read apart from the connections of all
 *  others: no more than 4 KiB at once on the main thread, and no HTML: `test/support/long-readings.ts` watches that in every test with a daemon. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
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
