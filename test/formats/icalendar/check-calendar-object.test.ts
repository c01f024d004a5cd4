/** The conditions of a calendar object resource, and alarms, and changes of single properties. */
import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import {
  type Component,
  findProperty,
  listComponents,
  makeProperty,
} from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { replaceItem, setProperties } from "#/src/formats/content-lines/set-properties.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { listAlarmTimes } from "#/src/formats/icalendar/alarm.ts";
import { checkCalendarObject } from "#/src/formats/icalendar/check-calendar-object.ts";
import { alarmRepeatsMax } from "#/src/model/limits.ts";
import { corpusNote, hasCorpus, listCorpusFiles } from "../../support/corpus.ts";
import { calendarOf, shortTime } from "./calendar-text.ts";

const event = (lines = "", uid = "1") =>
  `BEGIN:VEVENT\nUID:${uid}\nDTSTART:20260101T100000Z\n${lines}END:VEVENT\n`;
const calendar = (inner: string) => `BEGIN:VCALENDAR\nVERSION:2.0\n${inner}END:VCALENDAR\n`;

function check(text: string) {
  return checkCalendarObject(readContentLines(Buffer.from(text, "latin1")));
}

describe("a calendar object resource", () => {
  test.each(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VAVAILABILITY"] as const)(
    "may have a %s",
    (kind) => {
      const object = check(calendar(`BEGIN:${kind}\nUID:a\nDTSTART:20260101T100000Z\nEND:${kind}\n`));
      expect(object).toMatchObject({ kind, uid: "a" });
    },
  );

  test("may have a series, its overrides and VTIMEZONEs", () => {
    const zone =
      "BEGIN:VTIMEZONE\nTZID:x\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n";
    const object = check(calendar(zone + event() + event("RECURRENCE-ID:20260101T100000Z\n")));
    expect(object).toMatchObject({ components: [{ name: "VEVENT" }, { name: "VEVENT" }] });
  });

  const data = "valid-calendar-data";
  const resource = "valid-calendar-object-resource";
  const broken: readonly [what: string, text: string, precondition: string][] = [
    ["nothing", "", data],
    ["another text", "Hello\n", data],
    ["a vCard", "BEGIN:VCARD\nVERSION:4.0\nEND:VCARD\n", data],
    ["two calendars", calendar(event()).repeat(2), data],
    ["an event alone", event(), data],
    ["no version", `BEGIN:VCALENDAR\n${event()}END:VCALENDAR\n`, data],
    ["version 1.0", calendar(event()).replace("2.0", "1.0"), data],
    ["a cut end", calendar(event()).slice(0, -15), data],
    ["a line without colon", calendar(event("SUMMARY\n")), data],
    ["a control character", calendar(event("SUMMARY:\x07\n")), data],
    ["a METHOD", calendar(`METHOD:REQUEST\n${event()}`), resource],
    ["nothing but a calendar", calendar(""), resource],
    ["events and todos", calendar(`${event()}BEGIN:VTODO\nUID:1\nEND:VTODO\n`), resource],
    ["another kind", calendar("BEGIN:VPOLL\nUID:1\nEND:VPOLL\n"), "supported-calendar-component"],
    ["two UIDs", calendar(event() + event("", "2")), resource],
    ["no UID", calendar("BEGIN:VEVENT\nDTSTART:20260101\nEND:VEVENT\n"), resource],
    ["an empty UID", calendar(event("", "")), resource],
    ["no DTSTART", calendar("BEGIN:VEVENT\nUID:1\nEND:VEVENT\n"), data],
    ["a DTSTART that is none", calendar("BEGIN:VEVENT\nUID:1\nDTSTART:tomorrow\nEND:VEVENT\n"), data],
    ["DTSTART twice", calendar(event("DTSTART:20260101T100000Z\n")), data],
    ["an end and a DURATION", calendar(event("DTEND:20260101T110000Z\nDURATION:PT1H\n")), data],
    ["a rule that is none", calendar(event("RRULE:FREQ=DAILY;INTERVAL=0\n")), data],
    [
      "a rule of the Chinese calendar",
      calendar(event("RRULE:RSCALE=CHINESE;FREQ=YEARLY\n")),
      "supported-rscale",
    ],
    ["an EXDATE that is none", calendar(event("EXDATE:20260101,x\n")), data],
    ["two series", calendar(event().repeat(2)), data],
    ["two overrides of one instance", calendar(event("RECURRENCE-ID:20260101\n").repeat(2)), data],
    ["an alarm without trigger", calendar(event("BEGIN:VALARM\nACTION:DISPLAY\nEND:VALARM\n")), data],
    ["a trigger that is none", calendar(event("BEGIN:VALARM\nTRIGGER:soon\nEND:VALARM\n")), data],
    ["a VTIMEZONE without rules", calendar(`BEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE\n${event()}`), data],
  ];
  test.each(broken)("is not %s", (_, text, precondition) => {
    expect(check(text)).toEqual({ precondition, explanation: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  test.each([
    ["a trigger at a time without VALUE", "BEGIN:VALARM\nTRIGGER:19980403T120000Z\nEND:VALARM\n"],
    ["RDATE with periods", "RDATE;VALUE=PERIOD:20260101T100000Z/PT1H\n"],
    ["unknown properties and components", "X-A:1\nIANA-B:2\nBEGIN:X-C\nEND:X-C\n"],
  ])("may have %s", (_, lines) => {
    expect(check(calendar(event(lines)))).toMatchObject({ uid: "1" });
  });

  describe.skipIf(!hasCorpus)(`of the corpus${corpusNote}`, () => {
    test("is valid, or breaks a precondition with an explanation", () => {
      const counts: Record<string, number> = {};
      for (const { bytes } of listCorpusFiles("calendar", /\.ics$/)) {
        let found: string;
        try {
          const object = checkCalendarObject(readContentLines(bytes));
          found = "precondition" in object ? object.precondition : "valid";
        } catch (error) {
          found = (error as { details: { reason: string } }).details.reason;
        }
        counts[found] = (counts[found] ?? 0) + 1;
      }
      // Many files of the corpus are cut out of tests: without VERSION, with METHOD, events without VCALENDAR.
      expect(counts).toEqual({
        valid: 604,
        "valid-calendar-data": 290,
        "valid-calendar-object-resource": 212,
        "supported-calendar-component": 2,
        "supported-rscale": 4,
        limit_reached: 1,
      });
    });
  });
});

describe("an alarm", () => {
  const instance = { startMs: Date.UTC(2026, 0, 1, 10), endMs: Date.UTC(2026, 0, 1, 12) };
  const alarms: readonly [lines: string, times: readonly string[]][] = [
    ["TRIGGER:-PT15M", ["2026-01-01T09:45"]],
    ["TRIGGER;RELATED=END:PT5M", ["2026-01-01T12:05"]],
    ["TRIGGER:-P1D", ["2025-12-31T10:00"]],
    ["TRIGGER;VALUE=DATE-TIME:20260101T080000Z", ["2026-01-01T08:00"]],
    ["TRIGGER:PT0S\nREPEAT:2\nDURATION:PT5M", ["2026-01-01T10:00", "2026-01-01T10:05", "2026-01-01T10:10"]],
    ["TRIGGER:PT0S\nREPEAT:2", ["2026-01-01T10:00"]],
    ["TRIGGER:soon", []],
    ["ACTION:DISPLAY", []],
  ];
  test.each(alarms)("%j goes off", (lines, times) => {
    const [alarm] = listComponents(calendarOf(`BEGIN:VALARM\n${lines}\nEND:VALARM`));
    expect(listAlarmTimes(alarm!, instance).map(shortTime)).toEqual(times);
  });

  test("is repeated at most as often as the limit", () => {
    const [alarm] = listComponents(
      calendarOf("BEGIN:VALARM\nTRIGGER:PT0S\nREPEAT:1000000\nDURATION:PT1S\nEND:VALARM"),
    );
    expect(listAlarmTimes(alarm!, instance)).toHaveLength(alarmRepeatsMax + 1);
  });
});

describe("a change of properties", () => {
  const lines =
    "x-before:1\r\nattendee;partstat=NEEDS-ACTION:mailto:a@x\r\nX-b:2\r\nATTENDEE:mailto:b@x\r\nBEGIN:VALARM\r\nEND:VALARM\r\n";
  const text = `BEGIN:VEVENT\r\n${lines}END:VEVENT\r\n`;

  function change(edit: (component: Component) => Component): string {
    const [component] = listComponents(readContentLines(Buffer.from(text)));
    return writeContentLines({ items: [edit(component!)] })
      .toString()
      .replace(/^BEGIN:VEVENT\r\n|END:VEVENT\r\n$/g, "");
  }
  const attendee = (address: string, partstat?: string) =>
    makeProperty(
      "ATTENDEE",
      `mailto:${address}`,
      partstat === undefined ? [] : [{ name: "PARTSTAT", values: [partstat] }],
    );

  test("keeps the octets and the order of all other properties, and of equal ones", () => {
    const edited = change((component) =>
      setProperties(component, "ATTENDEE", [attendee("a@x", "NEEDS-ACTION"), attendee("b@x", "ACCEPTED")]),
    );
    expect(edited).toBe(lines.replace("ATTENDEE:", "ATTENDEE;PARTSTAT=ACCEPTED:"));
  });

  test("adds properties behind the last of their name, and removes surplus ones", () => {
    const more = change((component) =>
      setProperties(component, "ATTENDEE", [
        attendee("a@x", "NEEDS-ACTION"),
        attendee("b@x"),
        attendee("c@x"),
      ]),
    );
    expect(more).toBe(lines.replace("BEGIN:VALARM", "ATTENDEE:mailto:c@x\r\nBEGIN:VALARM"));
    expect(change((component) => setProperties(component, "ATTENDEE", []))).toBe(
      "x-before:1\r\nX-b:2\r\nBEGIN:VALARM\r\nEND:VALARM\r\n",
    );
  });

  test("puts a new property before the inner components", () => {
    expect(change((component) => setProperties(component, "SUMMARY", [makeProperty("SUMMARY", "Hi")]))).toBe(
      lines.replace("BEGIN:VALARM", "SUMMARY:Hi\r\nBEGIN:VALARM"),
    );
  });

  test("replaces or removes one item", () => {
    const removed = change((component) => replaceItem(component, findProperty(component, "X-B")!, undefined));
    expect(removed).toBe(lines.replace("X-b:2\r\n", ""));
    const replaced = change((component) =>
      replaceItem(component, findProperty(component, "X-B")!, makeProperty("X-c", "3")),
    );
    expect(replaced).toBe(lines.replace("X-b:2", "X-c:3"));
  });
});
