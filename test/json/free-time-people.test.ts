/** A free hour of three people across two zones and a change of the clock, over `/v1`, against a computation that shares no code with the
 *  product: it asks Intl what the clock shows, quarter by quarter, and knows of the events what the test has made. Other ones in each run. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { randomSource } from "../support/random.ts";
import { type JsonServer, type Owner, openJsonServer } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const zones = ["Europe/Berlin", "America/New_York"] as const;

/** Weeks in which the clock of one of the zones changes. */
const weeks = ["2027-03-11", "2027-03-25", "2027-10-28", "2027-11-04"];

/** The clock of a zone as text that can be compared: 2027-03-28 Su 03:15. */
function clockOf(zone: string): (ms: number) => { day: string; time: string; date: string } {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  const days = new Intl.DateTimeFormat("en", { timeZone: zone, weekday: "short" });
  return (ms) => {
    const [date, time] = format.format(ms).split(" ");
    return { date: date!, time: time!, day: days.format(ms).slice(0, 2).toLowerCase() };
  };
}

let server: JsonServer;
let people: readonly Owner[];
beforeAll(async () => {
  server = await openJsonServer();
  await server.administer("agent.create", { address: "kay@first.example" });
  people = [server.ada, server.bob];
});
afterAll(() => server[Symbol.asyncDispose]());

it("is right for three people, in each of the weeks", async () => {
  const random = randomSource(inject("seed"));
  const { ada, bob } = server;
  const kayToken = (await server.administer("token.create", {
    agent: "kay@first.example",
    name: "test",
    scopes: ["calendar", "send"],
  })) as { token: string };
  const kay = async (operation: string, input: object): Promise<Answer> => {
    const response = await fetch(`${server.url}/v1/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${kayToken.token}` },
      body: JSON.stringify(input),
    });
    expect(response.status).toBe(200);
    return response.json();
  };
  for (const target of [bob.address, "kay@first.example"])
    await server.administer("grant.create", {
      holder: ada.address,
      target,
      scopes: ["calendar:freebusy"],
    });
  const calls = [...people.map(({ client }) => client.ok), kay];
  for (const week of weeks) {
    const startMs = Date.parse(`${week}T00:00:00Z`);
    const endMs = startMs + 5 * 24 * 60 * minuteMs;
    const busy: [number, number][] = [];
    for (const call of calls)
      for (let event = 0; event < 9; event++) {
        const zone = random.one(zones);
        // The last of the five days is left free.
        const at = startMs + random.below(4 * 24 * 12) * 5 * minuteMs;
        const minutes = 20 + random.below(300);
        const { date, time } = clockOf(zone)(at);
        // An hour that a clock shows twice has two meanings; the first is read (RFC 5545 section 3.3.5).
        const isTwice = [-60, 60].some((shift) => {
          const other = clockOf(zone)(at + shift * minuteMs);
          return other.date === date && other.time === time;
        });
        if (isTwice) continue;
        const isFree = event === 8;
        await call("event.create", {
          body: {
            title: `Event ${event}`,
            start: `${date}T${time}:00`,
            timeZone: zone,
            duration: `PT${minutes}M`,
            ...(isFree ? { freeBusyStatus: "free" } : {}),
          },
        });
        if (!isFree) busy.push([at, at + minutes * minuteMs]);
      }
    for (const zone of zones) {
      const [from, to] = ["08:00", "18:00"];
      const minutes = random.one([30, 60, 90]);
      const { content } = await ada.client.ok("search", {
        kind: "freetime",
        with: [bob.address, "kay@first.example"],
        since: new Date(startMs).toISOString(),
        before: new Date(endMs).toISOString(),
        duration: `PT${minutes}M`,
        hours: `${from}-${to}`,
        days: ["mo", "tu", "we", "th", "fr", "sa", "su"],
        zone,
        limit: 100,
      });
      expect(content.unknown).toBeUndefined();
      const clock = clockOf(zone);
      const isFree = (ms: number): boolean => {
        const { time } = clock(ms);
        return (
          time >= from! && time < to! && busy.every(([start, end]) => ms >= end || ms + minuteMs <= start)
        );
      };
      const expected: [string, string, string][] = [];
      for (let ms = startMs; ms < endMs; ms += minuteMs) {
        if (!isFree(ms) || (ms > startMs && isFree(ms - minuteMs))) continue;
        let end = ms;
        while (end < endMs && isFree(end)) end += minuteMs;
        const start = Math.ceil(ms / quarterMs) * quarterMs;
        if (end - start < minutes * minuteMs) continue;
        const { date, time } = clock(start);
        const iso = (at: number): string => new Date(at).toISOString().replace(".000", "");
        expected.push([iso(start), iso(end), `${date}T${time}:00`]);
      }
      expect(
        content.items.map((one: Answer) => [one.start, one.end, one.local_start]),
        `${week} ${zone}`,
      ).toEqual(expected);
      expect(expected.length).toBeGreaterThan(0);
    }
  }
});
