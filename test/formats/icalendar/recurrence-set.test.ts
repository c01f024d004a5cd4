/** Recurrence sets: the instances that a time range finds. */
import { describe, expect, test } from "vitest";
import { findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { expandRecurrenceSet, isEndless } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import { findIanaZone } from "#/src/formats/icalendar/iana-zone.ts";
import { readRecurrenceSet } from "#/src/formats/icalendar/recurrence-set.ts";
import { recurrenceInstancesMax } from "#/src/model/limits.ts";
import { corpusNote, hasCorpus, listCorpusFiles, readCorpusText } from "../../support/corpus.ts";
import { expandTo, setOf, shortTime } from "./calendar-text.ts";

const always = ["0002-01-01", "2100-01-01"] as const;

describe("an expansion", () => {
  const sets: readonly [what: string, lines: string, expected: readonly string[]][] = [
    [
      "an event with an end",
      "DTSTART:20260101T100000Z\nDTEND:20260101T113000Z",
      ["2026-01-01T10:00 2026-01-01T11:30"],
    ],
    [
      "the first of 53 Fridays of a year, where a year has them",
      "DTSTART:20210101T100000Z\nRRULE:FREQ=YEARLY;BYDAY=-53FR;COUNT=3",
      ["2021-01-01T10:00", "2027-01-01T10:00", "2032-01-02T10:00"],
    ],
    [
      "the last of them",
      "DTSTART:20211231T100000Z\nRRULE:FREQ=YEARLY;BYDAY=53FR;UNTIL=20330101T000000Z",
      ["2021-12-31T10:00", "2027-12-31T10:00", "2032-12-31T10:00"],
    ],
    ["an event of a moment", "DTSTART:20260101T100000Z", ["2026-01-01T10:00"]],
    ["a day without end", "DTSTART;VALUE=DATE:20260101", ["2026-01-01 2026-01-02"]],
    [
      "a day that ends on itself",
      "DTSTART;VALUE=DATE:20260101\nDTEND;VALUE=DATE:20260101",
      ["2026-01-01 2026-01-02"],
    ],
    ["an end before the start", "DTSTART:20260101T100000Z\nDTEND:20260101T090000Z", ["2026-01-01T10:00"]],
    [
      "an end in another zone",
      "DTSTART;TZID=Europe/Berlin:20260101T100000\nDTEND;TZID=America/New_York:20260101T100000",
      ["2026-01-01T09:00 2026-01-01T15:00"],
    ],
    [
      "a nominal DURATION over a change of offset",
      "DTSTART;TZID=Europe/Berlin:20260328T120000\nDURATION:P1DT1H",
      ["2026-03-28T11:00 2026-03-29T11:00"],
    ],
    [
      "an exact DTEND over a change of offset",
      "DTSTART;TZID=Europe/Berlin:20260327T120000\nDTEND;TZID=Europe/Berlin:20260328T120000\nRRULE:FREQ=DAILY;COUNT=2",
      ["2026-03-27T11:00 2026-03-28T11:00", "2026-03-28T11:00 2026-03-29T11:00"],
    ],
    ["COUNT", "DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;COUNT=2", ["2026-01-01T10:00", "2026-01-02T10:00"]],
    [
      "UNTIL, included",
      "DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;UNTIL=20260102T100000Z",
      ["2026-01-01T10:00", "2026-01-02T10:00"],
    ],
    [
      "UNTIL in UTC of a series in a zone",
      "DTSTART;TZID=America/New_York:20260101T200000\nRRULE:FREQ=DAILY;UNTIL=20260103T010000Z",
      ["2026-01-02T01:00", "2026-01-03T01:00"],
    ],
    [
      "UNTIL in the hour that is there twice",
      "DTSTART;TZID=Europe/Berlin:20261024T023000\nRRULE:FREQ=DAILY;UNTIL=20261025T003000Z",
      ["2026-10-24T00:30", "2026-10-25T00:30"],
    ],
    [
      "UNTIL as a date among times",
      "DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;UNTIL=20260102",
      ["2026-01-01T10:00", "2026-01-02T10:00"],
    ],
    [
      "UNTIL before the start",
      "DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;UNTIL=20250102",
      ["2026-01-01T10:00"],
    ],
    [
      "DTSTART beside the rule counts as the first",
      "DTSTART:20260101T100000Z\nRRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2",
      ["2026-01-01T10:00", "2026-01-05T10:00"],
    ],
    ["a rule that is none", "DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;INTERVAL=0", ["2026-01-01T10:00"]],
    [
      "two rules",
      "DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;COUNT=2\nRRULE:FREQ=WEEKLY;COUNT=2",
      ["2026-01-01T10:00", "2026-01-02T10:00", "2026-01-08T10:00"],
    ],
    [
      "EXRULE",
      "DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;COUNT=4\nEXRULE:FREQ=DAILY;INTERVAL=2",
      ["2026-01-02T10:00", "2026-01-04T10:00"],
    ],
    [
      "RDATE of several forms",
      "DTSTART;TZID=Europe/Berlin:20260101T100000\nDURATION:PT1H\nRDATE:20260102T090000Z,20260103T100000Z\nRDATE;TZID=Europe/Berlin:20260102T100000\nRDATE;VALUE=DATE:20260104",
      [
        "2026-01-01T09:00 2026-01-01T10:00",
        "2026-01-02T09:00 2026-01-02T10:00",
        "2026-01-03T10:00 2026-01-03T11:00",
        "2026-01-04T09:00 2026-01-04T10:00",
      ],
    ],
    [
      "RDATE with periods",
      "DTSTART:20260101T100000Z\nRDATE;VALUE=PERIOD:20260102T100000Z/PT2H,20260103T100000Z/20260103T130000Z",
      ["2026-01-01T10:00", "2026-01-02T10:00 2026-01-02T12:00", "2026-01-03T10:00 2026-01-03T13:00"],
    ],
    [
      "EXDATE, also of DTSTART and in UTC",
      "DTSTART;TZID=Europe/Berlin:20260101T100000\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE:20260101T090000Z\nEXDATE;TZID=Europe/Berlin:20260103T100000,20260103T110000",
      ["2026-01-02T09:00", "2026-01-04T09:00"],
    ],
    [
      "EXDATE as a date among times",
      "DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;COUNT=2\nEXDATE;VALUE=DATE:20260102",
      ["2026-01-01T10:00"],
    ],
    [
      "EXDATE as a time among dates",
      "DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=DAILY;COUNT=2\nEXDATE:20260102T000000Z",
      ["2026-01-01 2026-01-02"],
    ],
    [
      "a gap: the offset before it",
      "DTSTART;TZID=Europe/Berlin:20260328T023000\nRRULE:FREQ=DAILY;COUNT=3",
      ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"],
    ],
    [
      "two instances that a gap makes one",
      "DTSTART;TZID=Europe/Berlin:20260329T013000\nRRULE:FREQ=HOURLY;COUNT=4",
      ["2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30"],
    ],
    [
      "a VTODO that is due",
      "BEGIN:VTODO\nDUE:20260101T100000Z\nRRULE:FREQ=DAILY;COUNT=2\nEND:VTODO",
      ["2026-01-01T10:00", "2026-01-02T10:00"],
    ],
    [
      "an AVAILABLE of a VAVAILABILITY",
      "BEGIN:AVAILABLE\nDTSTART:20260101T100000Z\nDURATION:PT8H\nRRULE:FREQ=WEEKLY;BYDAY=TH,FR;COUNT=2\nEND:AVAILABLE",
      ["2026-01-01T10:00 2026-01-01T18:00", "2026-01-02T10:00 2026-01-02T18:00"],
    ],
    ["a VTODO without time", "BEGIN:VTODO\nSUMMARY:x\nEND:VTODO", []],
    ["an unknown zone is floating", "DTSTART;TZID=No/Where:20260101T100000", ["2026-01-01T10:00"]],
  ];
  test.each(sets)("of %s", (_, lines, expected) => {
    expect(expandTo(setOf(lines), ...always)).toEqual(expected);
  });

  test("dates and floating times are in the time zone of the reader", () => {
    const zone = findIanaZone("America/New_York");
    const lines = "DTSTART;VALUE=DATE:20260307\nRRULE:FREQ=DAILY;COUNT=2";
    expect(expandTo(setOf(lines, zone), ...always)).toEqual([
      "2026-03-07T05:00 2026-03-08T05:00",
      "2026-03-08T05:00 2026-03-09T04:00",
    ]);
    expect(expandTo(setOf("DTSTART:20260701T100000", zone), ...always)).toEqual(["2026-07-01T14:00"]);
  });

  test("an instance touches a range that it ends in, and not one that it ends before", () => {
    const set = setOf("DTSTART:20260101T100000Z\nDURATION:PT48H\nRRULE:FREQ=WEEKLY");
    expect(expandTo(set, "2026-01-10T09:59Z", "2026-01-10T10:00Z")).toEqual([
      "2026-01-08T10:00 2026-01-10T10:00",
    ]);
    expect(expandTo(set, "2026-01-10T10:00Z", "2026-01-15T10:00Z")).toEqual([]);
    const moment = setOf("DTSTART:20260101T100000Z");
    expect(expandTo(moment, "2026-01-01T10:00Z", "2026-01-01T11:00Z")).toEqual(["2026-01-01T10:00"]);
    expect(expandTo(moment, "2026-01-01T09:00Z", "2026-01-01T10:00Z")).toEqual([]);
  });

  test.each<[rule: string, isEndless: boolean, goesOn: boolean]>([
    ["FREQ=DAILY", true, true],
    ["FREQ=WEEKLY;BYDAY=MO", true, true],
    ["FREQ=DAILY;COUNT=365", false, true],
    ["FREQ=DAILY;COUNT=30", false, false],
    ["FREQ=WEEKLY;BYDAY=TH,FR;COUNT=99", false, true],
    ["FREQ=WEEKLY;BYDAY=TH,FR;COUNT=4", false, false],
    ["FREQ=DAILY;UNTIL=20260120T000000Z", false, false],
    ["FREQ=MONTHLY;BYDAY=1MO;UNTIL=20260120T000000Z", false, false],
    ["FREQ=YEARLY;BYWEEKNO=1;COUNT=2", false, true],
    ["FREQ=YEARLY;BYWEEKNO=1;COUNT=1", false, false],
  ])("%s: whether the series has an end, and continues behind the range", (rule, endless, goesOn) => {
    const set = setOf(`DTSTART:20260101T100000Z\nRRULE:${rule}`);
    expect(isEndless(set)).toBe(endless);
    expect(expandRecurrenceSet(set, Date.UTC(2026, 0), Date.UTC(2026, 1))!.goesOn).toBe(goesOn);
  });
});

describe("overrides", () => {
  const series = (
    overrides: string,
    start = "DTSTART:20260101T100000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=4",
  ) => setOf(`BEGIN:VEVENT\nUID:1\nSUMMARY:master\n${start}\nEND:VEVENT\n${overrides}`);
  const changed = (lines: string) => `BEGIN:VEVENT\nUID:1\nSUMMARY:changed\n${lines}\nEND:VEVENT`;

  test("one replaces its instance, wherever it is moved to", () => {
    const set = series(changed("RECURRENCE-ID:20260102T100000Z\nDTSTART:20260301T120000Z\nDURATION:PT2H"));
    const expected = ["2026-01-01T10:00", "2026-01-03T10:00", "2026-01-04T10:00", "2026-03-01T12:00"];
    const { occurrences } = expandRecurrenceSet(set, 0, Date.UTC(2030, 0))!;
    expect(occurrences.map(({ startMs }) => shortTime(startMs))).toEqual(expected);
    expect(occurrences.map(({ component }) => findProperty(component, "SUMMARY")!.value)).toEqual([
      "master",
      "master",
      "master",
      "changed",
    ]);
    expect(occurrences.map(({ recurrenceId }) => shortTime(recurrenceId!.localMs))).toEqual([
      ...expected.slice(0, 3),
      "2026-01-02T10:00",
    ]);
    expect(expandTo(set, "2026-03-01", "2026-03-02")).toEqual(["2026-03-01T12:00 2026-03-01T14:00"]);
    expect(expandTo(set, "2026-01-02", "2026-01-03")).toEqual([]);
  });

  test.each(["RECURRENCE-ID;TZID=Europe/Berlin:20260102T110000", "RECURRENCE-ID;VALUE=DATE:20260102"])(
    "one is found by %s",
    (id) => {
      expect(
        expandTo(series(changed(`${id}\nDTSTART:20260102T120000Z`)), "2026-01-02", "2026-01-03"),
      ).toEqual(["2026-01-02T12:00"]);
    },
  );

  test("one without a series, or for no instance of the series, is an instance itself", () => {
    const lines = changed("RECURRENCE-ID:20260601T100000Z\nDTSTART:20260601T120000Z");
    expect(expandTo(setOf(lines), ...always)).toEqual(["2026-06-01T12:00"]);
    expect(expandTo(series(lines), "2026-05-01", "2026-07-01")).toEqual(["2026-06-01T12:00"]);
  });

  test("RANGE=THISANDFUTURE moves the later instances too, until the next change", () => {
    const set = series(
      [
        changed(
          "RECURRENCE-ID;RANGE=THISANDFUTURE:20260102T100000Z\nDTSTART:20260102T113000Z\nDURATION:PT2H",
        ),
        changed("RECURRENCE-ID:20260103T100000Z\nDTSTART:20260103T080000Z"),
        changed("RECURRENCE-ID;RANGE=THISANDFUTURE:20260105T100000Z\nDTSTART:20260106T100000Z"),
      ].join("\n"),
      "DTSTART:20260101T100000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY",
    );
    expect(expandTo(set, "2026-01-01", "2026-01-08")).toEqual([
      "2026-01-01T10:00 2026-01-01T11:00",
      "2026-01-02T11:30 2026-01-02T13:30",
      "2026-01-03T08:00",
      "2026-01-04T11:30 2026-01-04T13:30",
      "2026-01-06T10:00",
      "2026-01-07T10:00",
    ]);
  });

  test("THISANDFUTURE keeps the clock of the zone over a change of offset", () => {
    const set = series(
      changed(
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260328T100000\nDTSTART;TZID=Europe/Berlin:20260328T110000",
      ),
      "DTSTART;TZID=Europe/Berlin:20260327T100000\nRRULE:FREQ=DAILY;COUNT=3",
    );
    expect(expandTo(set, ...always)).toEqual(["2026-03-27T09:00", "2026-03-28T10:00", "2026-03-29T09:00"]);
  });
});

describe("the limits", () => {
  const byAll = "BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYDAY=MO,TU,WE,TH,FR,SA,SU";
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at).join(",");
  test.each([
    "FREQ=SECONDLY",
    "FREQ=SECONDLY;COUNT=2147483647",
    "FREQ=MINUTELY",
    "FREQ=SECONDLY;BYMONTH=1,2,3",
    `FREQ=YEARLY;${byAll};BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)};BYSECOND=${numbers(60)};BYSETPOS=-1,5`,
    `FREQ=DAILY;${byAll};BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)}`,
    `FREQ=YEARLY;BYWEEKNO=1,2,3,4,5,6,7;${byAll};BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)}`,
    `FREQ=MINUTELY;COUNT=99999999;${byAll}`,
    "FREQ=DAILY;COUNT=99999999;BYDAY=MO,TU,WE,TH,FR,SA,SU;INTERVAL=1",
  ])("%s has too many instances", (rule) => {
    const set = setOf(`DTSTART:19700101T000000Z\nRRULE:${rule}`);
    expect(expandTo(set, "1970-01-01", "2030-01-01")).toBeUndefined();
  });

  test.each([
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYWEEKNO=53;BYYEARDAY=100",
    "FREQ=DAILY;INTERVAL=7;BYDAY=MO",
    "FREQ=YEARLY;INTERVAL=2147483647;BYMONTH=1",
    "FREQ=MONTHLY;INTERVAL=2147483647",
    "FREQ=WEEKLY;INTERVAL=2147483647;BYDAY=TH",
    "FREQ=SECONDLY;INTERVAL=2147483647",
  ])("%s has no instance but DTSTART", (rule) => {
    const set = setOf(`DTSTART:20260101T100000Z\nRRULE:${rule}`);
    expect(expandTo(set, "2026-01-01", "2027-01-01")).toEqual(["2026-01-01T10:00"]);
  });

  test("a dense series is expanded in a range with few of its instances", () => {
    const set = setOf("DTSTART:19700101T000000Z\nRRULE:FREQ=SECONDLY;COUNT=2147483647");
    expect(expandTo(set, "2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z")).toHaveLength(2);
  });

  test("five rules are read, and six are too many", () => {
    const rules = (count: number) =>
      `DTSTART:20260101T100000Z\n${"RRULE:FREQ=WEEKLY;COUNT=1\n".repeat(count)}`;
    expect(expandTo(setOf(rules(5)), ...always)).toEqual(["2026-01-01T10:00"]);
    expect(expandTo(setOf(rules(6)), ...always)).toBeUndefined();
  });

  test("more dates than the limit are refused, and exactly the limit is accepted", () => {
    const dates = (count: number) =>
      Array.from(
        { length: count },
        (_, at) =>
          `RDATE:${new Date(Date.UTC(2026, 0, 2) + at * 6e4).toISOString().replace(/[-:]|\.\d+/g, "")}`,
      ).join("\n");
    const start = "DTSTART:20260101T000000Z\n";
    expect(
      expandTo(setOf(start + dates(recurrenceInstancesMax + 1)), "2026-01-02", "2026-02-01"),
    ).toBeUndefined();
    expect(
      expandTo(setOf(start + dates(recurrenceInstancesMax - 1)), "2026-01-02T00:00Z", "2026-01-02T00:02Z"),
    ).toHaveLength(2);
  });
});

describe.skipIf(!hasCorpus)(`the corpus${corpusNote}`, () => {
  const vectors = hasCorpus
    ? (
        JSON.parse(readCorpusText("calendar/written-recurrence/tz-a.json")) as {
          vectors: { note: string; tzid: string; dtstart: string; rrule: string; expected_utc: string[] }[];
        }
      ).vectors
    : [];
  test.each(vectors)("$note, $tzid", ({ tzid, dtstart, rrule, expected_utc }) => {
    const set = setOf(`DTSTART;TZID=${tzid}:${dtstart}\nRRULE:${rrule}`);
    const { occurrences } = expandRecurrenceSet(set, Number.NEGATIVE_INFINITY, Date.UTC(2100, 0))!;
    const written = occurrences.map(({ startMs }) =>
      new Date(startMs).toISOString().replace(/[-:]|\.\d+/g, ""),
    );
    expect(written).toEqual(expected_utc);
  });

  const texts = hasCorpus
    ? (
        JSON.parse(readCorpusText("calendar/rrule-vectors/dateutil-a.json")) as {
          vectors: { id: string; text?: string; expected: string[] }[];
        }
      ).vectors.filter(({ id, text }) => text !== undefined && id !== "dateutil:testStrKeywords")
    : [];
  test.each(texts)("$id", ({ text, expected }) => {
    const set = setOf(text!);
    const { occurrences } = expandRecurrenceSet(set, Number.NEGATIVE_INFINITY, Date.UTC(2100, 0))!;
    const written = occurrences.map(({ start }) =>
      new Date(start.localMs).toISOString().replace(/[-:]|\.\d+Z/g, ""),
    );
    // dateutil leaves out a DTSTART that the rule does not give; RFC 5545 counts it as the first of COUNT.
    const first = /DTSTART:(\w+)/i.exec(text!)![1]!;
    const isBeside = !expected.includes(first) && !/EX/i.test(text!);
    const isCounted = isBeside && /COUNT/.test(text!);
    expect(written).toEqual(isBeside ? [first, ...(isCounted ? expected.slice(0, -1) : expected)] : expected);
  });

  test("every component of every file is expanded or beyond the limit, and nothing throws", () => {
    const counts = { expanded: 0, tooMuch: 0 };
    for (const { file, bytes } of listCorpusFiles("calendar", /\.ics$/)) {
      if (file === "libical/get_char_test.ics") continue; // Nested beyond the limit.
      for (const calendar of listComponents(readContentLines(bytes)))
        for (const component of [calendar, ...listComponents(calendar)]) {
          const set = readRecurrenceSet([component], timeZonesOf(calendar));
          const expansion = expandRecurrenceSet(set, Number.NEGATIVE_INFINITY, Date.UTC(2027, 0));
          counts[expansion === undefined ? "tooMuch" : "expanded"]++;
        }
    }
    expect(counts.tooMuch).toBeLessThan(20);
    expect(counts.expanded).toBeGreaterThan(1000);
  });

  test("the attacks are too many, or few, and none throws", () => {
    const month = ["2026-09-01", "2026-10-01"] as const;
    const counts = listCorpusFiles("attack/ical", /^(rrule|rdate|tzid|alarm).*\.ics$/).map(
      ({ file, bytes }) => {
        const set = setOf(bytes.toString("utf8").replace(/^BEGIN:VCALENDAR|END:VCALENDAR\s*$/g, ""));
        return [file, expandTo(set, ...month)?.length];
      },
    );
    expect(Object.fromEntries(counts)).toEqual({
      "alarm-mail-bomb.ics": 1,
      "rdate-20000.ics": undefined,
      "rrule-count-max.ics": undefined,
      "rrule-interval-zero.ics": 1,
      "rrule-never-matches.ics": 1,
      "rrule-secondly-forever.ics": undefined,
      "tzid-traversal.ics": 1,
    });
  });
});
