/** Values of iCalendar: each is read, and written in the form of the RFC. */
import { describe, expect, test } from "vitest";
import {
  formatCalendarTime,
  formatPeriod,
  parseCalendarTime,
  parsePeriod,
} from "#/src/formats/icalendar/calendar-time.ts";
import { formatDuration, parseDuration } from "#/src/formats/icalendar/duration.ts";
import { formatRecurrenceRule, parseRecurrenceRule } from "#/src/formats/icalendar/recurrence-rule.ts";
import { formatText, parseText, parseTexts } from "#/src/formats/icalendar/text-value.ts";
import { parseUtcOffset } from "#/src/formats/icalendar/utc-offset.ts";

describe("DATE and DATE-TIME", () => {
  const times: readonly [text: string, form: string, iso: string, tzid: string | undefined][] = [
    ["20260228", "date", "2026-02-28T00:00:00.000Z", undefined],
    ["00010101", "date", "0001-01-01T00:00:00.000Z", undefined],
    ["20240229T235959", "date-time", "2024-02-29T23:59:59.000Z", "Europe/Berlin"],
    ["20240229T235959Z", "date-time", "2024-02-29T23:59:59.000Z", "UTC"],
  ];
  test.each(times)("%s is read and written", (text, form, iso, tzid) => {
    const time = parseCalendarTime(text, "Europe/Berlin")!;
    expect([time.form, new Date(time.localMs).toISOString(), time.tzid]).toEqual([form, iso, tzid]);
    expect(formatCalendarTime(time)).toBe(text);
  });

  test("a leap second is the second before it", () => {
    expect(formatCalendarTime(parseCalendarTime("20161231T235960Z")!)).toBe("20161231T235959Z");
  });

  test.each([
    "",
    "2026",
    "20260230",
    "20230229",
    "20261301",
    "20260001",
    "00000101",
    "20260101T240000",
    "20260101T1200",
    "20260101T120000+0100",
    "2026-01-01",
    "20260101T126000",
    "x20260101",
  ])("%j is no time", (text) => {
    expect(parseCalendarTime(text)).toBeUndefined();
  });
});

describe("DURATION", () => {
  const durations: readonly [text: string, days: number, ms: number, written?: string][] = [
    ["PT1H30M", 0, 5_400_000],
    ["PT1H0M5S", 0, 3_605_000],
    ["P15DT5H0M20S", 15, 18_020_000],
    ["P7W", 49, 0],
    ["-PT15M", 0, -900_000],
    ["-P1D", -1, 0],
    ["PT0S", 0, 0],
    ["+P1D", 1, 0, "P1D"],
    ["P1W2DT3H", 9, 10_800_000, "P9DT3H"],
    ["P0D", 0, 0, "PT0S"],
    ["PT36H", 0, 129_600_000],
    ["PT90M", 0, 5_400_000, "PT1H30M"],
  ];
  test.each(durations)("%s is read and written", (text, days, ms, written = text) => {
    expect(parseDuration(text)).toEqual({ days, ms });
    expect(formatDuration({ days, ms })).toBe(written);
  });

  test.each(["", "P", "PT", "1H", "P1H", "PT1D", "P1.5D", "PT99999999999S", "-"])("%j is refused", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

test("PERIOD has an end or a duration", () => {
  for (const text of ["19970101T180000Z/19970102T070000Z", "19970101T180000Z/PT5H30M"])
    expect(formatPeriod(parsePeriod(text)!)).toBe(text);
  for (const text of ["19970101T180000Z", "19970101/P1D", "19970101T180000Z/", "/PT1H"])
    expect(parsePeriod(text)).toBeUndefined();
});

test("UTC-OFFSET is in milliseconds east of UTC", () => {
  expect(["-0500", "+0545", "+012345", "-0000", "+01:00"].map(parseUtcOffset)).toEqual([
    -18_000_000, 20_700_000, 5_025_000, 0, 3_600_000,
  ]);
  expect(["0500", "+5", "+2500", "+0160", "+28"].map(parseUtcOffset)).toEqual(Array(5).fill(undefined));
});

test("TEXT is escaped, and lists are cut at commas without a backslash", () => {
  const text = "a,b;c\\d\ne";
  expect(formatText(text)).toBe("a\\,b\\;c\\\\d\\ne");
  expect(parseText(formatText(text))).toBe(text);
  expect(parseText("a\\Nb\\xc\\")).toBe("a\nb\\xc\\");
  expect(parseTexts("a\\,b,c\\\\,d,")).toEqual(["a,b", "c\\", "d", ""]);
});

describe("RECUR", () => {
  const rules: readonly [text: string, written?: string][] = [
    ["FREQ=DAILY"],
    [
      "FREQ=YEARLY;INTERVAL=2;UNTIL=20300101T000000Z;BYMONTH=1;BYDAY=SU,-1MO;BYHOUR=8,9;BYMINUTE=30",
      "FREQ=YEARLY;INTERVAL=2;UNTIL=20300101T000000Z;BYMINUTE=30;BYHOUR=8,9;BYDAY=SU,-1MO;BYMONTH=1",
    ],
    ["FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-1,15;BYSETPOS=-1;WKST=SU"],
    ["freq=weekly;byday=mo,we;", "FREQ=WEEKLY;BYDAY=MO,WE"],
    ["FREQ=YEARLY;BYDAY=+1MO,01TU,-02WE;BYSECOND=60", "FREQ=YEARLY;BYSECOND=59;BYDAY=1MO,1TU,-2WE"],
    ["RSCALE=GREGORIAN;FREQ=DAILY;INTERVAL=1;WKST=MO", "FREQ=DAILY"],
    ["FREQ=DAILY;X-OTHER=1", "FREQ=DAILY"],
  ];
  test.each(rules)("%s is read and written", (text, written = text) => {
    expect(formatRecurrenceRule(parseRecurrenceRule(text)!)).toBe(written);
  });

  test.each([
    "",
    "INTERVAL=1",
    "FREQ=NEVER",
    "FREQ=DAILY;INTERVAL=0",
    "FREQ=DAILY;INTERVAL=-1",
    "FREQ=DAILY;COUNT=0",
    "FREQ=DAILY;COUNT=1.5",
    "FREQ=DAILY;UNTIL=x",
    "FREQ=DAILY;BYDAY=XX",
    "FREQ=DAILY;BYDAY=0MO",
    "FREQ=DAILY;BYDAY=54MO",
    "FREQ=DAILY;BYMONTH=13",
    "FREQ=DAILY;BYMONTH=-1",
    "FREQ=DAILY;BYMONTHDAY=0",
    "FREQ=DAILY;BYHOUR=24",
    "FREQ=DAILY;BYHOUR=",
    "FREQ=DAILY;BYYEARDAY=367",
    "FREQ=DAILY;FREQ=DAILY",
    "FREQ=DAILY;toString=1",
    "FREQ=DAILY;__proto__=1",
    "FREQ=DAILY;WKST=X",
    "FREQ=DAILY;DAILY",
    "RSCALE=CHINESE;FREQ=DAILY",
    "FREQ=DAILY;SKIP=FORWARD",
  ])("%j is no rule", (text) => {
    expect(parseRecurrenceRule(text)).toBeUndefined();
  });
});
