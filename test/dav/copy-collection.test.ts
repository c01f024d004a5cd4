/** COPY of calendars and addressbooks (RFC 4918 section 9.8). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { apple, dav } from "#/protocols/dav/xml/names.ts";
import { calendarText, eventText as schedulingEvent } from "../scheduling/scheduling-house.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { cardText, eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let bob: DavClient;
let home: string;

const ics = { "Content-Type": "text/calendar" };
const to = (href: string) => ({ Destination: `${server.url}${href}` });

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  bob = davClient(server.url, basic(server.bob.address, server.bob.token));
  home = `/dav/calendars/${server.ada.id}/`;
  await ada.request("MKCALENDAR", `${home}source/`);
  for (let at = 0; at < 3; at++)
    await ada.request("PUT", `${home}source/${at}.ics`, eventText(`event-${at}`), ics);
  const set = `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><D:displayname>Work</D:displayname><c xmlns="urn:x">red</c><calendar-color xmlns="http://apple.com/ns/ical/">#112233</calendar-color></D:prop></D:set></D:propertyupdate>`;
  expect((await ada.request("PROPPATCH", `${home}source/`, set)).status).toBe(207);
  const mark = set.replace(/<D:displayname>.*?<\/D:displayname>/, "").replace(/<calendar-color.*?color>/, "");
  expect((await ada.request("PROPPATCH", `${home}source/0.ics`, mark)).text).toContain("200 OK");
});
afterAll(() => server[Symbol.asyncDispose]());

async function membersOf(href: string, client = ada): Promise<string[]> {
  const listed = await client.request("PROPFIND", href, undefined, { Depth: "1" });
  return readResponses(listed)
    .map((one) => one.href.slice(href.length))
    .filter((name) => name !== "");
}

test("a calendar is copied with its properties and its items, and both can then be changed separately", async () => {
  const copied = await ada.request("COPY", `${home}source/`, undefined, to(`${home}copy/`));
  expect([copied.status, copied.headers.location]).toEqual([201, `${home}copy/`]);
  expect(await membersOf(`${home}copy/`)).toEqual(["0.ics", "1.ics", "2.ics"]);
  const colour = { namespace: "urn:x", name: "c" };
  const found = await ada.properties(`${home}copy/`, dav("displayname"), apple("calendar-color"), colour);
  expect([...found.values()].map(({ text }) => text)).toEqual(["Work", "#112233", "red"]);
  expect((await ada.properties(`${home}copy/0.ics`, colour)).get("urn:x c")!.text).toBe("red");
  expect((await ada.request("GET", `${home}copy/1.ics`)).text).toBe(eventText("event-1").toString());
  await ada.request("DELETE", `${home}copy/0.ics`);
  expect(await membersOf(`${home}source/`)).toHaveLength(3);
});

test("Depth 0 copies the calendar without its items, and Depth 1 is refused", async () => {
  const fields = { ...to(`${home}empty/`), Depth: "0" };
  expect((await ada.request("COPY", `${home}source/`, undefined, fields)).status).toBe(201);
  expect(await membersOf(`${home}empty/`)).toEqual([]);
  expect((await ada.request("COPY", `${home}source/`, undefined, { ...fields, Depth: "1" })).status).toBe(
    400,
  );
});

test("the collection at the destination is replaced as a whole, or stays with Overwrite: F", async () => {
  await ada.request("MKCALENDAR", `${home}standing/`);
  await ada.request("PUT", `${home}standing/old.ics`, eventText("old"), ics);
  const fields = to(`${home}standing/`);
  const refused = await ada.request("COPY", `${home}source/`, undefined, { ...fields, Overwrite: "F" });
  expect([refused.status, await membersOf(`${home}standing/`)]).toEqual([412, ["old.ics"]]);
  expect((await ada.request("COPY", `${home}source/`, undefined, fields)).status).toBe(204);
  expect(await membersOf(`${home}standing/`)).toEqual(["0.ics", "1.ics", "2.ics"]);
});

test.each([
  ["source/", 403],
  ["inbox/", 403],
  ["no/such/", 409],
])("a calendar is not copied to %s", async (destination, status) => {
  const answer = await ada.request("COPY", `${home}source/`, undefined, to(`${home}${destination}`));
  expect(answer.status).toBe(status);
  expect(await membersOf(`${home}source/`)).toHaveLength(3);
});

test("a calendar is not copied into an addressbook home or into another's home", async () => {
  const addressbooks = `/dav/addressbooks/${server.ada.id}/`;
  const wrong = await ada.request("COPY", `${home}source/`, undefined, to(`${addressbooks}copy/`));
  expect(wrong.condition).toBe("urn:ietf:params:xml:ns:caldav calendar-collection-location-ok");
  const others = to(`/dav/calendars/${server.bob.id}/stolen/`);
  expect([403, 409]).toContain((await ada.request("COPY", `${home}source/`, undefined, others)).status);
  expect(
    (await bob.request("COPY", `${home}source/`, undefined, to(`/dav/calendars/${server.bob.id}/x/`))).status,
  ).toBe(404);
});

test("an addressbook is copied", async () => {
  const addressbooks = `/dav/addressbooks/${server.ada.id}/`;
  const [contacts] = (await membersOf(addressbooks)).filter((name) => name.endsWith("/"));
  const card = { "Content-Type": "text/vcard" };
  await ada.request("PUT", `${addressbooks}${contacts}mel.vcf`, cardText("mel", "Mel"), card);
  const fields = to(`${addressbooks}copy/`);
  expect((await ada.request("COPY", `${addressbooks}${contacts}`, undefined, fields)).status).toBe(201);
  expect(await membersOf(`${addressbooks}copy/`)).toEqual(["mel.vcf"]);
});

test("an event with attendees is not copied: the answer says so, and no attendee gets a message", async () => {
  await ada.request("MKCALENDAR", `${home}meetings/`);
  const invitation = calendarText(schedulingEvent("ada* ada=ACCEPTED bob", "", "meeting"));
  expect(
    (await ada.request("PUT", `${home}meetings/m.ics`, invitation.replaceAll("\n", "\r\n"), ics)).status,
  ).toBe(201);
  await ada.request("PUT", `${home}meetings/plain.ics`, eventText("plain"), ics);
  const inbox = `/dav/calendars/${server.bob.id}/inbox/`;
  const before = await membersOf(inbox, bob);
  const copied = await ada.request("COPY", `${home}meetings/`, undefined, to(`${home}meetings-copy/`));
  expect(copied.status).toBe(207);
  expect(copied.text).toContain(`<D:href>${home}meetings-copy/m.ics</D:href>`);
  expect(copied.text).toContain("unique-scheduling-object-resource");
  expect(await membersOf(`${home}meetings-copy/`)).toEqual(["plain.ics"]);
  expect(await membersOf(inbox, bob)).toEqual(before);
});

test("a copy beyond the quota leaves nothing behind, and the collection at the destination stays", async () => {
  await ada.request("MKCALENDAR", `${home}kept/`);
  await ada.request("PUT", `${home}kept/kept.ics`, eventText("kept"), ics);
  const listed = await membersOf(home);
  const { byteCount } = (await server.mail.readQuota(server.ada.agent))!;
  await server.administer("agent.update", { owner: server.ada.address, quotaBytes: byteCount + 300 });
  const copied = await ada.request("COPY", `${home}source/`, undefined, to(`${home}kept/`));
  expect([copied.status, copied.condition]).toEqual([507, "DAV: quota-not-exceeded"]);
  expect(await membersOf(home)).toEqual(listed);
  expect(await membersOf(`${home}kept/`)).toEqual(["kept.ics"]);
});
