/** The selection of calendar-data (RFC 4791 section 9.6, RFC 7809 section 7.1). The objects are those of RFC 4791 appendix B. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CalendarDataRequest,
  type CompSelection,
  selectCalendarData,
} from "#/protocols/dav/filters/calendar-data.ts";
import { listComponents, makeComponent } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { expandRecurrenceSet } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { calendarOf, setOf } from "../../formats/icalendar/calendar-text.ts";

const zone = `BEGIN:VTIMEZONE
TZID:US/Eastern
BEGIN:STANDARD
DTSTART:20001026T020000
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
END:STANDARD
END:VTIMEZONE`;

const series = `VERSION:2.0
${zone}
BEGIN:VEVENT
UID:abcd2
DTSTART;TZID=US/Eastern:20060102T120000
DURATION:PT1H
RRULE:FREQ=DAILY;COUNT=5
SUMMARY:Event #2
END:VEVENT
BEGIN:VEVENT
UID:abcd2
DTSTART;TZID=US/Eastern:20060104T140000
DURATION:PT1H
RECURRENCE-ID;TZID=US/Eastern:20060104T120000
SUMMARY:Event #2 bis
END:VEVENT
BEGIN:VEVENT
UID:abcd2
DTSTART;TZID=US/Eastern:20060106T140000
DURATION:PT1H
RECURRENCE-ID;TZID=US/Eastern:20060106T120000
SUMMARY:Event #2 bis bis
END:VEVENT`;

const nothing: CalendarDataRequest = {
  comp: undefined,
  expand: undefined,
  limitRecurrenceSet: undefined,
  limitFreebusySet: undefined,
  hasNoStandardZones: false,
};
const range = (start: string, end: string) => ({ startMs: Date.parse(start), endMs: Date.parse(end) });

function selected(lines: string, request: Partial<CalendarDataRequest>): string {
  const calendar = selectCalendarData({ ...nothing, ...request }, calendarOf(lines), utcZone);
  const inner = calendar === undefined ? [] : calendar.items;
  return writeContentLines({ items: inner }).toString().replaceAll("\r\n", "\n").trim();
}

function select(
  name: string,
  props: readonly string[] | "all",
  comps: readonly CompSelection[] | "all",
): CompSelection {
  return {
    name,
    props: props === "all" ? props : new Map(props.map((one) => [one.replace("!", ""), one.endsWith("!")])),
    comps,
  };
}

describe("expand", () => {
  test("gives each instance in the range as a component of its own in UTC", () => {
    expect(selected(series, { expand: range("2006-01-03", "2006-01-05") })).toBe(`VERSION:2.0
BEGIN:VEVENT
UID:abcd2
DTSTART:20060103T170000Z
RECURRENCE-ID:20060103T170000Z
DURATION:PT1H
SUMMARY:Event #2
END:VEVENT
BEGIN:VEVENT
UID:abcd2
DTSTART:20060104T190000Z
RECURRENCE-ID:20060104T170000Z
DURATION:PT1H
SUMMARY:Event #2 bis
END:VEVENT`);
  });

  const events: readonly (readonly [what: string, lines: string, expected: string])[] = [
    [
      "an event that does not repeat",
      "DTSTART;TZID=Europe/Berlin:20260301T100000\nDTEND;TZID=America/New_York:20260301T100000",
      "DTSTART:20260301T090000Z\nDTEND:20260301T150000Z",
    ],
    [
      "a day",
      "DTSTART;VALUE=DATE:20260301\nDTEND;VALUE=DATE:20260302",
      "DTSTART;VALUE=DATE:20260301\nDTEND;VALUE=DATE:20260302",
    ],
    [
      "days that repeat",
      "DTSTART;VALUE=DATE:20260222\nDTEND;VALUE=DATE:20260224\nRRULE:FREQ=WEEKLY;COUNT=2",
      "DTSTART;VALUE=DATE:20260301\nRECURRENCE-ID;VALUE=DATE:20260301\nDTEND;VALUE=DATE:20260303",
    ],
    [
      "a floating time",
      "DTSTART:20260222T100000\nDTEND:20260222T110000\nRRULE:FREQ=WEEKLY;COUNT=2",
      "DTSTART:20260301T100000\nRECURRENCE-ID:20260301T100000\nDTEND:20260301T110000",
    ],
    [
      "a date with a period of its own",
      "DTSTART:20260201T100000Z\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20260301T100000Z/PT3H",
      "DTSTART:20260301T100000Z\nRECURRENCE-ID:20260301T100000Z\nDTEND:20260301T130000Z",
    ],
    [
      "another time with a zone",
      "DTSTART:20260301T100000Z\nX-WHEN;TZID=Europe/Berlin:20260301T100000",
      "DTSTART:20260301T100000Z\nX-WHEN:20260301T090000Z",
    ],
    [
      "exceptions, which are left out",
      "DTSTART:20260301T100000Z\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE:20260302T100000Z",
      "DTSTART:20260301T100000Z\nRECURRENCE-ID:20260301T100000Z",
    ],
  ];
  test.each(events)("takes %s", (_, lines, expected) => {
    expect(
      selected(`BEGIN:VEVENT\nUID:a\n${lines}\nEND:VEVENT`, { expand: range("2026-02-25", "2026-03-03") }),
    ).toBe(`BEGIN:VEVENT\nUID:a\n${expected}\nEND:VEVENT`);
  });

  test("keeps a task without time, and takes one of DUE alone", () => {
    const tasks =
      "BEGIN:VTODO\nUID:a\nSUMMARY:some day\nEND:VTODO\nBEGIN:VTODO\nUID:b\nDUE:20260301T100000Z\nRRULE:FREQ=DAILY;COUNT=2\nEND:VTODO";
    expect(selected(tasks, { expand: range("2026-03-02", "2026-03-03") })).toBe(
      "BEGIN:VTODO\nUID:a\nSUMMARY:some day\nEND:VTODO\nBEGIN:VTODO\nUID:b\nDUE:20260302T100000Z\nRECURRENCE-ID:20260302T100000Z\nEND:VTODO",
    );
  });

  test("answers no data for more instances than the limit", () => {
    const event = "BEGIN:VEVENT\nUID:a\nDTSTART:20260301T100000Z\nRRULE:FREQ=SECONDLY\nEND:VEVENT";
    const request = { ...nothing, expand: range("2026-03-01", "2026-04-01") };
    expect(selectCalendarData(request, calendarOf(event), utcZone)).toBeUndefined();
  });

  test("gives components with the same instances as the series", () => {
    const rules = fc.constantFrom("FREQ=DAILY;COUNT=9", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;BYDAY=-1SU");
    const ends = fc.constantFrom("DURATION:P1DT1H", "DTEND;TZID=Europe/Berlin:20260302T110000", "X-A:b");
    fc.assert(
      fc.property(rules, ends, fc.integer({ min: -40, max: 90 }), fc.nat(60), (rule, end, from, days) => {
        const lines = `BEGIN:VEVENT\nUID:a\nDTSTART;TZID=Europe/Berlin:20260301T100000\n${end}\nRRULE:${rule}\nEND:VEVENT`;
        const startMs = Date.UTC(2026, 2, 1 + from);
        const expand = { startMs, endMs: startMs + (days + 1) * 86_400_000 };
        const instances = expandRecurrenceSet(setOf(lines), expand.startMs, expand.endMs)!.occurrences;
        const calendar = selectCalendarData({ ...nothing, expand }, calendarOf(lines), utcZone)!;
        const written = listComponents(
          readContentLines(writeContentLines({ items: [makeComponent("VCALENDAR", calendar.items)] })),
        )[0]!;
        const again = listComponents(written, "VEVENT").map((event) => {
          const set = setOf(`${writeContentLines({ items: [event] })}`.replaceAll("\r\n", "\n"));
          return expandRecurrenceSet(set, Date.UTC(2000, 0), Date.UTC(2100, 0))!.occurrences;
        });
        expect(again.map((one) => one.map(({ startMs, endMs }) => [startMs, endMs]))).toEqual(
          instances.map(({ startMs, endMs }) => [[startMs, endMs]]),
        );
      }),
      { numRuns: 60 },
    );
  });
});

test("limit-recurrence-set keeps the series and the changed instances that affect the range", () => {
  const text = selected(series, { limitRecurrenceSet: range("2006-01-03", "2006-01-05") });
  expect(text).toContain("BEGIN:VTIMEZONE");
  expect(text.match(/SUMMARY.*/g)).toEqual(["SUMMARY:Event #2", "SUMMARY:Event #2 bis"]);
  const moved = series.replace(
    "DTSTART;TZID=US/Eastern:20060106T140000",
    "DTSTART;TZID=US/Eastern:20060103T140000",
  );
  expect(
    selected(moved, { limitRecurrenceSet: range("2006-01-03", "2006-01-04") }).match(/SUMMARY.*/g),
  ).toEqual(["SUMMARY:Event #2", "SUMMARY:Event #2 bis bis"]);
  expect(
    selected(moved, { limitRecurrenceSet: range("2006-01-06", "2006-01-07") }).match(/SUMMARY.*/g),
  ).toEqual(["SUMMARY:Event #2", "SUMMARY:Event #2 bis bis"]);
});

test("limit-freebusy-set keeps the periods in the range", () => {
  const busy =
    "BEGIN:VFREEBUSY\nFREEBUSY:20260301T100000Z/PT1H,20260303T100000Z/20260303T110000Z\nFREEBUSY;FBTYPE=BUSY:20260305T100000Z/PT1H\nEND:VFREEBUSY";
  expect(selected(busy, { limitFreebusySet: range("2026-03-02", "2026-03-04") })).toBe(
    "BEGIN:VFREEBUSY\nFREEBUSY:20260303T100000Z/20260303T110000Z\nEND:VFREEBUSY",
  );
});

test("time zones with a standard name are left out, others stay", () => {
  const own = zone.replace("US/Eastern", "My own");
  const text = selected(`${zone}\n${own}\nBEGIN:VEVENT\nUID:a\nEND:VEVENT`, { hasNoStandardZones: true });
  expect(text).toBe(`${own}\nBEGIN:VEVENT\nUID:a\nEND:VEVENT`);
});

describe("a selection", () => {
  const object =
    "VERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:a\nSUMMARY;LANGUAGE=en:b\nBEGIN:VALARM\nTRIGGER:-PT1H\nEND:VALARM\nEND:VEVENT";
  const selections: readonly (readonly [what: string, comp: CompSelection, expected: string])[] = [
    ["everything", select("VCALENDAR", "all", "all"), object],
    ["properties alone", select("VCALENDAR", ["VERSION"], []), "VERSION:2.0"],
    [
      "properties inside",
      select("VCALENDAR", ["VERSION"], [select("VEVENT", ["UID"], [])]),
      "VERSION:2.0\nBEGIN:VEVENT\nUID:a\nEND:VEVENT",
    ],
    [
      "a name without its value",
      select("VCALENDAR", [], [select("VEVENT", ["UID", "SUMMARY!"], [])]),
      "BEGIN:VEVENT\nUID:a\nSUMMARY;LANGUAGE=en:\nEND:VEVENT",
    ],
    [
      "components with all that they have",
      select("VCALENDAR", [], [select("VEVENT", [], "all")]),
      "BEGIN:VEVENT\nBEGIN:VALARM\nTRIGGER:-PT1H\nEND:VALARM\nEND:VEVENT",
    ],
    ["a component that is not there", select("VCALENDAR", [], [select("VTODO", "all", "all")]), ""],
  ];
  test.each(selections)("of %s", (_, comp, expected) => {
    expect(selected(object, { comp })).toBe(expected);
  });
});

test("selected lines keep their stored octets", () => {
  const folded =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nuid:a\r\nSUMMARY:fol\r\n ded\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
  const calendar = listComponents(readContentLines(Buffer.from(folded)))[0]!;
  const comp = select("VCALENDAR", "all", [select("VEVENT", ["UID", "SUMMARY"], [])]);
  expect(
    writeContentLines({ items: [selectCalendarData({ ...nothing, comp }, calendar, utcZone)!] }).toString(),
  ).toBe(folded);
});
