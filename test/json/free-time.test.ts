/** Free time of several people: over `/v1`, MCP and the typed client, and against a second computation that goes minute by minute. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "#/src/client/client.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { type FreeTimeQuestion, findGaps, weekdays } from "#/src/formats/icalendar/free-time.ts";
import { randomSource } from "../support/random.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;

/** What the clock of a zone shows, asked of Intl and not of our own time zones. */
function clockOf(zone: string): (ms: number) => { day: string; minute: number } {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return {
      day: parts.weekday!.slice(0, 2).toLowerCase(),
      minute: Number(parts.hour) * 60 + Number(parts.minute),
    };
  };
}

/** Minute by minute. */
function gapsByMinutes(question: FreeTimeQuestion): { startMs: number; endMs: number }[] {
  const { range, busy, durationMs, hours, days, zone, limit } = question;
  const clock = clockOf(zone.id);
  const isFree = (ms: number): boolean => {
    const { day, minute } = clock(ms);
    if (days !== undefined && !days.includes(day as never)) return false;
    if (hours !== undefined && (minute * minuteMs < hours.fromMs || minute * minuteMs >= hours.toMs))
      return false;
    return busy.every(({ startMs, endMs }) => ms >= endMs || ms + minuteMs <= startMs);
  };
  const gaps: { startMs: number; endMs: number }[] = [];
  for (let at = range.startMs; at < range.endMs && gaps.length < limit; ) {
    if (!isFree(at)) {
      at += minuteMs;
      continue;
    }
    let end = at;
    while (end < range.endMs && isFree(end)) end += minuteMs;
    const startMs = Math.ceil(at / (15 * minuteMs)) * 15 * minuteMs;
    if (end - startMs >= durationMs) gaps.push({ startMs, endMs: end });
    at = end;
  }
  return gaps;
}

it("is as a computation minute by minute says, over changes of the clock of zones", () => {
  const random = randomSource(41);
  // The clocks of these change within the week that follows.
  const weeks = [
    ["Europe/Berlin", Date.UTC(2026, 2, 26)],
    ["Europe/Berlin", Date.UTC(2026, 9, 22)],
    ["America/New_York", Date.UTC(2026, 2, 5)],
    ["Australia/Lord_Howe", Date.UTC(2026, 3, 2)],
    ["Asia/Kathmandu", Date.UTC(2026, 5, 1)],
  ] as const;
  for (let round = 0; round < 40; round++) {
    const [name, at] = weeks[random.below(weeks.length)]!;
    const startMs = at + random.below(600) * minuteMs;
    const busy = Array.from({ length: random.below(12) }, () => {
      const from = startMs + random.below(5 * 1440) * minuteMs;
      return { startMs: from, endMs: from + (1 + random.below(400)) * minuteMs };
    });
    const fromMs = random.below(12) * 60 * minuteMs;
    const question: FreeTimeQuestion = {
      range: { startMs, endMs: startMs + 5 * dayMs },
      busy,
      tentative: [],
      durationMs: (15 + random.below(120)) * minuteMs,
      // At a change of the clock an hour may be there twice: hours that begin or end in it have two answers.
      hours:
        random.below(3) === 0
          ? undefined
          : { fromMs: fromMs + 4 * 60 * minuteMs, toMs: fromMs + 12 * 60 * minuteMs },
      days: random.below(2) === 0 ? undefined : weekdays.slice(random.below(3), 4 + random.below(3)),
      zone: findNamedZone(name)!,
      limit: 1 + random.below(20),
    };
    const found = findGaps(question).map(({ startMs: from, endMs }) => ({ startMs: from, endMs }));
    expect(found, JSON.stringify([name, question])).toEqual(gapsByMinutes(question));
  }
});

describe("search {kind: freetime}", () => {
  let server: JsonServer;
  const ask = {
    kind: "freetime",
    since: "2027-03-25T00:00:00Z",
    before: "2027-04-01T00:00:00Z",
    duration: "PT1H",
    hours: "09:00-17:00",
    days: ["mo", "tu", "we", "th", "fr"],
    zone: "Europe/Berlin",
  };
  beforeAll(async () => {
    server = await openJsonServer();
    const { ada, bob } = server;
    await server.administer("grant.create", {
      holder: ada.address,
      target: bob.address,
      scopes: ["calendar:freebusy"],
    });
    const create = (
      by: Answer,
      title: string,
      start: string,
      timeZone: string,
      duration: string,
      more = {},
    ) => by.client.ok("event.create", { body: { title, start, timeZone, duration, ...more } });
    // Thursday to Monday: Berlin changes its clock on Sunday, New York has done so already.
    await create(ada, "All Thursday", "2027-03-25T08:00:00", "Europe/Berlin", "PT9H");
    await create(ada, "Friday", "2027-03-26T09:00:00", "Europe/Berlin", "PT4H");
    await create(bob, "Friday", "2027-03-26T08:00:00", "America/New_York", "PT3H");
    await create(bob, "Each Monday", "2027-03-22T04:00:00", "America/New_York", "PT4H", {
      recurrenceRule: { frequency: "weekly" },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const items = async (input: object): Promise<Answer[]> =>
    (await server.ada.client.ok("search", { ...ask, ...input })).content.items;

  it("finds the first gaps of two people in two zones, over a change of the clock", async () => {
    // Friday: Ada until 13:00 in Berlin; Bob from 13:00 to 16:00 there. The Monday of New York is 10:00 to 14:00 in Berlin.
    expect(await items({ with: [server.bob.address], limit: 3 })).toEqual([
      { start: "2027-03-26T15:00:00Z", end: "2027-03-26T16:00:00Z", local_start: "2027-03-26T16:00:00" },
      { start: "2027-03-29T07:00:00Z", end: "2027-03-29T08:00:00Z", local_start: "2027-03-29T09:00:00" },
      { start: "2027-03-29T12:00:00Z", end: "2027-03-29T15:00:00Z", local_start: "2027-03-29T14:00:00" },
    ]);
    expect((await items({ limit: 1 }))[0].start).toBe("2027-03-26T12:00:00Z");
  });

  it("names those whose busy time it may not see, in one way", async () => {
    const { content } = await server.ada.client.ok("search", {
      ...ask,
      with: [server.eve.address, "nobody@elsewhere.example", server.bob.address],
    });
    expect(content.unknown).toEqual([server.eve.address, "nobody@elsewhere.example"]);
    expect(await server.bob.client.ok("search", { ...ask, with: [server.ada.address] })).toMatchObject({
      content: { unknown: [server.ada.address] },
    });
  });

  it("is not blocked by an invitation that nobody has answered, and says so", async () => {
    const { address } = server.ada;
    await server.ada.client.ok("event.create", {
      body: {
        title: "From a stranger",
        start: "2027-03-26T09:00:00",
        duration: "PT8H",
        timeZone: "Europe/Berlin",
        organizerCalendarAddress: "mailto:eve@elsewhere.example",
        participants: {
          a: { calendarAddress: `mailto:${address}`, participationStatus: "needs-action" },
        },
      },
    });
    const [first] = await items({ limit: 1 });
    expect(first).toMatchObject({ start: "2027-03-26T12:00:00Z", tentative: true });
  });

  it("takes times without a zone as the default calendar's clock shows them, and refuses what makes no sense", async () => {
    const [first] = await items({
      since: "2027-03-30T10:10:00",
      before: "2027-04-01T00:00:00",
      hours: undefined,
    });
    expect(first.start).toBe("2027-03-30T10:15:00Z");
    const refusal = async (input: object) => {
      const { status, body } = await server.ada.client.call("search", { ...ask, ...input });
      return [status, body.error.field];
    };
    expect(await refusal({ duration: "PT0S" })).toEqual([400, "/duration"]);
    expect(await refusal({ hours: "17:00-09:00" })).toEqual([400, "/hours"]);
    expect(await refusal({ before: "2027-06-30T00:00:00Z" })).toEqual([400, "/before"]);
    expect(await refusal({ with: Array(21).fill("a@b.example") })).toEqual([400, "/with"]);
    expect(await refusal({ folder: "inbox" })).toEqual([400, "/folder"]);
    expect(await refusal({ kind: "freebusy", duration: undefined })).toEqual([400, "/hours"]);
  });

  it("is the same over MCP and by the typed client", async () => {
    const expected = await items({ limit: 2 });
    const { url, ada } = server;
    const typed = await createClient({ url, token: ada.token }).call("search", { ...ask, limit: 2 } as never);
    expect((typed.content as Answer).items).toEqual(expected);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${ada.token}` } },
      }),
    );
    const { content } = await client.callTool({ name: "search", arguments: { ...ask, limit: 2 } });
    expect(JSON.parse((content as Answer)[0].text).content.items).toEqual(expected);
    await client.close();
  });
});
