/** Filters of calendar-query (RFC 4791 sections 9.7 to 9.9, RFC 7953 section 7.2.2), on objects of a few lines. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  CompFilter,
  ParamFilter,
  PropFilter,
  TimeRange,
} from "#/protocols/dav/filters/calendar-filter.ts";
import { matchesCalendar } from "#/protocols/dav/filters/match-calendar.ts";
import { type Collation, makeTextMatch, type TextMatch } from "#/protocols/dav/filters/text-match.ts";
import { expandRecurrenceSet } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { findIanaZone } from "#/src/formats/icalendar/iana-zone.ts";
import { utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { calendarOf, setOf } from "../../formats/icalendar/calendar-text.ts";

const range = (start: string | undefined, end?: string): TimeRange => ({
  startMs: start === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start),
  endMs: end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end),
});

function comp(name: string, more: Partial<CompFilter> = {}): CompFilter {
  return { name, isNotDefined: false, timeRange: undefined, props: [], comps: [], ...more };
}

function prop(name: string, more: Partial<PropFilter> = {}): PropFilter {
  return { name, isNotDefined: false, timeRange: undefined, textMatch: undefined, params: [], ...more };
}

function param(name: string, textMatch?: TextMatch, isNotDefined = false): ParamFilter {
  return { name, isNotDefined, textMatch };
}

const text = (what: string, collation: Collation = "i;ascii-casemap", isNegated = false) =>
  makeTextMatch(what, collation, "contains", isNegated);

function matches(lines: string, inner: CompFilter, floating = utcZone): boolean {
  return matchesCalendar(comp("VCALENDAR", { comps: [inner] }), calendarOf(lines), floating);
}

function inComponent(name: string, lines: string): string {
  return `BEGIN:${name}\nUID:a\n${lines}\nEND:${name}`;
}

type Row = readonly [
  what: string,
  name: string,
  lines: string,
  start: string | undefined,
  end: string | undefined,
  isIn: boolean,
];

const ten = "DTSTART:20260301T100000Z";
const eleven = "2026-03-01T11:00Z";
const rows: readonly Row[] = [
  ["an event in the range", "VEVENT", `${ten}\nDTEND:20260301T110000Z`, "2026-03-01", "2026-03-02", true],
  [
    "an event that reaches in",
    "VEVENT",
    `${ten}\nDTEND:20260301T110000Z`,
    "2026-03-01T10:59Z",
    "2026-03-02",
    true,
  ],
  [
    "an event that ends at the start",
    "VEVENT",
    `${ten}\nDTEND:20260301T110000Z`,
    eleven,
    "2026-03-02",
    false,
  ],
  [
    "an event that starts at the end",
    "VEVENT",
    `${ten}\nDURATION:PT1H`,
    "2026-03-01",
    "2026-03-01T10:00Z",
    false,
  ],
  ["a DURATION that reaches in", "VEVENT", `${ten}\nDURATION:PT1H`, "2026-03-01T10:30Z", "2026-03-02", true],
  ["a moment at the start", "VEVENT", ten, "2026-03-01T10:00Z", "2026-03-02", true],
  ["a moment at the end", "VEVENT", ten, "2026-03-01", "2026-03-01T10:00Z", false],
  [
    "a DURATION of nothing at the start",
    "VEVENT",
    `${ten}\nDURATION:PT0S`,
    "2026-03-01T10:00Z",
    "2026-03-02",
    true,
  ],
  ["a day", "VEVENT", "DTSTART;VALUE=DATE:20260301", "2026-03-01T23:00Z", "2026-03-02", true],
  ["the day before", "VEVENT", "DTSTART;VALUE=DATE:20260301", "2026-03-02", "2026-03-03", false],
  ["a range without an end", "VEVENT", `${ten}\nRRULE:FREQ=SECONDLY`, "2030-01-01", undefined, true],
  ["a range without a start", "VEVENT", `${ten}\nRRULE:FREQ=DAILY`, undefined, "2026-02-01", false],
  ["a range before all", "VEVENT", `${ten}\nRRULE:FREQ=DAILY`, undefined, "2026-03-02", true],
  ["a series that ended", "VEVENT", `${ten}\nRRULE:FREQ=DAILY;COUNT=3`, "2026-03-04", undefined, false],
  [
    "a series once in ten years",
    "VEVENT",
    `${ten}\nRRULE:FREQ=YEARLY;INTERVAL=10`,
    "2027-01-01",
    undefined,
    true,
  ],
  ["a range between instances", "VEVENT", `${ten}\nRRULE:FREQ=YEARLY`, "2027-04-01", "2028-02-01", false],
  ["an instance in the range", "VEVENT", `${ten}\nRRULE:FREQ=YEARLY`, "2028-02-01", "2028-04-01", true],
  [
    "an excepted instance",
    "VEVENT",
    `${ten}\nRRULE:FREQ=DAILY\nEXDATE:20260303T100000Z`,
    "2026-03-03",
    "2026-03-04",
    false,
  ],

  ["1: ends in the range", "VTODO", `${ten}\nDURATION:PT1H`, eleven, "2026-03-02", true],
  ["1: ended before", "VTODO", `${ten}\nDURATION:PT1H`, "2026-03-01T11:00:01Z", "2026-03-02", false],
  ["1: of no length, at the end", "VTODO", `${ten}\nDURATION:PT0S`, "2026-03-01", "2026-03-01T10:00Z", true],
  ["1: starts at the end", "VTODO", `${ten}\nDURATION:PT1H`, "2026-03-01", "2026-03-01T10:00Z", false],
  ["2: DUE in the range", "VTODO", `${ten}\nDUE:20260301T110000Z`, "2026-03-01T10:30Z", "2026-03-02", true],
  ["2: DUE at the start", "VTODO", `${ten}\nDUE:20260301T110000Z`, eleven, "2026-03-02", false],
  ["2: starts at the end", "VTODO", `${ten}\nDUE:20260301T110000Z`, "2026-02-01", "2026-03-01T10:00Z", false],
  ["3: DTSTART at the start", "VTODO", ten, "2026-03-01T10:00Z", "2026-03-02", true],
  ["3: DTSTART at the end", "VTODO", ten, "2026-03-01", "2026-03-01T10:00Z", false],
  ["4: DUE at the end", "VTODO", "DUE:20260301T110000Z", "2026-03-01", eleven, true],
  ["4: DUE at the start", "VTODO", "DUE:20260301T110000Z", eleven, "2026-03-02", false],
  [
    "5: created before, completed after",
    "VTODO",
    "CREATED:20260101T000000Z\nCOMPLETED:20260401T000000Z",
    "2026-03-01",
    "2026-03-02",
    true,
  ],
  [
    "5: completed before",
    "VTODO",
    "CREATED:20260101T000000Z\nCOMPLETED:20260201T000000Z",
    "2026-03-01",
    "2026-03-02",
    false,
  ],
  [
    "5: created at the end",
    "VTODO",
    "CREATED:20260302T000000Z\nCOMPLETED:20260401T000000Z",
    "2026-03-01",
    "2026-03-02",
    true,
  ],
  ["6: completed at the end", "VTODO", "COMPLETED:20260302T000000Z", "2026-03-01", "2026-03-02", true],
  ["6: completed after", "VTODO", "COMPLETED:20260302T000001Z", "2026-03-01", "2026-03-02", false],
  ["7: created before", "VTODO", "CREATED:20260101T000000Z", "2026-03-01", "2026-03-02", true],
  ["7: created at the end", "VTODO", "CREATED:20260302T000000Z", "2026-03-01", "2026-03-02", false],
  ["8: nothing", "VTODO", "SUMMARY:x", "2026-03-01", "2026-03-02", true],
  [
    "a series of tasks",
    "VTODO",
    `${ten}\nDUE:20260301T110000Z\nRRULE:FREQ=WEEKLY`,
    "2026-03-08",
    "2026-03-09",
    true,
  ],
  [
    "a series of tasks between two",
    "VTODO",
    `${ten}\nDUE:20260301T110000Z\nRRULE:FREQ=WEEKLY`,
    "2026-03-09",
    "2026-03-10",
    false,
  ],
  [
    "a series by DUE alone, at the end",
    "VTODO",
    "DUE:20260301T110000Z\nRRULE:FREQ=WEEKLY",
    "2026-03-08",
    "2026-03-08T11:00Z",
    true,
  ],

  ["a journal at the start", "VJOURNAL", ten, "2026-03-01T10:00Z", "2026-03-02", true],
  ["a journal at the end", "VJOURNAL", ten, "2026-03-01", "2026-03-01T10:00Z", false],
  ["a journal of a day", "VJOURNAL", "DTSTART;VALUE=DATE:20260301", "2026-03-01T12:00Z", "2026-03-02", true],
  ["a journal without time", "VJOURNAL", "SUMMARY:x", "2026-03-01", "2026-03-02", false],

  ["busy time by its bounds", "VFREEBUSY", `${ten}\nDTEND:20260301T110000Z`, eleven, "2026-03-02", true],
  [
    "busy time after its bounds",
    "VFREEBUSY",
    `${ten}\nDTEND:20260301T110000Z`,
    "2026-03-01T11:00:01Z",
    "2026-03-02",
    false,
  ],
  [
    "busy time by its periods",
    "VFREEBUSY",
    "FREEBUSY:20260301T100000Z/PT1H,20260305T100000Z/20260305T110000Z",
    "2026-03-05",
    "2026-03-06",
    true,
  ],
  [
    "busy time between its periods",
    "VFREEBUSY",
    "FREEBUSY:20260301T100000Z/PT1H,20260305T100000Z/PT1H",
    "2026-03-03",
    "2026-03-04",
    false,
  ],
  ["busy time that says nothing", "VFREEBUSY", "SUMMARY:x", "2026-03-03", "2026-03-04", false],

  [
    "availability with bounds",
    "VAVAILABILITY",
    `${ten}\nDTEND:20260302T000000Z`,
    "2026-03-01T20:00Z",
    "2026-03-03",
    true,
  ],
  [
    "availability after its end",
    "VAVAILABILITY",
    `${ten}\nDTEND:20260302T000000Z`,
    "2026-03-02",
    "2026-03-03",
    false,
  ],
  ["availability without end", "VAVAILABILITY", ten, "2036-03-02", "2036-03-03", true],
  ["availability before its start", "VAVAILABILITY", ten, "2026-02-02", "2026-02-03", false],
  ["availability without start", "VAVAILABILITY", "DTEND:20260302T000000Z", "2016-02-02", "2016-02-03", true],
  [
    "availability with DURATION",
    "VAVAILABILITY",
    `${ten}\nDURATION:P1D`,
    "2026-03-02T10:00Z",
    "2026-03-03",
    false,
  ],
];

describe("a time range", () => {
  test.each(rows)("%s (%s)", (_, name, lines, start, end, isIn) => {
    expect(matches(inComponent(name, lines), comp(name, { timeRange: range(start, end) }))).toBe(isIn);
  });

  test("reads dates and floating times in the given time zone", () => {
    const filter = comp("VEVENT", { timeRange: range("2026-03-01T02:00Z", "2026-03-01T03:00Z") });
    const york = findIanaZone("America/New_York")!;
    expect(matches(inComponent("VEVENT", "DTSTART;VALUE=DATE:20260228"), filter, york)).toBe(true);
    expect(matches(inComponent("VEVENT", "DTSTART;VALUE=DATE:20260228"), filter)).toBe(false);
    expect(matches(inComponent("VEVENT", "DTSTART:20260228T213000"), filter, york)).toBe(true);
    expect(matches(inComponent("VEVENT", "DTSTART:20260301T023000"), filter)).toBe(true);
  });

  test("finds an instance of AVAILABLE", () => {
    const lines = inComponent(
      "VAVAILABILITY",
      inComponent("AVAILABLE", `${ten}\nDTEND:20260301T110000Z\nRRULE:FREQ=WEEKLY`),
    );
    const filter = (start: string, end: string) =>
      comp("VAVAILABILITY", { comps: [comp("AVAILABLE", { timeRange: range(start, end) })] });
    expect(matches(lines, filter("2026-03-08", "2026-03-09"))).toBe(true);
    expect(matches(lines, filter("2026-03-09", "2026-03-10"))).toBe(false);
  });

  const series = `BEGIN:VEVENT\nUID:a\n${ten}\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=5\nSUMMARY:daily\nEND:VEVENT
    BEGIN:VEVENT\nUID:a\nRECURRENCE-ID:20260303T100000Z\nDTSTART:20260310T100000Z\nDURATION:PT1H\nSUMMARY:moved\nEND:VEVENT`;

  test("does not match the original time of an instance that was moved", () => {
    expect(matches(series, comp("VEVENT", { timeRange: range("2026-03-03", "2026-03-04") }))).toBe(false);
    expect(matches(series, comp("VEVENT", { timeRange: range("2026-03-10", "2026-03-11") }))).toBe(true);
  });

  test("compares properties of the matching instance itself", () => {
    const at = (start: string, end: string, summary: string) =>
      comp("VEVENT", {
        timeRange: range(start, end),
        props: [prop("SUMMARY", { textMatch: text(summary) })],
      });
    expect(matches(series, at("2026-03-10", "2026-03-11", "moved"))).toBe(true);
    expect(matches(series, at("2026-03-10", "2026-03-11", "daily"))).toBe(false);
    expect(matches(series, at("2026-03-02", "2026-03-03", "daily"))).toBe(true);
  });
});

describe("an alarm", () => {
  const event = (trigger: string, more = "") =>
    inComponent(
      "VEVENT",
      `${ten}\nDTEND:20260301T120000Z\nRRULE:FREQ=WEEKLY;COUNT=3\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER${trigger}\n${more}\nEND:VALARM`,
    );
  const alarms: readonly (readonly [
    what: string,
    lines: string,
    start: string,
    end: string,
    isIn: boolean,
  ])[] = [
    ["before the start", event(":-PT1H"), "2026-03-01T09:00Z", "2026-03-01T09:01Z", true],
    ["of a later instance", event(":-PT1H"), "2026-03-15T09:00Z", "2026-03-15T09:01Z", true],
    ["of an instance after the last", event(":-PT1H"), "2026-03-22T09:00Z", "2026-03-22T09:01Z", false],
    ["at the end of the range", event(":-PT1H"), "2026-03-01T08:00Z", "2026-03-01T09:00Z", false],
    ["from the end", event(";RELATED=END:PT5M"), "2026-03-08T12:05Z", "2026-03-08T12:06Z", true],
    ["long before", event(":-P3W"), "2026-02-08T10:00Z", "2026-02-08T10:01Z", true],
    ["long after", event(":P3W"), "2026-04-05T10:00Z", "2026-04-05T10:01Z", true],
    ["at a time", event(";VALUE=DATE-TIME:20251224T180000Z"), "2025-12-24", "2025-12-25", true],
    ["at another time", event(";VALUE=DATE-TIME:20251224T180000Z"), "2026-03-01", "2026-03-02", false],
    ["repeated", event(":-PT1H", "REPEAT:2\nDURATION:PT10M"), "2026-03-01T09:20Z", "2026-03-01T09:21Z", true],
    [
      "repeated too seldom",
      event(":-PT1H", "REPEAT:1\nDURATION:PT10M"),
      "2026-03-01T09:20Z",
      "2026-03-01T09:21Z",
      false,
    ],
  ];
  test.each(alarms)("%s", (_, lines, start, end, isIn) => {
    const filter = comp("VEVENT", { comps: [comp("VALARM", { timeRange: range(start, end) })] });
    expect(matches(lines, filter)).toBe(isIn);
  });
});

describe("a filter of properties", () => {
  const event = inComponent(
    "VEVENT",
    "DTSTART:20260301T100000Z\nSUMMARY;LANGUAGE=de:Ärger\\, groß\nATTENDEE;PARTSTAT=ACCEPTED:mailto:ann@example.com\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:bob@example.com",
  );
  const filters: readonly (readonly [what: string, filter: Partial<CompFilter>, isIn: boolean])[] = [
    ["the component alone", {}, true],
    ["that it is not there", { isNotDefined: true }, false],
    ["a property", { props: [prop("SUMMARY")] }, true],
    ["a property that is missing", { props: [prop("LOCATION")] }, false],
    ["that a property is missing", { props: [prop("LOCATION", { isNotDefined: true })] }, true],
    ["that a property there is missing", { props: [prop("SUMMARY", { isNotDefined: true })] }, false],
    ["text without its escapes", { props: [prop("SUMMARY", { textMatch: text("ger, gro") })] }, true],
    ["ASCII in any case", { props: [prop("SUMMARY", { textMatch: text("GER") })] }, true],
    ["no other letter in another case", { props: [prop("SUMMARY", { textMatch: text("ärger") })] }, false],
    [
      "letters in any case",
      { props: [prop("SUMMARY", { textMatch: text("äRGER", "i;unicode-casemap") })] },
      true,
    ],
    ["octets", { props: [prop("SUMMARY", { textMatch: text("GER", "i;octet") })] }, false],
    [
      "that text is not there",
      { props: [prop("SUMMARY", { textMatch: text("ger", "i;octet", true) })] },
      false,
    ],
    [
      "that other text is not there",
      { props: [prop("SUMMARY", { textMatch: text("x", "i;octet", true) })] },
      true,
    ],
    ["a parameter", { props: [prop("ATTENDEE", { params: [param("PARTSTAT")] })] }, true],
    ["a parameter that is missing", { props: [prop("ATTENDEE", { params: [param("ROLE")] })] }, false],
    [
      "that a parameter is missing",
      { props: [prop("ATTENDEE", { params: [param("ROLE", undefined, true)] })] },
      true,
    ],
    [
      "that a parameter there is missing",
      { props: [prop("SUMMARY", { params: [param("LANGUAGE", undefined, true)] })] },
      false,
    ],
    [
      "text and parameter of one property",
      { props: [prop("ATTENDEE", { textMatch: text("bob"), params: [param("PARTSTAT", text("needs"))] })] },
      true,
    ],
    [
      "text and parameter of two properties",
      { props: [prop("ATTENDEE", { textMatch: text("ann"), params: [param("PARTSTAT", text("needs"))] })] },
      false,
    ],
    [
      "a property in a range",
      { props: [prop("DTSTART", { timeRange: range("2026-03-01", "2026-03-02") })] },
      true,
    ],
    [
      "a property at the end of a range",
      { props: [prop("DTSTART", { timeRange: range("2026-03-01", "2026-03-01T10:00Z") })] },
      false,
    ],
    [
      "a property without time in a range",
      { props: [prop("SUMMARY", { timeRange: range("2026-03-01") })] },
      false,
    ],
    ["two things of which one is not", { props: [prop("SUMMARY"), prop("LOCATION")] }, false],
    ["a component inside", { comps: [comp("VALARM")] }, false],
    ["that a component inside is missing", { comps: [comp("VALARM", { isNotDefined: true })] }, true],
  ];
  test.each(filters)("evaluates %s", (_, filter, isIn) => {
    expect(matches(event, comp("VEVENT", filter))).toBe(isIn);
  });

  test("of another component matches only is-not-defined", () => {
    expect(matches(event, comp("VTODO"))).toBe(false);
    expect(matches(event, comp("VTODO", { isNotDefined: true }))).toBe(true);
  });
});

test("a time range selects a series exactly when its expansion has an instance in the range", () => {
  const rules = fc.constantFrom(
    "FREQ=DAILY;INTERVAL=3;COUNT=40",
    "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=50",
    "FREQ=MONTHLY;BYDAY=-1FR;COUNT=20",
    "FREQ=YEARLY;COUNT=4",
    "FREQ=HOURLY;INTERVAL=36;COUNT=100",
  );
  const zones = fc.constantFrom(
    ";TZID=Europe/Berlin:20260301T100000",
    ";VALUE=DATE:20260301",
    ":20260301T100000",
  );
  const minutes = fc.integer({ min: -60 * 24 * 10, max: 60 * 24 * 400 });
  fc.assert(
    fc.property(
      rules,
      zones,
      minutes,
      fc.integer({ min: 1, max: 60 * 24 * 9 }),
      fc.nat(30),
      (rule, start, from, length, moved) => {
        const lines = `BEGIN:VEVENT\nUID:a\nDTSTART${start}\nRRULE:${rule}\nEND:VEVENT
        BEGIN:VEVENT\nUID:a\nRECURRENCE-ID${start}\nDTSTART${start.replace("0301", `03${String(moved + 1).padStart(2, "0")}`)}\nEND:VEVENT`;
        const startMs = Date.UTC(2026, 2, 1) + from * 60_000;
        const endMs = startMs + length * 60_000;
        const all = expandRecurrenceSet(setOf(lines), Date.UTC(2020, 0), Date.UTC(2040, 0))!.occurrences;
        const expected = all.some(
          (one) =>
            one.startMs < endMs &&
            (one.endMs > startMs || (one.startMs === one.endMs && one.startMs >= startMs)),
        );
        expect(matches(lines, comp("VEVENT", { timeRange: { startMs, endMs } }))).toBe(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("an object with many changed instances and alarms needs few expansions", () => {
  const alarms = Array.from({ length: 300 }, (_, at) => `BEGIN:VALARM\nTRIGGER:-PT${at}M\nEND:VALARM`).join(
    "\n",
  );
  const changed = Array.from(
    { length: 300 },
    (_, at) =>
      `BEGIN:VEVENT\nUID:a\nRECURRENCE-ID:20260301T1000${String(at % 60).padStart(2, "0")}Z\nDTSTART:20260302T100000Z\n${alarms}\nEND:VEVENT`,
  ).join("\n");
  const lines = `BEGIN:VEVENT\nUID:a\n${ten}\nRRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA;COUNT=9000\nEND:VEVENT\n${changed}`;
  const filter = comp("VEVENT", {
    comps: [comp("VALARM", { timeRange: range("2040-03-01", "2040-03-02") })],
  });
  expect(matches(lines, filter)).toBe(true);
});
