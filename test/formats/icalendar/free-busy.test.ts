/** Busy time (RFC 4791 section 7.10, RFC 7953 section 4). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import {
  type BusyPeriod,
  busyOfAvailabilities,
  busyTypes,
  type FreeBusyReading,
  listAvailabilities,
  listBusyPeriods,
  makeFreeBusy,
  mergeBusyPeriods,
} from "#/src/formats/icalendar/free-busy.ts";
import { findIanaZone } from "#/src/formats/icalendar/iana-zone.ts";
import { utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { calendarOf, shortTime } from "./calendar-text.ts";

const reading: FreeBusyReading = {
  range: { startMs: Date.UTC(2026, 2, 2), endMs: Date.UTC(2026, 2, 4) },
  floating: utcZone,
};

function shown(periods: readonly BusyPeriod[]): string[] {
  return periods.map(({ startMs, endMs, type }) => `${shortTime(startMs)} ${shortTime(endMs)} ${type}`);
}

function busy(lines: string, more: Partial<FreeBusyReading> = {}): string[] {
  return shown(listBusyPeriods(calendarOf(lines), { ...reading, ...more }));
}

const event = (lines: string) => `BEGIN:VEVENT\nUID:a\n${lines}\nEND:VEVENT`;
const ten = "DTSTART:20260302T100000Z\nDURATION:PT1H";
const tenToEleven = "2026-03-02T10:00 2026-03-02T11:00";

describe("an event", () => {
  const events: readonly (readonly [what: string, lines: string, expected: readonly string[]])[] = [
    ["makes busy", ten, [`${tenToEleven} BUSY`]],
    ["that is confirmed makes busy", `${ten}\nSTATUS:CONFIRMED`, [`${tenToEleven} BUSY`]],
    [
      "that is tentative makes busy tentatively",
      `${ten}\nSTATUS:TENTATIVE`,
      [`${tenToEleven} BUSY-TENTATIVE`],
    ],
    ["that is cancelled makes nobody busy", `${ten}\nSTATUS:CANCELLED`, []],
    ["that is transparent makes nobody busy", `${ten}\nTRANSP:transparent`, []],
    ["of a moment makes nobody busy", "DTSTART:20260302T100000Z", []],
    ["of a day makes busy all day", "DTSTART;VALUE=DATE:20260302", ["2026-03-02 2026-03-03 BUSY"]],
    [
      "that reaches out of the range is cut",
      "DTSTART:20260303T230000Z\nDURATION:PT9H",
      ["2026-03-03T23:00 2026-03-04 BUSY"],
    ],
    ["outside of the range says nothing", "DTSTART:20260304T000000Z\nDURATION:PT9H", []],
    [
      "that repeats makes busy with each instance",
      `${ten}\nRRULE:FREQ=DAILY`,
      [`${tenToEleven} BUSY`, "2026-03-03T10:00 2026-03-03T11:00 BUSY"],
    ],
    [
      "beyond the limits makes busy from its start on",
      "DTSTART:20260302T100000Z\nDURATION:PT1S\nRRULE:FREQ=SECONDLY",
      ["2026-03-02T10:00 2026-03-04 BUSY"],
    ],
  ];
  test.each(events)("%s", (_, lines, expected) => {
    expect(busy(event(lines))).toEqual(expected);
  });

  test("has the period and type of each changed instance", () => {
    const series = `${event(`${ten}\nRRULE:FREQ=DAILY`)}\n${event("RECURRENCE-ID:20260303T100000Z\nDTSTART:20260303T150000Z\nDURATION:PT1H\nSTATUS:TENTATIVE")}`;
    expect(busy(series)).toEqual([`${tenToEleven} BUSY`, "2026-03-03T15:00 2026-03-03T16:00 BUSY-TENTATIVE"]);
  });

  test("is busy, tentative or free as its attendee has answered", () => {
    const isOwnAddress = (address: string) => address === "mailto:me@example.com";
    const answered = (answer: string) =>
      busy(
        event(
          `${ten}\nATTENDEE;PARTSTAT=ACCEPTED:mailto:ann@example.com\nATTENDEE${answer}:mailto:me@example.com`,
        ),
        { isOwnAddress },
      );
    expect(answered(";PARTSTAT=DECLINED")).toEqual([]);
    expect(answered(";PARTSTAT=ACCEPTED")).toEqual([`${tenToEleven} BUSY`]);
    expect(answered(";PARTSTAT=TENTATIVE")).toEqual([`${tenToEleven} BUSY-TENTATIVE`]);
    expect(answered("")).toEqual([`${tenToEleven} BUSY-TENTATIVE`]);
  });

  test("of a floating time is in the given time zone", () => {
    const floating = findIanaZone("Europe/Berlin")!;
    expect(busy(event("DTSTART:20260302T100000\nDURATION:PT1H"), { floating })).toEqual([
      "2026-03-02T09:00 2026-03-02T10:00 BUSY",
    ]);
  });
});

test("a VFREEBUSY has its own periods and types", () => {
  const lines =
    "BEGIN:VFREEBUSY\nFREEBUSY:20260302T100000Z/PT1H,20260309T100000Z/PT1H\nFREEBUSY;FBTYPE=FREE:20260302T120000Z/PT1H\nFREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20260302T140000Z/20260302T150000Z\nFREEBUSY;FBTYPE=X-A:20260302T160000Z/PT1H\nEND:VFREEBUSY";
  expect(busy(lines)).toEqual([
    `${tenToEleven} BUSY`,
    "2026-03-02T14:00 2026-03-02T15:00 BUSY-UNAVAILABLE",
    "2026-03-02T16:00 2026-03-02T17:00 BUSY",
  ]);
});

describe("availability", () => {
  const available = (lines: string) => `BEGIN:AVAILABLE\nUID:${lines.length}\n${lines}\nEND:AVAILABLE`;
  const office = available("DTSTART:20260101T090000Z\nDURATION:PT8H\nRRULE:FREQ=DAILY");
  const component = (...lines: string[]) =>
    `BEGIN:VAVAILABILITY\nUID:a\n${lines.join("\n")}\nEND:VAVAILABILITY`;
  const unavailable = (...components: string[]) =>
    shown(busyOfAvailabilities(listAvailabilities(calendarOf(components.join("\n")), reading)));

  test("makes all time outside its AVAILABLE periods unavailable", () => {
    expect(unavailable(component(office))).toEqual([
      "2026-03-02 2026-03-02T09:00 BUSY-UNAVAILABLE",
      "2026-03-02T17:00 2026-03-03T09:00 BUSY-UNAVAILABLE",
      "2026-03-03T17:00 2026-03-04 BUSY-UNAVAILABLE",
    ]);
  });

  test("has no effect outside its own bounds, and uses its BUSYTYPE", () => {
    expect(
      unavailable(component("DTSTART:20260302T120000Z\nDTEND:20260302T200000Z\nBUSYTYPE:BUSY", office)),
    ).toEqual(["2026-03-02T17:00 2026-03-02T20:00 BUSY"]);
    expect(unavailable(component("DTSTART:20260401T120000Z", office))).toEqual([]);
    expect(unavailable(component("DTSTART:20260302T000000Z\nDURATION:PT12H"))).toEqual([
      "2026-03-02 2026-03-02T12:00 BUSY-UNAVAILABLE",
    ]);
  });

  test("counts by its priority, of which 1 is the highest and 0 the lowest", () => {
    const holiday = "DTSTART:20260303T000000Z\nDTEND:20260304T000000Z\nBUSYTYPE:BUSY";
    const night = [
      "2026-03-02 2026-03-02T09:00 BUSY-UNAVAILABLE",
      "2026-03-02T17:00 2026-03-03 BUSY-UNAVAILABLE",
    ];
    expect(unavailable(component("PRIORITY:0", office), component(holiday, "PRIORITY:9"))).toEqual([
      ...night,
      "2026-03-03 2026-03-04 BUSY",
    ]);
    expect(unavailable(component("PRIORITY:1", office), component(holiday, "PRIORITY:2"))).toEqual(
      unavailable(component(office)),
    );
  });

  test("of one priority is free where either is", () => {
    const evening = component(available("DTSTART:20260101T170000Z\nDURATION:PT16H\nRRULE:FREQ=DAILY"));
    expect(unavailable(component(office), evening)).toEqual([]);
  });
});

test("periods are merged by their type, whatever their order", () => {
  const periods = fc.array(
    fc.record({
      startMs: fc.nat(40),
      length: fc.integer({ min: 1, max: 8 }),
      type: fc.constantFrom(...busyTypes),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(periods, (given) => {
      const all = given.map(({ startMs, length, type }) => ({ startMs, endMs: startMs + length, type }));
      const merged = mergeBusyPeriods(all);
      const covers = (list: readonly BusyPeriod[], ms: number, type: string) =>
        list.filter((one) => one.type === type && one.startMs <= ms && one.endMs > ms).length;
      for (const type of busyTypes)
        for (let ms = 0; ms < 50; ms++)
          expect(covers(merged, ms, type)).toBe(Math.min(1, covers(all, ms, type)));
    }),
  );
});

test("availabilities are decided instant by instant", () => {
  const spans = (max: number) =>
    fc
      .record({ startMs: fc.nat(max), length: fc.integer({ min: 1, max: 10 }) })
      .map(({ startMs, length }) => ({ startMs, endMs: startMs + length }));
  const arbitrary = fc.array(
    fc.record({
      span: spans(30),
      priority: fc.constantFrom(0, 1, 5, 9),
      free: fc.array(spans(40), { maxLength: 3 }),
    }),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(arbitrary, (given) => {
      const all = given.map(({ span, priority, free }) => ({
        ...span,
        priority,
        type: "BUSY-UNAVAILABLE" as const,
        free: free
          .map((one) => ({
            startMs: Math.max(one.startMs, span.startMs),
            endMs: Math.min(one.endMs, span.endMs),
          }))
          .filter((one) => one.startMs < one.endMs),
      }));
      const found = busyOfAvailabilities(all);
      for (let ms = 0; ms < 50; ms++) {
        const there = all.filter((one) => one.startMs <= ms && one.endMs > ms);
        const rank = Math.min(...there.map(({ priority }) => priority || 10));
        const isBusy =
          there.length > 0 &&
          !there.some(
            (one) =>
              (one.priority || 10) === rank && one.free.some((free) => free.startMs <= ms && free.endMs > ms),
          );
        expect(found.some((one) => one.startMs <= ms && one.endMs > ms)).toBe(isBusy);
      }
    }),
  );
});

test("an answer has a FREEBUSY for each type, in UTC", () => {
  const periods = [
    { startMs: Date.UTC(2026, 2, 2, 10), endMs: Date.UTC(2026, 2, 2, 11), type: "BUSY" },
    { startMs: Date.UTC(2026, 2, 2, 12), endMs: Date.UTC(2026, 2, 2, 13), type: "BUSY" },
    { startMs: Date.UTC(2026, 2, 3), endMs: Date.UTC(2026, 2, 4), type: "BUSY-UNAVAILABLE" },
  ] as const;
  const calendar = makeFreeBusy(periods, reading.range, Date.UTC(2026, 2, 1));
  expect(
    writeContentLines({ items: [calendar] })
      .toString()
      .replace(/\r\n /g, "")
      .split("\r\n"),
  ).toEqual([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Waypost//Waypost//EN",
    "BEGIN:VFREEBUSY",
    "DTSTAMP:20260301T000000Z",
    "DTSTART:20260302T000000Z",
    "DTEND:20260304T000000Z",
    "FREEBUSY;FBTYPE=BUSY:20260302T100000Z/PT1H,20260302T120000Z/PT1H",
    "FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20260303T000000Z/PT24H",
    "END:VFREEBUSY",
    "END:VCALENDAR",
    "",
  ]);
});
