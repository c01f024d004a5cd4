/** The index of occurrences: which items a time range finds. */

import { expect, it } from "vitest";
import { createZoneMaintenance } from "#/src/collections/maintain-time-zones.ts";
import { readItem } from "#/src/collections/preparing/derive-item.ts";
import { listPeriods } from "#/src/collections/preparing/list-periods.ts";
import { createDirectPreparation } from "#/src/collections/preparing/preparation.ts";
import { expandRecurrenceSet } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import { findIanaZone } from "#/src/formats/icalendar/iana-zone.ts";
import { readRecurrenceSet } from "#/src/formats/icalendar/recurrence-set.ts";
import { nobody } from "#/src/model/author.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { openEndMs, openSpanClass, openStartMs, spanClassOf } from "#/storage/items.ts";
import { listPeriodsOfItem, selectEventsAfter, selectPeriods } from "#/storage/queries/collections/items.ts";
import { byDav, calendarText, eventText, gather, openItemHouse } from "../support/items.ts";
import { randomSource } from "../support/random.ts";

const now = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;

function periodsOf(bytes: Buffer) {
  const read = readItem(bytes, { kind: "calendar", isMessage: false });
  if (read.kind !== "calendar") throw new Error("no calendar");
  return listPeriods(read.object, now);
}

function show(ms: number): string {
  if (ms === openStartMs) return "…";
  return ms === openEndMs ? "…" : new Date(ms).toISOString().slice(0, 16);
}

it.each([
  [["DTSTART:20260105T100000Z", "DURATION:PT1H"], ["2026-01-05T10:00 2026-01-05T11:00 exact"]],
  [
    ["DTSTART;TZID=Europe/Berlin:20260105T100000", "DURATION:PT1H"],
    ["2026-01-05T09:00 2026-01-05T10:00 exact"],
  ],
  // Whoever reads it may be in UTC+14 or UTC-12.
  [["DTSTART;VALUE=DATE:20260105"], ["2026-01-04T10:00 2026-01-06T12:00"]],
  [["DTSTART:20260105T100000", "DURATION:PT1H"], ["2026-01-04T20:00 2026-01-05T23:00"]],
  [["DTSTART;TZID=Nowhere:20260105T100000", "DURATION:PT1H"], ["2026-01-04T20:00 2026-01-05T23:00"]],
  // A weekly series is one period, an endless one is open.
  [["DTSTART:20260105T100000Z", "RRULE:FREQ=WEEKLY;COUNT=4"], ["2026-01-05T10:00 2026-01-26T10:00"]],
  [["DTSTART:20260105T100000Z", "RRULE:FREQ=WEEKLY"], ["2026-01-04T10:00 …"]],
  [["DTSTART:20260105T100000Z", "RRULE:FREQ=SECONDLY"], ["2026-01-04T10:00 …"]],
  [["DTSTART:20260105T100000Z", "RRULE:FREQ=SECONDLY;UNTIL=20270105T100000Z"], ["2026-01-04T10:00 …"]],
  // Far apart, each instance is a period, up to the horizon.
  [
    ["DTSTART:20260105T100000Z", "RRULE:FREQ=YEARLY;INTERVAL=6"],
    ["2026-01-05T10:00 2026-01-05T10:00", "2032-01-05T10:00 2032-01-05T10:00", "2036-01-09T00:00 …"],
  ],
  [
    ["DTSTART:20260105T100000Z", "RDATE:20270105T100000Z", "EXDATE:20260105T100000Z"],
    ["2027-01-05T10:00 2027-01-05T10:00"],
  ],
  [
    ["DTSTART;TZID=Europe/Berlin:20260105T100000", "RRULE:FREQ=YEARLY;COUNT=3", "EXDATE:20270105T100000"],
    ["2026-01-04T10:00 …"],
  ],
] as const)("lists the periods of an event with %j", (lines, expected) => {
  const { periods } = periodsOf(eventText("a", ...lines));
  expect(
    periods.map(({ startMs, endMs, isExact }) => `${show(startMs)} ${show(endMs)}${isExact ? " exact" : ""}`),
  ).toEqual(expected);
});

it.each([
  ["BEGIN:VTODO", "UID:a", "END:VTODO"],
  ["BEGIN:VTODO", "UID:a", "COMPLETED:20260101T000000Z", "END:VTODO"],
  ["BEGIN:VJOURNAL", "UID:a", "END:VJOURNAL"],
  ["BEGIN:VFREEBUSY", "UID:a", "DTSTART:20260101T000000Z", "DTEND:20260102T000000Z", "END:VFREEBUSY"],
  ["BEGIN:VAVAILABILITY", "UID:a", "DTSTART:20260101T000000Z", "END:VAVAILABILITY"],
])("has %j in every range, as its own rules say when it matches", (...lines) => {
  expect(periodsOf(calendarText(...lines)).periods).toEqual([
    { startMs: openStartMs, endMs: openEndMs, isExact: false },
  ]);
});

it("gives a horizon only to series whose periods have to be listed again later", () => {
  const of = (...lines: string[]) =>
    periodsOf(eventText("a", "DTSTART:20260105T100000Z", ...lines)).horizonMs;
  expect(of("RRULE:FREQ=YEARLY")).toBeGreaterThan(now + 9 * 366 * dayMs);
  expect(of("RRULE:FREQ=DAILY")).toBeNull();
  expect(of("RRULE:FREQ=YEARLY;COUNT=5")).toBeNull();
  expect(of()).toBeNull();
});

it("keeps the periods of a series within their bound", () => {
  const { periods } = periodsOf(
    eventText("a", "DTSTART:17000105T100000Z", "RRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=2000"),
  );
  expect(periods.length).toBeLessThanOrEqual(200);
});

/** Lines of a random event, mostly a series. */
function randomEvent(random: ReturnType<typeof randomSource>): string[] {
  const zone = random.one(["Z", "", ";TZID=Europe/Berlin", ";TZID=America/New_York", ";VALUE=DATE"]);
  const pad = (number: number) => String(number).padStart(2, "0");
  const day = () => `20${pad(10 + random.below(25))}${pad(1 + random.below(12))}${pad(1 + random.below(28))}`;
  const isDate = zone.includes("DATE");
  const time = isDate ? "" : `T${pad(random.below(24))}${pad(random.below(60))}00`;
  const value = (date: string) =>
    `${zone.startsWith(";") ? zone : ""}:${date}${time}${zone === "Z" ? "Z" : ""}`;
  const lines = [`DTSTART${value(day())}`];
  lines.push(isDate ? `DURATION:P${1 + random.below(40)}D` : `DURATION:PT${random.below(2000)}M`);
  const frequency = random.one(["DAILY", "WEEKLY", "MONTHLY", "YEARLY", ""]);
  if (frequency !== "") {
    const end = random.one([
      "",
      `;COUNT=${1 + random.below(60)}`,
      `;UNTIL=20${pad(20 + random.below(20))}0101`,
    ]);
    const interval = `;INTERVAL=${1 + random.below(5)}`;
    lines.push(`RRULE:FREQ=${frequency}${interval}${end}${random.one(["", "", ";BYDAY=MO,FR"])}`);
  }
  if (random.below(3) === 0) lines.push(`RDATE${value(day())}`);
  if (random.below(3) === 0) lines.push(`EXDATE${value(day())}`);
  return lines;
}

it("finds every item that an expansion finds, in any range and any time zone of the reader", {
  timeout: 120_000,
}, async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar } = house;
  const random = randomSource(7);
  const texts = Array.from({ length: 400 }, (_, at) => eventText(`u${at}`, ...randomEvent(random)));
  const actions = texts.map((bytes) => ({
    kind: "put" as const,
    collection: calendar,
    bytes,
    provenance: byDav,
    isAuthenticated: true,
  }));
  const { agents } = await collections.changeItems(nobody, [{ agent: ada.agent, actor, actions }]);
  const sets = texts.map((bytes) => {
    const read = readItem(bytes, { kind: "calendar", isMessage: false });
    if (read.kind !== "calendar") throw new Error("no calendar");
    const { calendar: text, components } = read.object;
    return (zone: string) => readRecurrenceSet(components, timeZonesOf(text), findIanaZone(zone));
  });
  let found = 0;
  for (let turn = 0; turn < 60; turn++) {
    const sinceMs = Date.UTC(2008 + random.below(45), random.below(12), random.below(28), random.below(24));
    const beforeMs = sinceMs + random.one([3_600_000, dayMs, 7 * dayMs, 31 * dayMs, 700 * dayMs]);
    const candidates = await gather(collections.listCandidates(ada.agent, calendar, sinceMs, beforeMs));
    expect(candidates.map(({ startMs }) => startMs)).toEqual(
      candidates.map(({ startMs }) => startMs).sort((one, other) => one - other),
    );
    const byItem = new Map(candidates.map((candidate) => [candidate.item, candidate]));
    expect(byItem.size).toBe(candidates.length);
    const zone = random.one(["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"]);
    for (const [at, setIn] of sets.entries()) {
      const expansion = expandRecurrenceSet(setIn(zone), sinceMs, beforeMs);
      const item = agents[0]!.items[at]!.item;
      const candidate = byItem.get(item);
      if (expansion !== undefined && expansion.occurrences.length > 0) {
        found++;
        expect(candidate, texts[at]!.toString()).toBeDefined();
      }
      if (candidate?.isExact === true)
        expect(expansion?.occurrences.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
          [candidate.startMs, candidate.endMs],
        ]);
    }
  }
  expect(found).toBeGreaterThan(1000);
});

it("reads a month among ten thousand events as a few short ranges of the primary key", {
  timeout: 60_000,
}, async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar, test } = house;
  const pad = (number: number) => String(number).padStart(2, "0");
  for (let first = 0; first < 10_000; first += 1000) {
    const actions = Array.from({ length: 1000 }, (_, index) => {
      const at = first + index;
      const day = new Date(Date.UTC(2000, 0, 1) + at * dayMs);
      const date = `${day.getUTCFullYear()}${pad(day.getUTCMonth() + 1)}${pad(day.getUTCDate())}`;
      return {
        kind: "put" as const,
        collection: calendar,
        bytes: eventText(`u${at}`, `DTSTART:${date}T100000Z`, "DURATION:PT1H"),
        provenance: byDav,
        isAuthenticated: true,
      };
    });
    await collections.changeItems(nobody, [{ agent: ada.agent, actor, actions }]);
  }
  const from = Date.UTC(2013, 4, 1);
  const month = await gather(collections.listCandidates(ada.agent, calendar, from, Date.UTC(2013, 5, 1)));
  expect(month).toHaveLength(31);
  expect(month.every(({ isExact }) => isExact)).toBe(true);
  const plan = await test.store.all<{ detail: string }>(
    `explain query plan ${selectPeriods}`,
    ...[ada.agent, calendar, 0, from, 0, from, from, from, 250],
  );
  expect(plan.map(({ detail }) => detail)).toEqual([
    "SEARCH occurrence USING PRIMARY KEY (agent_id=? AND collection_id=? AND span_class=? AND (start_at,item_id)>(?,?) AND start_at<?)",
  ]);
  const all = await gather(collections.listCandidates(ada.agent, calendar, undefined, undefined));
  expect(new Set(all.map(({ item }: { item: ItemNumber }) => item)).size).toBe(10_000);
});

it("puts a period into the first class that it fits in, and an open period into the last", () => {
  const classOf = (days: number) => spanClassOf({ startMs: 0, endMs: days * dayMs });
  expect([0, 1, 2, 3, 8, 32, 33, 32_768, 32_769].map(classOf)).toEqual([0, 0, 0, 1, 1, 2, 3, 7, 8]);
  expect(spanClassOf({ startMs: openStartMs, endMs: 0 })).toBe(openSpanClass);
});

it("lists periods of a series further into the future as time passes, without a change of its version", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar, test } = house;
  const put = async (uid: string, ...lines: string[]) => {
    const bytes = eventText(uid, "DTSTART:20200105T100000Z", ...lines);
    const asked = { collection: calendar, bytes, provenance: byDav, isAuthenticated: true };
    return (await collections.putItem(ada.agent, actor, asked)).item;
  };
  const item = await put("a", "RRULE:FREQ=YEARLY");
  await put("b", "RRULE:FREQ=DAILY");
  await put("c");
  const find = (sinceMs: number) =>
    gather(collections.listCandidates(ada.agent, calendar, sinceMs, sinceMs + 30 * dayMs));
  const summerIn = (years: number) => Date.UTC(new Date(test.clock.now()).getUTCFullYear() + years, 6, 1);
  const moved = () => collections.maintainHorizons((_, cause) => expect(cause).toBeUndefined());
  const version = await collections.findItem(ada.agent, item);
  expect((await find(summerIn(9))).map((one) => one.item)).not.toContain(item);
  expect((await find(summerIn(12))).map((one) => one.item)).toContain(item);
  expect(await moved()).toBe(0);
  test.clock.advance(6 * 366 * dayMs);
  expect((await find(summerIn(9))).map((one) => one.item)).toContain(item);
  expect(await moved()).toBe(1);
  expect(await moved()).toBe(0);
  expect((await find(summerIn(9))).map((one) => one.item)).not.toContain(item);
  expect(await collections.findItem(ada.agent, item)).toEqual(version);
});

it("lists periods again when the offsets of time zones have changed, without a change of versions", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar, test } = house;
  const put = async (uid: string, start: string) => {
    const bytes = eventText(uid, start);
    const asked = { collection: calendar, bytes, provenance: byDav, isAuthenticated: true };
    return collections.putItem(ada.agent, actor, asked);
  };
  const zoned = await put("a", "DTSTART;TZ\r\n ID=Europe/Berlin:20270105T100000");
  const inUtc = await put("b", "DTSTART:20270105T100000Z");
  const storedOf = ({ item }: { item: ItemNumber }) => listPeriodsOfItem(test.store, ada.agent, item);
  const right = [await storedOf(zoned), await storedOf(inUtc)];
  // As a country leaves them that changes its law.
  const former = right[0]!.map(({ startMs, endMs }) => ({
    startMs: startMs + 1,
    endMs: endMs + 1,
    isExact: true,
  }));
  for (const { item, modseq } of [zoned, inUtc])
    await test.store.write(nobody, "retellPeriods", {
      agent: ada.agent,
      item,
      modseq,
      periods: former,
      horizonMs: null,
    });
  const maintain = () =>
    createZoneMaintenance(test.store, createDirectPreparation())((_, cause) => expect(cause).toBeUndefined());
  const before = await collections.findItem(ada.agent, zoned.item);

  await test.store.write(nobody, "keepZonesDigest", { digest: "of another runtime" });
  expect(await maintain()).toBe(1);
  expect(await storedOf(zoned)).toEqual(right[0]);
  // Nothing in UTC depends on a zone, so it is not looked at.
  expect(await storedOf(inUtc)).not.toEqual(right[1]);
  expect(await collections.findItem(ada.agent, zoned.item)).toEqual(before);

  const { modseq, item } = zoned;
  await test.store.write(nobody, "retellPeriods", {
    agent: ada.agent,
    item,
    modseq,
    periods: former,
    horizonMs: null,
  });
  expect(await maintain()).toBe(0);
  const plan = await test.store.all<{ detail: string }>(`explain query plan ${selectEventsAfter}`, 0, 0, 50);
  expect(plan.map(({ detail }) => detail).join()).not.toMatch(/TEMP B-TREE/);
});

it("leaves an item alone that changed while its periods were listed again", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar, test } = house;
  const asked = { collection: calendar, bytes: eventText("a"), provenance: byDav, isAuthenticated: true };
  const { item, modseq } = await collections.putItem(ada.agent, actor, asked);
  await collections.putItem(ada.agent, actor, { ...asked, item, bytes: eventText("a", "SUMMARY:New") });
  const stale = { agent: ada.agent, item, modseq, periods: [], horizonMs: null };
  expect(await test.store.write(nobody, "retellPeriods", stale)).toEqual({ isStored: false });
  expect(await gather(collections.listCandidates(ada.agent, calendar, undefined, undefined))).toHaveLength(1);
});
