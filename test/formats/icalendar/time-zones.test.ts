/** Time zones: the meaning of a TZID, and VTIMEZONEs with rules of their own. */
import { describe, expect, test } from "vitest";
import { findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { findNamedZone, timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import { findIanaZone } from "#/src/formats/icalendar/iana-zone.ts";
import { localOfUtc, utcOfLocal } from "#/src/formats/icalendar/time-zone.ts";
import { makeTimeZoneComponent, zoneOfComponent } from "#/src/formats/icalendar/vtimezone.ts";
import { corpusNote, hasCorpus, listCorpusFiles } from "../../support/corpus.ts";
import { calendarOf, shortTime } from "./calendar-text.ts";

const names: readonly [tzid: string, zone: string | undefined][] = [
  ["Europe/Berlin", "Europe/Berlin"],
  ["europe/berlin", "Europe/Berlin"],
  [" US/Eastern ", "US/Eastern"],
  ["UTC", "UTC"],
  ["Etc/GMT+5", "Etc/GMT+5"],
  ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  [
    "/freeassociation.sourceforge.net/Tzfile/America/Argentina/Buenos_Aires",
    "America/Argentina/Buenos_Aires",
  ],
  ["/freeassociation.sourceforge.net/Tzfile/SystemV/EST5EDT", "EST5EDT"],
  ["/freeassociation.sourceforge.net/Europe/Berlin", "Europe/Berlin"],
  ["/mozilla.org/20050126_1/Europe/Berlin", "Europe/Berlin"],
  ["/softwarestudio.org/Olson_20011030_5/America/New_York", "America/New_York"],
  ["W. Europe Standard Time", "Europe/Berlin"],
  ["pacific standard time", "America/Los_Angeles"],
  ["GMT Standard Time", "Europe/London"],
  ["UTC+11", undefined],
  ["+05:00", undefined],
  ["2026-01-01T00:00+01:00[Europe/Berlin]", undefined],
  ["../../../../etc/passwd", undefined],
  ["/freeassociation.sourceforge.net/__proto__", undefined],
  ["__proto__", undefined],
  ["constructor", undefined],
  ["", undefined],
  ["/".repeat(10_000), undefined],
  [`/${"a/".repeat(5000)}Europe/Berlin`, undefined],
];
test.each(names)("the TZID %j is the zone %s", (tzid, zone) => {
  expect(findNamedZone(tzid)?.id).toBe(zone);
});

test("a local time that occurs twice is the first one, and one in a gap has the offset before the gap", () => {
  const zone = findIanaZone("Europe/Berlin")!;
  const utc = (local: string) => shortTime(utcOfLocal(zone, Date.parse(`${local}Z`)));
  expect(
    [
      "2026-03-29T01:59",
      "2026-03-29T02:30",
      "2026-03-29T03:00",
      "2026-10-25T01:59",
      "2026-10-25T02:30",
      "2026-10-25T03:00",
    ].map(utc),
  ).toEqual([
    "2026-03-29T00:59",
    "2026-03-29T01:30",
    "2026-03-29T01:00",
    "2026-10-24T23:59",
    "2026-10-25T00:30",
    "2026-10-25T02:00",
  ]);
});

test("the offsets of a zone are Temporal's, in any order of questions", () => {
  for (const name of [
    "Europe/Berlin",
    "America/New_York",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Asia/Kolkata",
  ]) {
    const zone = findIanaZone(name)!;
    for (let at = 0; at < 300; at++) {
      const utcMs = ((at * 7919) % 300) * 86_400_000 * 61 - 1e12 + at * 3_600_000;
      const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(utcMs).toZonedDateTimeISO(name);
      expect(zone.offsetAt(utcMs)).toBe(offsetNanoseconds / 1e6);
    }
  }
});

describe("a VTIMEZONE", () => {
  const fictitious = calendarOf(`
    BEGIN:VTIMEZONE
    TZID:US--Fictitious-Eastern
    BEGIN:STANDARD
    DTSTART:19671029T020000
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
    TZOFFSETFROM:-0400
    TZOFFSETTO:-0500
    END:STANDARD
    BEGIN:DAYLIGHT
    DTSTART:19870405T020000
    RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=4;UNTIL=19980404T070000Z
    TZOFFSETFROM:-0500
    TZOFFSETTO:-0400
    END:DAYLIGHT
    BEGIN:DAYLIGHT
    DTSTART:19990424T020000
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=4
    TZOFFSETFROM:-0500
    TZOFFSETTO:-0400
    END:DAYLIGHT
    END:VTIMEZONE
  `);

  test("is evaluated from its rules", () => {
    const zone = timeZonesOf(fictitious)("US--Fictitious-Eastern")!;
    const hours = (iso: string) => zone.offsetAt(Date.parse(iso)) / 3_600_000;
    expect(
      [
        "1960-01-01",
        "1968-01-01",
        "1997-04-06T06:59Z",
        "1997-04-06T07:00Z",
        "1998-06-01",
        "1999-06-01",
        "2050-07-01",
        "2050-12-01",
      ].map(hours),
    ).toEqual([-4, -5, -5, -4, -5, -4, -4, -5]);
  });

  test("is used after an IANA name, and its X-LIC-LOCATION before its rules", () => {
    const calendar = calendarOf(`
      BEGIN:VTIMEZONE
      TZID:Europe/Berlin
      BEGIN:STANDARD
      DTSTART:19700101T000000
      TZOFFSETFROM:+0900
      TZOFFSETTO:+0900
      END:STANDARD
      END:VTIMEZONE
      BEGIN:VTIMEZONE
      TZID:mine
      X-LIC-LOCATION:Asia/Tokyo
      END:VTIMEZONE
    `);
    expect(timeZonesOf(calendar)("Europe/Berlin")!.offsetAt(0)).toBe(3_600_000);
    expect(timeZonesOf(calendar)("mine")!.id).toBe("Asia/Tokyo");
    expect(timeZonesOf(calendar)("other")).toBeUndefined();
  });

  test.each([["FREQ=SECONDLY"], ["FREQ=DAILY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12"]])(
    "whose observance repeats %s is not used",
    (rule) => {
      const calendar = calendarOf(`
      BEGIN:VTIMEZONE
      TZID:x
      BEGIN:STANDARD
      DTSTART:19700101T000000
      RRULE:${rule}
      TZOFFSETFROM:+0900
      TZOFFSETTO:+0800
      END:STANDARD
      END:VTIMEZONE
    `);
      expect(timeZonesOf(calendar)("x")).toBeUndefined();
    },
  );

  test("is not evaluated where all zones of an object have more rules than the limit", () => {
    const part =
      "BEGIN:STANDARD\nDTSTART:20200101T000000\nRRULE:FREQ=YEARLY;COUNT=1\nTZOFFSETFROM:+0900\nTZOFFSETTO:+0800\nEND:STANDARD\n";
    const zone = (tzid: string, count: number) =>
      `BEGIN:VTIMEZONE\nTZID:${tzid}\n${part.repeat(count)}END:VTIMEZONE\n`;
    const find = timeZonesOf(calendarOf(zone("a", 40) + zone("b", 20) + zone("c", 1)));
    expect(["a", "b", "c", "a"].map((tzid) => find(tzid)?.id)).toEqual(["a", "b", undefined, "a"]);
  });

  test("with more observances than the limit is not used", () => {
    const part =
      "BEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0900\nTZOFFSETTO:+0800\nEND:STANDARD\n";
    const zone = (count: number) => calendarOf(`BEGIN:VTIMEZONE\nTZID:x\n${part.repeat(count)}END:VTIMEZONE`);
    expect(timeZonesOf(zone(400))("x")).toBeDefined();
    expect(timeZonesOf(zone(401))("x")).toBeUndefined();
  });

  test.each([
    "Europe/Berlin",
    "US/Eastern",
    "America/Sao_Paulo",
    "Asia/Tehran",
    "Australia/Lord_Howe",
    "Etc/UTC",
  ])("to send for %s has that TZID, and its rules give the zone's offsets of today", (name) => {
    const component = makeTimeZoneComponent(name)!;
    expect(findProperty(component, "TZID")!.value).toBe(name);
    expectSameOffsets(zoneOfComponent(component)!, name, 2024, 2030);
  });

  test.each(["No/Where", "__proto__", "../x", ""])("to send for %j there is none", (name) => {
    expect(makeTimeZoneComponent(name)).toBeUndefined();
  });
});

describe.skipIf(!hasCorpus)(`the corpus${corpusNote}`, () => {
  const files = hasCorpus ? listCorpusFiles("calendar/libical-zoneinfo", /\.ics$/) : [];
  /** Years in which today's tz database says something else than the one that these definitions were made from. */
  const years = new Map([
    ["Africa/Casablanca", [1971, 2026]],
    ["Africa/El_Aaiun", [1971, 2026]],
    ["Europe/Istanbul", [1976, 2037]],
  ] as const);
  test.each(files)("$file gives the offsets of its zone", ({ bytes }) => {
    const [component] = listComponents(listComponents(readContentLines(bytes))[0]!, "VTIMEZONE");
    const name = findNamedZone(findProperty(component!, "TZID")!.value)!.id;
    const [from, to] = years.get(name as "Europe/Istanbul") ?? [1971, 2037];
    expectSameOffsets(zoneOfComponent(component!)!, name, from, to);
  });
});

function expectSameOffsets(
  zone: { offsetAt(utcMs: number): number },
  name: string,
  from: number,
  to: number,
): void {
  const iana = findIanaZone(name)!;
  const wrong: string[] = [];
  for (let utcMs = Date.UTC(from, 0); utcMs < Date.UTC(to, 0); utcMs += 86_400_000 * 3)
    if (zone.offsetAt(utcMs) !== iana.offsetAt(utcMs)) wrong.push(shortTime(utcMs));
  expect(wrong).toEqual([]);
  expect(localOfUtc(iana, 0)).toBe(iana.offsetAt(0));
}
