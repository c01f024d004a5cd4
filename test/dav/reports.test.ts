/** Reports over the wire: requests of clients and their answers (RFC 4791 section 7, RFC 6352 section 8, RFC 6578, RFC 3253). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  basic,
  type DavAnswer,
  type DavClient,
  davClient,
  readResponses,
} from "../support/clients/dav-client.ts";
import { calendarText, cardText, eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let count = 0;
/** A calendar and an addressbook for each test. */
let calendar: string;
let addressbook: string;

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
});

beforeEach(async () => {
  calendar = `/dav/calendars/${server.ada.id}/c${++count}/`;
  addressbook = `/dav/addressbooks/${server.ada.id}/a${count}/`;
  expect((await ada.request("MKCALENDAR", calendar)).status).toBe(201);
  const made = await ada.request(
    "MKCOL",
    addressbook,
    '<mkcol xmlns="DAV:"><set><prop><resourcetype><collection/><addressbook xmlns="urn:ietf:params:xml:ns:carddav"/></resourcetype></prop></set></mkcol>',
  );
  expect(made.status).toBe(201);
});

afterAll(() => server[Symbol.asyncDispose]());

const calendarData = "urn:ietf:params:xml:ns:caldav calendar-data";
const addressData = "urn:ietf:params:xml:ns:carddav address-data";

async function put(collection: string, name: string, bytes: Uint8Array): Promise<void> {
  const type = collection === addressbook ? "text/vcard" : "text/calendar";
  const answer = await ada.request("PUT", `${collection}${name}`, bytes, { "Content-Type": type });
  expect([201, 204], answer.text).toContain(answer.status);
}

function report(path: string, body: string, depth = "1"): Promise<DavAnswer> {
  return ada.request(
    "REPORT",
    path,
    body.replace(
      ">",
      ' xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:R="urn:ietf:params:xml:ns:carddav">',
    ),
    { Depth: depth },
  );
}

const query = (filter: string, props = "<D:getetag/><C:calendar-data/>", more = "") =>
  `<C:calendar-query><D:prop>${props}</D:prop><C:filter>${filter}</C:filter>${more}</C:calendar-query>`;
const events = (inner: string) =>
  `<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">${inner}</C:comp-filter></C:comp-filter>`;
const berlin = [
  "BEGIN:VTIMEZONE",
  "TZID:Europe/Berlin",
  "BEGIN:STANDARD",
  "DTSTART:19701025T030000",
  "TZOFFSETFROM:+0200",
  "TZOFFSETTO:+0100",
  "END:STANDARD",
  "END:VTIMEZONE",
];
const range = (start: string, end: string, name = "time-range") =>
  `<C:${name} start="${start}T000000Z" end="${end}T000000Z"/>`;

function names(answer: DavAnswer): string[] {
  expect(answer.status, answer.text).toBe(207);
  return readResponses(answer)
    .map(({ href, status }) => `${href.split("/").at(-1)}${status === undefined ? "" : ` ${status}`}`)
    .sort();
}

function dataOf(answer: DavAnswer, name: string, key = calendarData): string | undefined {
  return readResponses(answer)
    .find(({ href }) => href.endsWith(`/${name}`))
    ?.found.get(key)?.text;
}

describe("calendar-query", () => {
  beforeEach(async () => {
    await put(calendar, "once.ics", eventText("once", "SUMMARY:Lunch"));
    await put(
      calendar,
      "weekly.ics",
      eventText("weekly", "DTSTART:20260105T150000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY", "SUMMARY:Team"),
    );
    await put(calendar, "day.ics", eventText("day", "DTSTART;VALUE=DATE:20260201"));
    await put(
      calendar,
      "task.ics",
      calendarText("BEGIN:VTODO", "UID:task", "DTSTAMP:20260101T000000Z", "SUMMARY:Pay", "END:VTODO"),
    );
  });

  test("answers the events of a range with their octets", async () => {
    const answer = await report(calendar, query(events(range("20260105", "20260106"))));
    expect(names(answer)).toEqual(["once.ics", "weekly.ics"]);
    expect(dataOf(answer, "once.ics")).toBe(eventText("once", "SUMMARY:Lunch").toString());
    expect(names(await report(calendar, query(events(range("20260106", "20260112")))))).toEqual([]);
    expect(names(await report(calendar, query(events(range("20460101", "20460109")))))).toEqual([
      "weekly.ics",
    ]);
    expect(
      names(await report(calendar, query(events(range("20260201", "20260202")), "<D:getetag/>"))),
    ).toEqual(["day.ics"]);
  });

  test("takes a range without a start, and one without an end", async () => {
    const open = (attributes: string) => report(calendar, query(events(`<C:time-range ${attributes}/>`)));
    expect(names(await open('end="20260106T000000Z"'))).toEqual(["once.ics", "weekly.ics"]);
    expect(names(await open('start="20260301T000000Z"'))).toEqual(["weekly.ics"]);
  });

  test("answers what filters of components, properties and text select", async () => {
    const of = async (filter: string) => names(await report(calendar, query(filter, "<D:getetag/>")));
    expect(await of('<C:comp-filter name="VCALENDAR"/>')).toEqual([
      "day.ics",
      "once.ics",
      "task.ics",
      "weekly.ics",
    ]);
    expect(await of(events(""))).toEqual(["day.ics", "once.ics", "weekly.ics"]);
    expect(await of('<C:comp-filter name="VCALENDAR"><C:comp-filter name="VTODO"/></C:comp-filter>')).toEqual(
      ["task.ics"],
    );
    expect(
      await of(
        '<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:is-not-defined/></C:comp-filter></C:comp-filter>',
      ),
    ).toEqual(["task.ics"]);
    const text = '<C:prop-filter name="SUMMARY"><C:text-match>LUNCH</C:text-match></C:prop-filter>';
    expect(await of(events(text))).toEqual(["once.ics"]);
    expect(await of(events(`${range("20260101", "20260201")}${text}`))).toEqual(["once.ics"]);
    expect(await of(events('<C:prop-filter name="SUMMARY"><C:is-not-defined/></C:prop-filter>'))).toEqual([
      "day.ics",
    ]);
    expect(
      await of(
        '<C:comp-filter name="VCALENDAR"><C:comp-filter name="VTODO"><C:time-range start="20300101T000000Z" end="20300102T000000Z"/></C:comp-filter></C:comp-filter>',
      ),
    ).toEqual(["task.ics"]);
  });

  test("answers a series expanded, or limited to a range", async () => {
    const expand = `<D:getetag/><C:calendar-data>${range("20260112", "20260127", "expand")}</C:calendar-data>`;
    const expanded = await report(calendar, query(events(range("20260112", "20260127")), expand));
    expect(
      dataOf(expanded, "weekly.ics")
        ?.match(/RECURRENCE-ID.*/g)
        ?.map((line) => line.trim()),
    ).toEqual([
      "RECURRENCE-ID:20260112T150000Z",
      "RECURRENCE-ID:20260119T150000Z",
      "RECURRENCE-ID:20260126T150000Z",
    ]);
    const part =
      '<C:calendar-data><C:comp name="VCALENDAR"><C:comp name="VEVENT"><C:prop name="UID"/></C:comp></C:comp></C:calendar-data>';
    const partial = await report(calendar, query(events(range("20260112", "20260127")), part));
    expect(dataOf(partial, "weekly.ics")).toBe(
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:weekly\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    );
  });

  test("takes dates in the time zone of the request, else in that of the calendar", async () => {
    const evening = '<C:time-range start="20260202T020000Z" end="20260202T030000Z"/>';
    const york = "<C:timezone-id>America/New_York</C:timezone-id>";
    expect(names(await report(calendar, query(events(evening))))).toEqual([]);
    expect(names(await report(calendar, query(events(evening), "<D:getetag/>", york)))).toEqual(["day.ics"]);
    const set = `<propertyupdate xmlns="DAV:"><set><prop><calendar-timezone-id xmlns="urn:ietf:params:xml:ns:caldav">America/New_York</calendar-timezone-id></prop></set></propertyupdate>`;
    expect((await ada.request("PROPPATCH", calendar, set)).status).toBe(207);
    expect(names(await report(calendar, query(events(evening))))).toEqual(["day.ics"]);
  });

  test("searches a calendar with Depth 1, an object with Depth 0, and a home with infinity", async () => {
    const body = query(events(range("20260105", "20260106")), "<D:getetag/>");
    expect(names(await report(calendar, body, "0"))).toEqual([]);
    expect(names(await report(`${calendar}once.ics`, body, "0"))).toEqual(["once.ics"]);
    expect(names(await report(`${calendar}day.ics`, body, "0"))).toEqual([]);
    const home = `/dav/calendars/${server.ada.id}/`;
    expect(names(await report(home, body, "1"))).toEqual([]);
    const all = readResponses(await report(home, body, "infinity")).map(({ href }) => href);
    expect(all).toContain(`${calendar}once.ics`);
  });

  const refused: readonly (readonly [what: string, body: string, condition: string])[] = [
    ["no filter", "<C:calendar-query><D:prop/></C:calendar-query>", "valid-filter"],
    ["a filter of an event alone", query('<C:comp-filter name="VEVENT"/>'), "valid-filter"],
    ["a range in local time", query(events('<C:time-range start="20260101T000000"/>')), "valid-filter"],
    ["a range of dates", query(events('<C:time-range start="20260101"/>')), "valid-filter"],
    ["a range that ends before it starts", query(events(range("20260102", "20260101"))), "valid-filter"],
    [
      "a range of a calendar",
      query(`<C:comp-filter name="VCALENDAR">${range("20260101", "20260102")}</C:comp-filter>`),
      "valid-filter",
    ],
    [
      "an alarm of a calendar",
      query('<C:comp-filter name="VCALENDAR"><C:comp-filter name="VALARM"/></C:comp-filter>'),
      "valid-filter",
    ],
    ["an event of an event", query(events('<C:comp-filter name="VEVENT"/>')), "valid-filter"],
    [
      "an event of an alarm",
      query(events('<C:comp-filter name="VALARM"><C:comp-filter name="VEVENT"/></C:comp-filter>')),
      "valid-filter",
    ],
    [
      "a range of a summary",
      query(events(`<C:prop-filter name="summary">${range("20260101", "20260102")}</C:prop-filter>`)),
      "valid-filter",
    ],
    [
      "a filter of thousands of parts",
      query(events('<C:prop-filter name="SUMMARY"/>'.repeat(2000))),
      "valid-filter",
    ],
    [
      "an unknown collation",
      query(
        events(
          '<C:prop-filter name="SUMMARY"><C:text-match collation="i;x">a</C:text-match></C:prop-filter>',
        ),
      ),
      "supported-collation",
    ],
    [
      "another type of data",
      query(events(""), '<C:calendar-data content-type="application/json"/>'),
      "supported-calendar-data",
    ],
    [
      "another version of data",
      query(events(""), '<C:calendar-data version="1.0"/>'),
      "supported-calendar-data",
    ],
    [
      "an unknown time zone",
      query(events(""), "<D:getetag/>", "<C:timezone-id>Europe/Atlantis</C:timezone-id>"),
      "valid-timezone",
    ],
    [
      "a time zone with an event beside it",
      query(
        events(""),
        "<D:getetag/>",
        `<C:timezone>${calendarText(...berlin, "BEGIN:VEVENT", "UID:a", "DTSTART:20270101T000000", "END:VEVENT").toString()}</C:timezone>`,
      ),
      "valid-calendar-data",
    ],
    [
      "a time zone that is none",
      query(events(""), "<D:getetag/>", "<C:timezone>BEGIN:VCALENDAR</C:timezone>"),
      "valid-calendar-data",
    ],
  ];
  test.each(refused)("refuses %s", async (_, body, condition) => {
    const answer = await report(calendar, body);
    expect([answer.status, answer.condition]).toEqual([403, `urn:ietf:params:xml:ns:caldav ${condition}`]);
  });

  test("searches the items of a calendar where the request has no Depth", async () => {
    const body = query(events(range("20260105", "20260106")), "<D:getetag/>");
    const spaces = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"';
    const answer = await ada.request("REPORT", calendar, body.replace(">", ` ${spaces}>`));
    expect(names(answer)).toEqual(["once.ics", "weekly.ics"]);
  });

  test("refuses a time range without bounds with valid-filter", async () => {
    const answer = await report(calendar, query(events("<C:time-range/>")));
    expect([answer.status, answer.condition]).toEqual([400, "urn:ietf:params:xml:ns:caldav valid-filter"]);
  });

  test("leaves out time zones with a standard name where the client accepts that", async () => {
    const event = [
      "BEGIN:VEVENT",
      "UID:z",
      "DTSTAMP:20260101T000000Z",
      "DTSTART;TZID=Europe/Berlin:20270101T100000",
      "END:VEVENT",
    ];
    await put(calendar, "z.ics", calendarText(...berlin, ...event));
    const body = query(events(range("20270101", "20270102"))).replace(
      ">",
      ' xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">',
    );
    const ask = (fields: Record<string, string>) =>
      ada.request("REPORT", calendar, body, { Depth: "1", ...fields });
    expect(dataOf(await ask({}), "z.ics")).toBe(calendarText(...berlin, ...event).toString());
    expect(dataOf(await ask({ "CalDAV-Timezones": "F" }), "z.ics")).toBe(calendarText(...event).toString());

    const get = (fields: Record<string, string>) => ada.request("GET", `${calendar}z.ics`, undefined, fields);
    const [whole, without] = [await get({}), await get({ "CalDAV-Timezones": "F" })];
    expect(whole.text).toBe(calendarText(...berlin, ...event).toString());
    expect(without.text).toBe(calendarText(...event).toString());
    for (const { headers } of [whole, without]) expect(headers.vary).toBe("CalDAV-Timezones");
    const long = [...event.slice(0, 2), `DESCRIPTION:${"x".repeat(20_000)}`, ...event.slice(2)];
    await put(calendar, "z.ics", calendarText(...berlin, ...long));
    const large = (await get({ "CalDAV-Timezones": "F" })).text.replaceAll("\r\n ", "");
    expect(large).not.toContain("VTIMEZONE");
    expect(large.replaceAll("\r\n", "\n")).toContain(long.join("\n"));
    await put(calendar, "z.ics", calendarText(...berlin, ...event));
    const own = berlin.map((line) => line.replace("Europe/Berlin", "Mine"));
    await put(
      calendar,
      "own.ics",
      calendarText(...own, ...event.map((line) => line.replace("UID:z", "UID:own"))),
    );
    expect(
      (await ada.request("GET", `${calendar}own.ics`, undefined, { "CalDAV-Timezones": "F" })).text,
    ).toContain("TZID:Mine");
  });

  test("answers hostile series without expanding them to the end", async () => {
    await put(calendar, "second.ics", eventText("second", "DTSTART:20260101T000000Z", "RRULE:FREQ=SECONDLY"));
    const expand = `<C:calendar-data>${range("20260112", "20260127", "expand")}</C:calendar-data>`;
    const answer = await report(calendar, query(events(range("20260112", "20260127")), expand));
    const second = readResponses(answer).find(({ href }) => href.endsWith("second.ics"))!;
    expect(second.missing.get(calendarData)).toBe(507);
  });
});

describe("multiget", () => {
  test("answers objects by their hrefs, in their order, and 404 for others", async () => {
    await put(calendar, "a.ics", eventText("a"));
    await put(calendar, "b c.ics".replace(" ", "%20"), eventText("b"));
    const hrefs = [
      `${calendar}b%20c.ics`,
      `${calendar}none.ics`,
      `${server.url}${calendar}a.ics`,
      "/dav/other",
      calendar,
    ];
    const answer = await report(
      calendar,
      `<C:calendar-multiget><D:prop><D:getetag/><C:calendar-data/></D:prop>${hrefs.map((href) => `<D:href>${href}</D:href>`).join("")}</C:calendar-multiget>`,
    );
    expect(readResponses(answer).map(({ href, status }) => [href, status])).toEqual([
      [hrefs[0], undefined],
      [hrefs[1], 404],
      [hrefs[2], undefined],
      [hrefs[3], 404],
      [hrefs[4], 404],
    ]);
    expect(dataOf(answer, "b%20c.ics")).toBe(eventText("b").toString());
  });

  test("answers cards in the requested version, or in 3.0", async () => {
    const card = Buffer.from(
      "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:a\r\nFN:Ann\r\nTEL;PREF=1:+1\r\nEND:VCARD\r\n",
    );
    await put(addressbook, "a.vcf", card);
    const get = async (data: string) =>
      dataOf(
        await report(
          addressbook,
          `<R:addressbook-multiget><D:prop>${data}</D:prop><D:href>${addressbook}a.vcf</D:href></R:addressbook-multiget>`,
        ),
        "a.vcf",
        addressData,
      );
    expect(await get('<R:address-data content-type="text/vcard" version="4.0"/>')).toBe(card.toString());
    expect(await get("<R:address-data/>")).toContain("VERSION:3.0");
    expect(await get('<R:address-data version="4.0"><R:prop name="FN"/></R:address-data>')).toBe(
      "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann\r\nEND:VCARD\r\n",
    );
    const wrong = await report(
      addressbook,
      `<R:addressbook-multiget><D:prop><R:address-data version="2.1"/></D:prop><D:href>/</D:href></R:addressbook-multiget>`,
    );
    expect([wrong.status, wrong.condition]).toEqual([
      403,
      "urn:ietf:params:xml:ns:carddav supported-address-data",
    ]);
  });
});

describe("addressbook-query", () => {
  beforeEach(async () => {
    await put(addressbook, "ann.vcf", cardText("ann", "Ann Archer", "EMAIL:ann@example.com"));
    await put(addressbook, "bob.vcf", cardText("bob", "Bob Archer"));
    await put(addressbook, "zoe.vcf", cardText("zoe", "Zoé Ménard"));
  });

  const cards = (filter: string, more = "") =>
    `<R:addressbook-query><D:prop><D:getetag/><R:address-data/></D:prop>${filter}${more}</R:addressbook-query>`;
  const named = (text: string, attributes = "") =>
    `<R:filter><R:prop-filter name="FN"><R:text-match ${attributes}>${text}</R:text-match></R:prop-filter></R:filter>`;

  test("answers the cards that match", async () => {
    const of = async (filter: string) => names(await report(addressbook, cards(filter)));
    expect(await of(named("archer"))).toEqual(["ann.vcf", "bob.vcf"]);
    expect(await of(named("MÉN"))).toEqual(["zoe.vcf"]);
    expect(await of(named("ann", 'match-type="starts-with"'))).toEqual(["ann.vcf"]);
    expect(await of(named("archer", 'negate-condition="yes"'))).toEqual(["zoe.vcf"]);
    expect(
      await of('<R:filter><R:prop-filter name="EMAIL"><R:is-not-defined/></R:prop-filter></R:filter>'),
    ).toEqual(["bob.vcf", "zoe.vcf"]);
    expect(await of("<R:filter/>")).toEqual(["ann.vcf", "bob.vcf", "zoe.vcf"]);
  });

  test("says when there are more results than the limit", async () => {
    const answer = await report(
      addressbook,
      cards(named("archer"), "<R:limit><R:nresults>1</R:nresults></R:limit>"),
    );
    expect(names(answer)).toEqual([" 507", "ann.vcf"]);
    expect(answer.text).toContain("number-of-matches-within-limits");
    const enough = await report(
      addressbook,
      cards(named("archer"), "<R:limit><R:nresults>2</R:nresults></R:limit>"),
    );
    expect(names(enough)).toEqual(["ann.vcf", "bob.vcf"]);
  });

  test("refuses unknown filters", async () => {
    const conditionOf = async (filter: string) => (await report(addressbook, cards(filter))).condition;
    expect(await conditionOf(named("a", 'collation="i;x"'))).toBe(
      "urn:ietf:params:xml:ns:carddav supported-collation",
    );
    expect(await conditionOf(named("a", 'match-type="like"'))).toBe(
      "urn:ietf:params:xml:ns:carddav supported-filter",
    );
    expect(await conditionOf('<R:filter test="some"/>')).toBe(
      "urn:ietf:params:xml:ns:carddav supported-filter",
    );
  });
});

describe("free-busy-query", () => {
  test("answers a VFREEBUSY of the calendar", async () => {
    await put(calendar, "a.ics", eventText("a"));
    await put(calendar, "b.ics", eventText("b", "DTSTART:20260105T103000Z", "DURATION:PT1H"));
    await put(
      calendar,
      "c.ics",
      eventText("c", "DTSTART:20260105T150000Z", "DURATION:PT1H", "STATUS:TENTATIVE"),
    );
    await put(
      calendar,
      "d.ics",
      eventText("d", "DTSTART:20260105T200000Z", "DURATION:PT1H", "TRANSP:TRANSPARENT"),
    );
    const answer = await report(
      calendar,
      `<C:free-busy-query>${range("20260105", "20260106")}</C:free-busy-query>`,
    );
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/calendar; charset=utf-8"]);
    expect(answer.text.match(/FREEBUSY;.*/g)?.map((line) => line.trim())).toEqual([
      "FREEBUSY;FBTYPE=BUSY:20260105T100000Z/PT1H30M",
      "FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260105T150000Z/PT1H",
    ]);
  });

  test("needs a range", async () => {
    expect((await report(calendar, "<C:free-busy-query></C:free-busy-query>")).status).toBe(400);
    const open = await report(
      calendar,
      '<C:free-busy-query><C:time-range start="20260105T000000Z"/></C:free-busy-query>',
    );
    expect([open.status, open.condition]).toEqual([400, undefined]);
  });

  test.each([
    ["dates", 'start="20260105" end="20260106"'],
    ["local times", 'start="20260105T000000" end="20260106T000000"'],
    ["an end before the start", 'start="20260106T000000Z" end="20260105T000000Z"'],
  ])("refuses %s as bad grammar, as it has no precondition for filters", async (_, attributes) => {
    const answer = await report(
      calendar,
      `<C:free-busy-query><C:time-range ${attributes}/></C:free-busy-query>`,
    );
    expect([answer.status, answer.condition]).toEqual([400, undefined]);
  });
});

describe("sync-collection", () => {
  const sync = (token: string, limit?: number, props = "<D:getetag/>") =>
    report(
      calendar,
      `<D:sync-collection><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level>${limit === undefined ? "" : `<D:limit><D:nresults>${limit}</D:nresults></D:limit>`}<D:prop>${props}</D:prop></D:sync-collection>`,
      "0",
    );
  const tokenOf = (answer: DavAnswer) => /<D:sync-token>([^<]*)/.exec(answer.text)![1]!;

  test("answers all items at first, then the changes", async () => {
    await put(calendar, "a.ics", eventText("a"));
    await put(calendar, "b.ics", eventText("b"));
    const first = await sync("", undefined, "<D:getetag/><C:calendar-data/>");
    expect(names(first)).toEqual(["a.ics", "b.ics"]);
    expect(dataOf(first, "a.ics")).toBe(eventText("a").toString());
    expect(names(await sync(tokenOf(first)))).toEqual([]);
    await put(calendar, "a.ics", eventText("a", "SUMMARY:new"));
    await put(calendar, "c.ics", eventText("c"));
    await ada.request("DELETE", `${calendar}b.ics`);
    const second = await sync(tokenOf(first), undefined, "<C:calendar-data/>");
    expect(names(second)).toEqual(["a.ics", "b.ics 404", "c.ics"]);
    expect(dataOf(second, "a.ics")).toContain("SUMMARY:new");
    expect(names(await sync(tokenOf(second)))).toEqual([]);
  });

  test("continues at the token of each cut answer, without missing or repeating a change", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await put(calendar, `${name}.ics`, eventText(name));
    const known = new Set<string>();
    const follow = async (from: string): Promise<string> => {
      let token = from;
      for (let rounds = 0; rounds < 20; rounds++) {
        const answer = await sync(token, 2);
        token = tokenOf(answer);
        const told = readResponses(answer).filter(({ href }) => href !== calendar);
        expect(told.length).toBeLessThanOrEqual(2);
        for (const { href, status } of told) status === 404 ? known.delete(href) : known.add(href);
        if (!answer.text.includes("number-of-matches-within-limits")) return token;
        if (rounds === 0) await put(calendar, "later.ics", eventText("later", `SUMMARY:${from.length}`));
        if (rounds === 1) await ada.request("DELETE", `${calendar}a.ics`);
      }
      throw new Error("it never ends");
    };
    let token = await follow("");
    token = await follow(token);
    const there = async () =>
      readResponses(await report(calendar, query('<C:comp-filter name="VCALENDAR"/>', "<D:getetag/>"))).map(
        ({ href }) => href,
      );
    expect([...known].sort()).toEqual((await there()).sort());
    for (const name of ["b", "c", "d"]) await ada.request("DELETE", `${calendar}${name}.ics`);
    for (const name of ["f", "g", "b"]) await put(calendar, `${name}.ics`, eventText(`new-${name}`));
    await follow(token);
    expect([...known].sort()).toEqual((await there()).sort());
  });

  test.each([
    "urn:waypost:sync:999999999",
    "urn:waypost:sync:1x",
    "http://example.com/1",
    "urn:waypost:sync:999999999:after:3",
  ])("refuses the token %s", async (token) => {
    const answer = await sync(token);
    expect([answer.status, answer.condition]).toEqual([403, "DAV: valid-sync-token"]);
  });

  test("refuses an unknown sync-level, and a request without a token", async () => {
    const level =
      "<D:sync-collection><D:sync-token/><D:sync-level>2</D:sync-level><D:prop/></D:sync-collection>";
    expect((await report(calendar, level, "0")).status).toBe(400);
    expect((await report(calendar, "<D:sync-collection><D:prop/></D:sync-collection>", "0")).status).toBe(
      400,
    );
  });

  test("answers cards in the form of address-data", async () => {
    await put(addressbook, "a.vcf", cardText("a", "Ann"));
    const body =
      "<D:sync-collection><D:sync-token/><D:sync-level>1</D:sync-level><D:prop><R:address-data/></D:prop></D:sync-collection>";
    expect(dataOf(await report(addressbook, body, "0"), "a.vcf", addressData)).toBe(
      cardText("a", "Ann").toString(),
    );
  });
});

describe("items that a thread reads", () => {
  const long = `DESCRIPTION:${"Grüße aus dem Werk ".repeat(1500)}`;

  test("are answered like small ones", async () => {
    for (const [name, line] of [
      ["small", "DESCRIPTION:Grüße"],
      ["large", long],
    ] as const) {
      await put(calendar, `${name}.ics`, eventText(name, "SUMMARY:Visit", line, "RRULE:FREQ=DAILY;COUNT=3"));
      // Floating: in Los Angeles it is on the next day in UTC.
      await put(calendar, `${name}-late.ics`, eventText(`${name}-late`, "DTSTART:20260301T200000", line));
    }
    const both = ["large.ics", "small.ics"];
    const textMatch = (text: string, name = "DESCRIPTION") =>
      events(`<C:prop-filter name="${name}"><C:text-match>${text}</C:text-match></C:prop-filter>`);
    const of = async (filter: string, more = "") =>
      names(await report(calendar, query(filter, undefined, more)));
    expect(await of(textMatch("VISIT", "SUMMARY"))).toEqual(both);
    expect(await of(textMatch("grüsse"))).toEqual([]);
    expect(await of(textMatch("GRÜSSE"))).toEqual([]);
    expect(await of(textMatch("grüße"))).toEqual([
      "large-late.ics",
      "large.ics",
      "small-late.ics",
      "small.ics",
    ]);
    expect(await of(events(range("20260106", "20260107")))).toEqual(both);
    const late = events(range("20260302", "20260303"));
    expect(await of(late)).toEqual([]);
    expect(await of(late, "<C:timezone-id>America/Los_Angeles</C:timezone-id>")).toEqual([
      "large-late.ics",
      "small-late.ics",
    ]);
    const expand = `<C:calendar-data>${range("20260106", "20260107", "expand")}</C:calendar-data>`;
    const expanded = await report(calendar, query(events(range("20260106", "20260107")), expand));
    for (const name of both) {
      const data = dataOf(expanded, name)!;
      expect(data).toMatch(/RECURRENCE-ID:20260106T/);
      expect(data).not.toContain("RRULE");
    }
  });

  test("are cards that the filter matches, and are converted to the requested version", async () => {
    const noteOf = (text: string) => `NOTE:${text.repeat(1500)}`;
    await put(addressbook, "ann.vcf", cardText("ann", "Ann Archer", noteOf("Grüße ")));
    await put(addressbook, "bob.vcf", cardText("bob", "Bob Archer", noteOf("Other ")));
    const filter = `<R:filter><R:prop-filter name="NOTE"><R:text-match>GRÜßE</R:text-match></R:prop-filter></R:filter>`;
    const body = `<R:addressbook-query><D:prop><R:address-data content-type="text/vcard" version="4.0"/></D:prop>${filter}</R:addressbook-query>`;
    const answer = await report(addressbook, body);
    expect(names(answer)).toEqual(["ann.vcf"]);
    expect(dataOf(answer, "ann.vcf", addressData)).toContain("VERSION:4.0");
  });

  test("are expanded within limits, and still found when the limits are exceeded", async () => {
    await put(
      calendar,
      "hostile.ics",
      eventText("hostile", "DTSTART:20260101T000000Z", "RRULE:FREQ=SECONDLY", long),
    );
    const expand = `<C:calendar-data>${range("20260112", "20260127", "expand")}</C:calendar-data>`;
    const answer = await report(calendar, query(events(range("20260112", "20260127")), expand));
    expect(names(answer)).toEqual(["hostile.ics"]);
    expect(readResponses(answer)[0]!.missing.get(calendarData)).toBe(507);
  });
});

describe("expand-property", () => {
  test("answers properties of what the hrefs of a property name", async () => {
    const body =
      '<D:expand-property><D:property name="current-user-principal"><D:property name="displayname"/><D:property name="calendar-home-set" namespace="urn:ietf:params:xml:ns:caldav"><D:property name="resourcetype"/></D:property></D:property><D:property name="displayname"/></D:expand-property>';
    const answer = await report(calendar, body, "0");
    const [response] = readResponses(answer);
    const principal = response!.found.get("DAV: current-user-principal")!.children[0]!;
    expect(principal).toMatchObject({ name: "response" });
    expect(answer.text).toContain(`<D:href>/dav/principals/${server.ada.id}/</D:href>`);
    expect(answer.text).toContain(
      `<C:calendar-home-set><D:response><D:href>/dav/calendars/${server.ada.id}/</D:href>`,
    );
  });

  test("is refused with a Depth other than 0", async () => {
    expect((await report(calendar, "<D:expand-property></D:expand-property>", "1")).status).toBe(400);
  });

  test("refuses properties that are nested too deep", async () => {
    const inner = '<D:property name="current-user-principal">';
    const body = `<D:expand-property>${inner.repeat(10)}${"</D:property>".repeat(10)}</D:expand-property>`;
    expect((await report(calendar, body, "0")).status).toBe(400);
  });
});

test("a report that a resource does not have is refused", async () => {
  const body = "<R:addressbook-query><D:prop/></R:addressbook-query>";
  const answer = await report(calendar, body);
  expect([answer.status, answer.condition]).toEqual([403, "DAV: supported-report"]);
  await put(calendar, "a.ics", eventText("a"));
  expect((await report(`${calendar}a.ics`, body, "0")).condition).toBe("DAV: supported-report");
});
