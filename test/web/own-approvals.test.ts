/** A person decides about what an agent has written into the person's calendar: on a page, and in a mail program by moving the mail. */
import { ImapFlow } from "imapflow";
import { createDAVClient, type DAVCalendar } from "tsdav";
import { expect, test } from "vitest";
import { fieldOf, openBrowser } from "../support/clients/browser.ts";
import { settingsOfSink, startSink } from "../support/servers/smtp-sink.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

const mel = "mel@elsewhere.example";

interface Planted {
  readonly calendar: DAVCalendar;
  readonly url: string;
}

/** An event that the agent has written into the person's calendar, with the answer to the person's own change of it. */
async function plantAndEdit(house: PagesHouse): Promise<Planted & { readonly text: () => Promise<string> }> {
  const { person, agent } = house;
  await house.administer("grant.create", {
    holder: agent.address,
    target: person.address,
    scopes: ["calendar"],
  });
  const client = await createDAVClient({
    serverUrl: house.origin,
    credentials: { username: person.address, password: person.password },
    authMethod: "Basic",
    defaultAccountType: "caldav",
  });
  const calendar = (await client.fetchCalendars()).find(({ displayName }) => displayName === "Calendar")!;
  const iCalString = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Agent//EN",
    "BEGIN:VEVENT",
    "UID:planted",
    "DTSTAMP:20260101T000000Z",
    "DTSTART:20301005T100000Z",
    "DTEND:20301005T110000Z",
    "SUMMARY:Words of the agent",
    `ORGANIZER:mailto:${person.address}`,
    `ATTENDEE:mailto:${person.address}`,
    `ATTENDEE:mailto:${mel}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
  const url = new URL("planted.ics", calendar.url).href;
  const put = (login: { address: string; secret: string }, body: string) =>
    fetch(url, {
      method: "PUT",
      headers: {
        authorization: `Basic ${Buffer.from(`${login.address}:${login.secret}`).toString("base64")}`,
        "content-type": "text/calendar",
      },
      body,
    });
  const text = async () => {
    const [object] = await client.fetchCalendarObjects({ calendar, objectUrls: [url] });
    return (object!.data as string).replaceAll("\r\n ", "");
  };
  const agents = await put({ address: agent.address, secret: agent.token }, iCalString);
  expect(agents.status).toBe(201);
  expect(await text()).toContain(`(added by ${agent.address})`);
  const edited = (await text()).replace("T100000Z", "T103000Z");
  expect((await put({ address: person.address, secret: person.password }, edited)).status).toBe(204);
  expect(await text()).toMatch(new RegExp(`SCHEDULE-STATUS=3\\.8[^\\n]*:mailto:${mel}`));
  return { calendar, url, text };
}

async function openHouse(sinkPort: number): Promise<PagesHouse> {
  return openPagesHouse([...settingsOfSink(sinkPort)]);
}

async function inbox(house: PagesHouse): Promise<ImapFlow> {
  const { imap } = house.daemon;
  const client = new ImapFlow({
    host: imap.host,
    port: imap.port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: house.person.address, pass: house.person.password },
    logger: false,
  });
  await client.connect();
  return client;
}

test("in a mail program: the mail is in Holds/Waiting, and moving it to Holds/Approved sends it", async () => {
  await using sink = await startSink();
  await using house = await openHouse(sink.port);
  const { text } = await plantAndEdit(house);
  const client = await inbox(house);
  await client.mailboxOpen("INBOX");
  const notice = async () => {
    await client.noop();
    const newest = await client.fetchOne("*", { source: true });
    return newest === false ? "" : newest.source!.toString();
  };
  await expect.poll(notice, { timeout: 100_000 }).toContain("Mailbox: Holds/Waiting");
  await client.mailboxOpen("Holds/Waiting");
  const held = await client.fetchOne("*", { source: true });
  expect(held === false ? "" : held.source!.toString()).toContain(mel);
  expect(sink.mails).toEqual([]);
  expect(await client.messageMove("*", "Holds/Approved")).toMatchObject({ path: "Holds/Waiting" });
  await expect.poll(() => sink.mails.length, { timeout: 100_000 }).toBe(1);
  expect(sink.mails[0]!.to).toEqual([mel]);
  // The status follows what has left.
  await expect.poll(text, { timeout: 100_000 }).toMatch(/SCHEDULE-STATUS=1\.[12][^\n]*:mailto:mel@/);
  await client.logout();
});

test("on a page: it is in the list, and the app password approves it", async () => {
  await using sink = await startSink();
  await using house = await openHouse(sink.port);
  await plantAndEdit(house);
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { address: house.person.address, password: house.person.password });
  const list = await browser.get("/approvals");
  expect(list.text).toContain("An agent or a program has written a part of it");
  const hold = /href="\/approvals\/(hold_\w+)"/.exec(list.text)![1]!;
  const page = await browser.get(`/approvals/${hold}`);
  expect(page.text).toContain("Words of the agent");
  expect(sink.mails).toEqual([]);
  const decided = await browser.post(`/approvals/${hold}/decide`, {
    version: fieldOf(page, "version"),
    act: "approve",
    password: house.person.password,
  });
  // Without a time of grace it may have left already.
  expect(decided.text).toContain("Approved by you");
  await expect.poll(() => sink.mails.length, { timeout: 100_000 }).toBe(1);
  expect(sink.mails[0]!.text).toContain("METHOD:REQUEST");
});

test("nobody else sees it: another person who approves for the mailbox does not find it", async () => {
  await using sink = await startSink();
  await using house = await openHouse(sink.port);
  await plantAndEdit(house);
  const kim = await house.createPerson("kim@waypost.test");
  await house.administer("grant.create", {
    holder: kim.address,
    target: house.person.address,
    scopes: ["mail", "approve"],
  });
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { address: kim.address, password: kim.password! });
  expect((await browser.get("/approvals")).text).not.toContain("Words of the agent");
});
