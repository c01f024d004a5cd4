/** What an agent's day needs of answers and listings, by each door: sections 22, 23 and 25 of the decisions. Those of 24 are in `answers.test.ts`
 *  and `acceptance/address-warnings.test.ts`, of 26 in `acceptance/author-references.test.ts`; `given-times.test.ts` has the times of all operations;
 *  `listing-members.test.ts` has what overlaps one event. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { doorNames, openThreeDoors, type ThreeDoors } from "../support/clients/three-doors.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

let server: JsonServer;
let doors: ThreeDoors;
let id: string;
let calendar: string;
const long = `${"Nothing of note. ".repeat(400)}The penalty is 500 EUR a day. ${"More of it. ".repeat(400)}The end.`;

beforeAll(async () => {
  server = await openJsonServer();
  doors = await openThreeDoors(server.url, server.ada.token);
  id = await server.deliver(
    server.ada,
    `From: Mel <mel@elsewhere.example>\nTo: ada@first.example\nSubject: Contract\nMessage-ID: <c@elsewhere.example>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n${long}\n--b\nContent-Type: text/csv; name="a.csv"\nContent-Disposition: attachment; filename="a.csv"\n\n1;2\n--b--\n`,
    { isAuthenticated: true, checks: { spf: { result: "pass", domain: "elsewhere.example" } } },
  );
  const file = (at: number): string =>
    `--b\nContent-Type: text/csv; name="f${at}.csv"\nContent-Disposition: attachment; filename="f${at}.csv"\n\n1;2\n`;
  await server.deliver(
    server.ada,
    `From: Mel <mel@elsewhere.example>\nTo: ada@first.example\nSubject: Many files\nMessage-ID: <f@elsewhere.example>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nHere.\n${Array.from({ length: 12 }, (_, at) => file(at)).join("")}--b--\n`,
  );
  for (let mail = 0; mail < 70; mail++)
    await server.deliver(
      server.bob,
      `From: Mel <mel@elsewhere.example>\nTo: bob@first.example\nSubject: Mail ${mail}\nMessage-ID: <b${mail}@elsewhere.example>\n\n${"Words. ".repeat(90)}\n`,
    );
  await server.administer("grant.create", {
    holder: server.ada.address,
    target: server.bob.address,
    scopes: ["mail:read", "calendar:freebusy"],
  });
  for (let mail = 0; mail < 3; mail++)
    await server.deliver(
      server.ada,
      `From: Mel <mel@elsewhere.example>\nTo: ada@first.example\nSubject: Mail ${mail}\nMessage-ID: <m${mail}@elsewhere.example>\n\n${"Words. ".repeat(60)}\n`,
    );
  const body = { to: [server.bob.address], subject: "May I?", text: "Hello." };
  await server.ada.client.ok("send", { body, hold: "always" });
  await server.ada.client.ok("send", {
    body,
    send_at: new Date(server.clock.now() + 86_400_000).toISOString(),
  });
  calendar = (await server.ada.client.ok("part.describe", { id: server.ada.id })).content.calendars[0].id;
  for (const [title, start, timeZone] of [
    ["One", "2027-03-10T10:00:00", "Europe/Berlin"],
    ["Two", "2027-03-10T04:30:00", "America/New_York"],
  ])
    await server.ada.client.ok("event.create", { body: { title, start, timeZone, duration: "PT1H" } });
  const invited = {
    title: "Maybe",
    start: "2027-03-29T09:00:00",
    timeZone: "Europe/Berlin",
    duration: "PT2H",
  };
  await server.bob.client.ok("event.create", { body: invited });
  await server.ada.client.ok("event.create", {
    body: {
      ...invited,
      organizerCalendarAddress: "mailto:boss@elsewhere.example",
      participants: {
        me: { calendarAddress: "mailto:ada@first.example", participationStatus: "needs-action" },
      },
    },
  });
  await server.ada.client.ok("event.create", {
    body: { title: "Days", start: "2027-03-20T00:00:00", showWithoutTime: true, duration: "P2D" },
  });
});
afterAll(async () => {
  await doors[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const day = {
  kind: "freetime",
  duration: "PT1H",
  hours: "09:00-17:00",
  zone: "Europe/Berlin",
  since: "2027-03-29T06:00:00",
  before: "2027-03-30T00:00:00",
};

/** What is asked, and what its answer has. */
const rows: Readonly<Record<string, readonly [string, () => object, (answer: Answer) => void]>> = {
  "22 a short answer has of provenance what is unusual": [
    "part.describe",
    () => ({ id, detail: "short" }),
    ({ content, provenance }) =>
      expect([content.id, provenance]).toEqual([undefined, { authenticated: true, removed: [] }]),
  ],
  "22 a full answer has all checks": [
    "part.describe",
    () => ({ id, detail: "full" }),
    ({ content, provenance }) => expect([content.id, provenance.checks.spf.result]).toEqual([id, "pass"]),
  ],
  "22 help says the fields of one operation in 4,000 octets": [
    "help.describe",
    () => ({ operation: "search" }),
    ({ content }) => {
      expect(Object.keys(content.operations[0].fields)).toContain("q");
      expect(JSON.stringify(content.operations[0]).length).toBeLessThanOrEqual(4000);
    },
  ],
  "23 an item of mail names its folder and files": [
    "search",
    () => ({ from: "mel", q: "penalty" }),
    ({ content: { items } }) =>
      expect(items[0]).toMatchObject({
        folder_role: "inbox",
        folder_path: "INBOX",
        attachments: [{ part: "2", name: "a.csv", type: "text/csv" }],
      }),
  ],
  "23 an item that is searched for has the text around the words": [
    "search",
    () => ({ q: "penalty" }),
    ({ content: { items } }) => {
      expect(items[0].excerpt.text).toContain("The penalty is 500 EUR");
      expect(items[0].excerpt.offset).toBeGreaterThan(5000);
    },
  ],
  "23 what cut a listing stands first": [
    "search",
    () => ({ limit: 2, folder: "inbox" }),
    ({ content, cursor }) => {
      expect([content.more, content.items.length, typeof cursor]).toEqual(["limit", 2, "string"]);
      const names = Object.keys(content);
      expect(names.indexOf("more")).toBeLessThan(names.indexOf("items"));
    },
  ],
  "23 a given max_chars is kept": [
    "search",
    () => ({ max_chars: 500, folder: "inbox" }),
    ({ content }) => expect(content.more).toBe("max_chars"),
  ],
  "23 a text is read around words": [
    "part.describe",
    () => ({ id, around: "penalty is", max_chars: 300 }),
    ({ text, cursor, cursor_before }) => {
      expect(text).toContain("The penalty is 500 EUR a day.");
      expect([typeof cursor, typeof cursor_before]).toEqual(["string", "string"]);
    },
  ],
  "23 a text is read from a character on": [
    "part.describe",
    () => ({ id, offset: 17, max_chars: 200 }),
    ({ text }) => expect(text.slice(0, 16)).toBe("Nothing of note."),
  ],
  "23 a text is read from its end": [
    "part.describe",
    () => ({ id, end: true, max_chars: 200 }),
    ({ text, cursor }) => expect([text.trim().endsWith("The end."), cursor]).toEqual([true, undefined]),
  ],
  "23 an event of whole days has both ends": [
    "calendarMonth.list",
    () => ({ month: "2027-03" }),
    ({ content: { items } }) =>
      expect(items.find(({ title }: Answer) => title === "Days")).toMatchObject({
        start: "2027-03-20T00:00:00",
        end: "2027-03-22T00:00:00",
        all_day: true,
      }),
  ],
  "23 mail that waits says why": [
    "search",
    () => ({ folder: "holds" }),
    ({ content: { items } }) =>
      expect(items).toMatchObject([{ hold_id: expect.stringMatching(/^hold_/), hold_reason: "requested" }]),
  ],
  "23 a mail that would wait says why at once": [
    "send",
    () => ({ body: { to: [server.bob.address], text: "Hello." }, hold: "always", dry_run: true }),
    ({ state, hold_reason }) => expect([state, hold_reason]).toEqual(["held", "requested"]),
  ],
  "23 scheduled mail says when it leaves": [
    "search",
    () => ({ folder: "scheduled" }),
    ({ content: { items } }) =>
      expect(items.map(({ send_at }: Answer) => Date.parse(send_at))).toEqual([
        server.clock.now() + 86_400_000,
      ]),
  ],
  "23 an item of mail names ten files, and how many more": [
    "search",
    () => ({ q: "Many files" }),
    ({ content: { items } }) =>
      expect([items[0].attachments.length, items[0].attachments_more]).toEqual([10, 2]),
  ],
  "23 all items that are asked for are given, with shorter previews": [
    "search",
    () => ({ in: server.bob.id, limit: 70 }),
    ({ content: { items } }) => {
      expect(items).toHaveLength(70);
      for (const { id: each, subject, received_at, folder_path } of items)
        expect([each, subject, received_at, folder_path]).not.toContain(undefined);
    },
  ],
  "23 a month says what overlaps, and both ends on one clock": [
    "calendarMonth.list",
    () => ({ month: "2027-03" }),
    ({ content: { items } }) => {
      const [one, two] = ["One", "Two"].map((name) => items.find(({ title }: Answer) => title === name));
      expect([one.overlaps, two.overlaps]).toEqual([[two.id], [one.id]]);
      expect([two.start, two.end]).toEqual(["2027-03-10T04:30:00", "2027-03-10T05:30:00"]);
    },
  ],
  "23 an event is described with both ends on one clock, and what overlaps": [
    "search",
    () => ({ in: calendar, q: "Two" }),
    ({ content: { items } }) =>
      expect([items[0].start, items[0].end]).toEqual(["2027-03-10T04:30:00", "2027-03-10T05:30:00"]),
  ],
  "25 an invitation that was not answered blocks nothing, and is told": [
    "search",
    () => day,
    ({ content: { items } }) =>
      expect(items.map(({ local_start, tentative }: Answer) => [local_start, tentative])).toEqual([
        ["2027-03-29T09:00:00", true],
      ]),
  ],
  "25 a colleague's busy time blocks": [
    "search",
    () => ({ ...day, with: [server.bob.address] }),
    ({ content: { items, unknown } }) =>
      expect([items.map(({ local_start, tentative }: Answer) => [local_start, tentative]), unknown]).toEqual([
        [["2027-03-29T11:00:00", undefined]],
        undefined,
      ]),
  ],
  "25 the first gap is found, and who is not seen is named": [
    "search",
    () => ({
      kind: "freetime",
      with: ["nobody@elsewhere.example"],
      duration: "PT1H",
      hours: "09:00-17:00",
      days: ["mo"],
      zone: "Europe/Berlin",
      since: "2027-03-25T00:00:00Z",
      before: "2027-04-08T00:00:00Z",
      limit: 1,
    }),
    ({ content: { items, unknown } }) =>
      expect([items.map(({ local_start }: Answer) => local_start), unknown]).toEqual([
        ["2027-03-29T09:00:00"],
        ["nobody@elsewhere.example"],
      ]),
  ],
};

const cases = Object.entries(rows).flatMap(([name, row]) =>
  doorNames.map((door) => [name, door, row] as const),
);

it.each(cases)("section %s, by %s", async (_, door, [operation, input, judge]) => {
  expect.hasAssertions();
  judge(await doors[door](operation, input()));
});
