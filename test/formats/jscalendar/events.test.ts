import { describe, expect, test } from "vitest";
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import { acceptEvent, patchEvent } from "#/src/formats/jscalendar/accept-event.ts";
import { changeInstance } from "#/src/formats/jscalendar/instances.ts";
import { findParticipant } from "#/src/formats/jscalendar/participants.ts";
import { readEvent } from "#/src/formats/jscalendar/read-event.ts";
import { updateEvent, writeEvent } from "#/src/formats/jscalendar/write-event.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { eventOf, linesOf, parsed, taskOf, textOf } from "./calendar-texts.ts";

const start = "DTSTART;TZID=Europe/Berlin:20260302T100000";

/** Without what every object of these tests says. */
function read(calendar: Component): JsonObject {
  const { "@type": _, prodId: __, uid: ___, updated: ____, ...event } = readEvent(calendar)!;
  return event;
}

function patched(calendar: Component, patch: JsonObject): Component {
  return updateEvent(calendar, patchEvent(readEvent(calendar)!, patch));
}

function written(body: JsonObject): Component {
  return parsed(textOf(writeEvent(acceptEvent(body, "u1"), Date.UTC(2026, 0, 1))));
}

function refusalOf(run: () => unknown): readonly [string | undefined, string | undefined] {
  try {
    run();
  } catch (error) {
    if (isWaypostError(error)) return [error.details.field, error.details.hint];
    throw error;
  }
  return ["accepted", undefined];
}

test.each([
  ["title", '{"a":1}'],
  ["description", "5"],
  ["start", '"x"'],
  ["duration", "5"],
  ["keywords", '"x"'],
  ["locations/l", "7"],
  ["links/l", '{"href":5}'],
  ["participants/p", "null"],
  ["participants", '{"__proto__":{"name":"x"}}'],
  ["participants/p", '{"__proto__":{"name":"x"}}'],
  ["example.com:a", '{"__proto__":1}'],
  ["example.com:a/__proto__", "1"],
  ["example.com:a", "[1,1e400]"],
  ["unheardOf", "1"],
])("an event is answered whatever a line says of its member %s: %s", (pointer, value) => {
  const line = `JSPROP;JSPTR="${pointer}":${value}`;
  const calendar = eventOf(start, "DURATION:PT1H", "ATTENDEE:mailto:me@x.example", line);
  const id = findParticipant(readEvent(calendar)!, ["me@x.example"])!;
  const answered = patched(calendar, { [`participants/${id}/participationStatus`]: "accepted" });
  expect(linesOf(answered)).toContain("ATTENDEE;PARTSTAT=ACCEPTED:mailto:me@x.example");
  expect(linesOf(answered)).toContain(line);
  expect(read(calendar)).toMatchObject({ start: "2026-03-02T10:00:00", duration: "PT1H" });
});

const oddNames = ["__proto__", "constructor", "toString"];
const namedLines = (name: string) => [
  `CATEGORIES:${name},b`,
  `RELATED-TO;RELTYPE=${name}:${name}`,
  `ATTACH;JSID=${name}:https://a.example/x`,
  `ATTENDEE;JSID=${name}:mailto:me@x.example`,
  `ATTENDEE;ROLE=${name}:mailto:${name}@x.example`,
  `X-A;${name}=1:v`,
];
test.each(oddNames.flatMap((name) => namedLines(name).map((line) => [line])))(
  "an event with the line %s is read, answered and changed, in whole and in one instance, and keeps the line",
  (line) => {
    const me = line.includes("me@x") ? line : "ATTENDEE:mailto:me@x.example";
    const series = [start, "RRULE:FREQ=DAILY;COUNT=3", me, ...(me === line ? [] : [line])];
    const calendar = eventOf(...series);
    const event = readEvent(calendar)!;
    const id = findParticipant(event, ["me@x.example"])!;
    const answer = { [`participants/${id}/participationStatus`]: "accepted" };
    expect(linesOf(patched(calendar, answer)).join(" ")).toContain("PARTSTAT=ACCEPTED");
    if (me !== line) expect(linesOf(patched(calendar, answer))).toContain(line);
    expect(linesOf(patched(calendar, { title: "New" }))).toContain(line);
    for (const change of [{ title: "New" }, answer]) {
      const one = updateEvent(calendar, changeInstance(event, "2026-03-03T10:00:00", { patch: change }));
      const again = updateEvent(
        one,
        changeInstance(readEvent(one)!, "2026-03-03T10:00:00", { patch: { title: "Newer" } }),
      );
      expect(linesOf(again)).toContain(line);
      expect(textOf(again)).toContain("Newer");
    }
  },
);

test.each(["URL:Join the meeting", "ATTACH:My file.pdf", "CONFERENCE:Room 5", "RELATED-TO:", "CONCEPT:a b"])(
  "an event of another program with the line %s is answered, and its instances are",
  (line) => {
    const calendar = eventOf(start, "RRULE:FREQ=DAILY;COUNT=3", "ATTENDEE:mailto:me@x.example", line);
    const event = readEvent(calendar)!;
    const answer = {
      [`participants/${findParticipant(event, ["me@x.example"])!}/participationStatus`]: "accepted",
    };
    const answered = patched(calendar, answer);
    expect(linesOf(answered)).toEqual(
      expect.arrayContaining([line, "ATTENDEE;PARTSTAT=ACCEPTED:mailto:me@x.example"]),
    );
    const one = updateEvent(
      calendar,
      changeInstance(event, "2026-03-03T10:00:00", { patch: { title: "New" } }),
    );
    expect(linesOf(patched(one, answer)).filter((other) => other === line)).toHaveLength(2);
    expect(refusalOf(() => patchEvent(event, { "links/new": { href: "not a uri" } }))[0]).toBe(
      "/links/new/href",
    );
  },
);

test("a line that is written anew stands where the one of its name stood", () => {
  const calendar = eventOf("DURATION:PT1H", "SUMMARY:One", start);
  const moved = linesOf(patched(calendar, { start: "2026-03-03T10:00:00", duration: "PT2H" }));
  expect(moved.filter((line) => /^(?:DTSTART|DURATION|SUMMARY)/.test(line))).toEqual([
    "DURATION:PT2H",
    "SUMMARY:One",
    "DTSTART;TZID=Europe/Berlin:20260303T100000",
  ]);
});

describe("lines and members", () => {
  const time = { start: "2026-03-02T10:00:00", timeZone: "Europe/Berlin" };
  test.each<[string, readonly string[], JsonObject]>([
    ["SUMMARY", ["SUMMARY:A\\, B"], { title: "A, B" }],
    ["DESCRIPTION", ["DESCRIPTION:one\\ntwo"], { description: "one\ntwo" }],
    [
      "STYLED-DESCRIPTION",
      ["STYLED-DESCRIPTION;FMTTYPE=text/html:<b>x</b>"],
      { description: "<b>x</b>", descriptionContentType: "text/html" },
    ],
    ["CREATED", ["CREATED:20250102T030405Z"], { created: "2025-01-02T03:04:05Z" }],
    ["SEQUENCE, STATUS", ["SEQUENCE:3", "STATUS:TENTATIVE"], { sequence: 3, status: "tentative" }],
    [
      "TRANSP, CLASS",
      ["TRANSP:TRANSPARENT", "CLASS:CONFIDENTIAL"],
      { freeBusyStatus: "free", privacy: "secret" },
    ],
    ["PRIORITY, COLOR", ["PRIORITY:1", "COLOR:navy"], { priority: 1, color: "navy" }],
    ["CATEGORIES", ["CATEGORIES:a,b\\,c"], { keywords: { a: true, "b,c": true } }],
    ["CONCEPT", ["CONCEPT;VALUE=URI:https://a.example/x"], { categories: { "https://a.example/x": true } }],
    [
      "LOCATION, GEO",
      ["LOCATION:Room 5", "GEO:48.2;16.3"],
      { locations: { main: { name: "Room 5", coordinates: "geo:48.2,16.3" } } },
    ],
    [
      "CONFERENCE",
      ["CONFERENCE;VALUE=URI;FEATURE=AUDIO,VIDEO;LABEL=Call;JSID=c:https://c.example/1"],
      {
        virtualLocations: {
          c: { uri: "https://c.example/1", name: "Call", features: { audio: true, video: true } },
        },
      },
    ],
    [
      "ATTACH",
      ["ATTACH;FMTTYPE=application/pdf;SIZE=10;FILENAME=a.pdf;JSID=a:https://a.example/a"],
      {
        links: {
          a: {
            href: "https://a.example/a",
            rel: "enclosure",
            contentType: "application/pdf",
            size: 10,
            title: "a.pdf",
          },
        },
      },
    ],
    [
      "ATTACH with its content",
      ["ATTACH;ENCODING=BASE64;VALUE=BINARY;FMTTYPE=text/plain;JSID=a:YQ=="],
      { links: { a: { href: "data:text/plain;base64,YQ==", rel: "enclosure", contentType: "text/plain" } } },
    ],
    ["URL", ["URL;JSID=u:https://a.example/"], { links: { u: { href: "https://a.example/" } } }],
    [
      "IMAGE",
      ["IMAGE;VALUE=URI;DISPLAY=BADGE;JSID=i:https://a.example/i"],
      { links: { i: { href: "https://a.example/i", rel: "icon", display: { badge: true } } } },
    ],
    [
      "LINK",
      ["LINK;VALUE=URI;LINKREL=preview;LABEL=L;JSID=l:https://a.example/l"],
      { links: { l: { href: "https://a.example/l", rel: "preview", title: "L" } } },
    ],
    [
      "RELATED-TO",
      ["RELATED-TO:x", "RELATED-TO;RELTYPE=CHILD:y"],
      { relatedTo: { x: {}, y: { relation: { child: true } } } },
    ],
    [
      "RRULE",
      ["RRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=5;BYDAY=MO,-1FR;BYMONTH=1,3;BYSETPOS=1;WKST=SU"],
      {
        recurrenceRule: {
          frequency: "monthly",
          interval: 2,
          count: 5,
          byMonth: ["1", "3"],
          byDay: [{ day: "mo" }, { day: "fr", nthOfPeriod: -1 }],
          bySetPosition: [1],
          firstDayOfWeek: "su",
        },
      },
    ],
    [
      "RRULE with an end, in the zone of the event",
      ["RRULE:FREQ=DAILY;UNTIL=20260310T090000Z"],
      { recurrenceRule: { frequency: "daily", until: "2026-03-10T10:00:00" } },
    ],
    [
      "JSPROP",
      ['JSPROP;JSPTR="example.com:x":{"a":[1\\,2]}', 'JSPROP;JSPTR=locale:"de"'],
      { "example.com:x": { a: [1, 2] }, locale: "de" },
    ],
    [
      "what has no word",
      ["COMMENT:a\\,b", "RESOURCES:x,y", "X-A;P=1:\\x"],
      {
        iCalendar: {
          name: "vevent",
          properties: [
            ["comment", {}, "text", "a,b"],
            ["resources", {}, "unknown", "x,y"],
            ["x-a", { p: "1" }, "unknown", "\\x"],
          ],
        },
      },
    ],
  ])("%s", (_, lines, members) => {
    expect(read(eventOf(start, ...lines))).toEqual({ ...time, ...members });
    expect(linesOf(written({ ...time, ...members })).toSorted()).toEqual(
      expect.arrayContaining([start, ...lines].toSorted()),
    );
  });

  test.each<[string, readonly string[], JsonObject]>([
    [
      "an end in another zone",
      [start, "DTEND;TZID=Asia/Tokyo:20260302T200000"],
      { ...time, duration: "PT2H", endTimeZone: "Asia/Tokyo" },
    ],
    [
      "a length over a change of offset, exact",
      ["DTSTART;TZID=Europe/Berlin:20260328T100000", "DTEND;TZID=Europe/Berlin:20260329T100000"],
      { start: "2026-03-28T10:00:00", timeZone: "Europe/Berlin", duration: "PT23H" },
    ],
    [
      "an end at the first of two hours that the clock shows alike",
      ["DTSTART;TZID=Europe/Berlin:20261025T010000", "DTEND;TZID=Europe/Berlin:20261025T023000"],
      { start: "2026-10-25T01:00:00", timeZone: "Europe/Berlin", duration: "PT1H30M" },
    ],
    [
      "an end at the second of them",
      ["DTSTART;TZID=Europe/Berlin:20261025T010000", "DURATION:PT2H30M"],
      { start: "2026-10-25T01:00:00", timeZone: "Europe/Berlin", duration: "PT2H30M" },
    ],
    ["nominal days", [start, "DURATION:P1DT1H"], { ...time, duration: "P1DT1H" }],
    ["UTC", ["DTSTART:20260302T090000Z"], { start: "2026-03-02T09:00:00", timeZone: "Etc/UTC" }],
    ["floating", ["DTSTART:20260302T090000"], { start: "2026-03-02T09:00:00" }],
    [
      "floating, with a length: what the clock that it is read on does meanwhile is not known",
      ["DTSTART:20260302T090000", "DURATION:PT2H"],
      { start: "2026-03-02T09:00:00", duration: "PT2H" },
    ],
    [
      "floating, with an end in a zone",
      ["DTSTART:20260302T090000", "DTEND;TZID=Asia/Tokyo:20260302T200000"],
      { start: "2026-03-02T09:00:00", duration: "PT2H", endTimeZone: "Asia/Tokyo" },
    ],
    [
      "days",
      ["DTSTART;VALUE=DATE:20260302", "DTEND;VALUE=DATE:20260304"],
      { start: "2026-03-02T00:00:00", showWithoutTime: true, duration: "P2D" },
    ],
  ])("time: %s", (_, lines, members) => {
    expect(read(eventOf(...lines))).toEqual(members);
    expect(linesOf(written(members)).filter((line) => /^(?:DT|DURATION)/.test(line))).toEqual(lines);
  });

  test("the zone of an end stays where its clock can't say the end", () => {
    const event = {
      start: "2026-10-24T20:00:00",
      timeZone: "America/New_York",
      duration: "PT1H30M",
      endTimeZone: "Europe/Berlin",
    };
    const calendar = written(event);
    expect(linesOf(calendar)).toContain("DURATION:PT1H30M");
    expect(read(calendar)).toEqual(event);
    const moved = patched(calendar, { start: "2026-10-23T20:00:00" });
    expect(linesOf(moved)).toContain("DTEND;TZID=Europe/Berlin:20261024T033000");
    expect(read(moved)).toEqual({ ...event, start: "2026-10-23T20:00:00" });
    expect(read(patched(moved, { start: event.start }))).toEqual(event);
  });

  test.each<[string, readonly string[], JsonObject]>([
    [
      "DUE",
      ["DUE;TZID=Europe/Berlin:20260302T100000"],
      { due: "2026-03-02T10:00:00", timeZone: "Europe/Berlin" },
    ],
    [
      "DTSTART and DUE as days",
      ["DTSTART;VALUE=DATE:20260302", "DUE;VALUE=DATE:20260304"],
      { start: "2026-03-02T00:00:00", due: "2026-03-04T00:00:00", showWithoutTime: true },
    ],
    [
      "STATUS, COMPLETED, PERCENT-COMPLETE",
      ["STATUS:COMPLETED", "COMPLETED:20260302T100000Z", "PERCENT-COMPLETE:100"],
      { progress: "completed", progressUpdated: "2026-03-02T10:00:00Z", percentComplete: 100 },
    ],
    ["ESTIMATED-DURATION", ["ESTIMATED-DURATION:PT2H"], { estimatedDuration: "PT2H" }],
  ])("a task: %s", (_, lines, members) => {
    expect(read(taskOf(...lines))).toEqual(members);
    expect(
      linesOf(written({ "@type": "Task", ...members })).filter(
        (line) => !/^(?:TZ|BEGIN|END|RRULE)/.test(line),
      ),
    ).toEqual(expect.arrayContaining([...lines]));
  });

  test("LAST-MODIFIED is `updated`, else DTSTAMP", () => {
    expect(readEvent(eventOf(start))!.updated).toBe("2026-01-01T00:00:00Z");
    const both = eventOf(start, "LAST-MODIFIED:20260105T000000Z");
    expect(readEvent(both)!.updated).toBe("2026-01-05T00:00:00Z");
    expect(textOf(patched(both, { updated: "2026-01-06T00:00:00Z" }))).toContain(
      "LAST-MODIFIED:20260106T000000Z",
    );
  });

  test("an alarm has its trigger, and keeps properties that JSCalendar does not have", () => {
    const alarm = [
      "BEGIN:VALARM",
      "TRIGGER;RELATED=END:-PT5M",
      "ACTION:AUDIO",
      "ATTACH;VALUE=URI:ftp://a.example/bell",
      "X-ODD;P=1:x",
      "END:VALARM",
    ];
    const calendar = eventOf(start, ...alarm);
    const [[id, alert]] = Object.entries(readEvent(calendar)!.alerts!) as [[string, JsonObject]];
    expect(alert.trigger).toEqual({ "@type": "OffsetTrigger", offset: "-PT5M", relativeTo: "end" });
    const changed = linesOf(patched(calendar, { [`alerts/${id}/trigger/offset`]: "-PT10M" }));
    expect(changed.slice(1)).toEqual([
      ...alarm.with(1, "TRIGGER;RELATED=END:-PT10M").slice(0, -1),
      `JSID:${id}`,
      "END:VALARM",
    ]);
  });

  test("an absolute alarm, acknowledged", () => {
    const calendar = eventOf(
      start,
      "BEGIN:VALARM",
      "TRIGGER;VALUE=DATE-TIME:20260302T080000Z",
      "ACTION:DISPLAY",
      "DESCRIPTION;DERIVED=TRUE:Reminder",
      "ACKNOWLEDGED:20260302T080100Z",
      "END:VALARM",
    );
    expect(Object.values(readEvent(calendar)!.alerts!)).toEqual([
      {
        trigger: { "@type": "AbsoluteTrigger", when: "2026-03-02T08:00:00Z" },
        acknowledged: "2026-03-02T08:01:00Z",
      },
    ]);
  });
});

describe("participants", () => {
  const calendar = eventOf(
    start,
    "ORGANIZER;CN=Ann:mailto:ann@a.example",
    "ATTENDEE;CN=Bob;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;X-ODD=1:mailto:Bob@b.example",
    'ATTENDEE;CUTYPE=ROOM;PARTSTAT=ACCEPTED;DELEGATED-FROM="mailto:bob@b.example":mailto:r@a.example',
  );
  const event = readEvent(calendar)!;
  const bob = findParticipant(event, ["bob@B.example"])!;

  test("are attendees and the organizer", () => {
    expect(event.organizerCalendarAddress).toBe("mailto:ann@a.example");
    expect(Object.values(event.participants!)).toEqual([
      {
        calendarAddress: "mailto:Bob@b.example",
        name: "Bob",
        roles: { optional: true },
        participationStatus: "needs-action",
        expectReply: true,
      },
      {
        calendarAddress: "mailto:r@a.example",
        kind: "location",
        participationStatus: "accepted",
        delegatedFrom: { [bob]: true },
      },
      { calendarAddress: "mailto:ann@a.example", name: "Ann", roles: { owner: true } },
    ]);
  });

  test("an answer changes the line of the attendee alone and keeps its other parameters", () => {
    const before = linesOf(calendar);
    const after = linesOf(patched(calendar, { [`participants/${bob}/participationStatus`]: "accepted" }));
    expect(after.filter((line) => !before.includes(line))).toEqual([
      "ATTENDEE;ROLE=OPT-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=TRUE;CN=Bob;X-ODD=1:mailto:Bob@b.example",
    ]);
    expect(after).toHaveLength(before.length);
  });

  test("the organizer has no ATTENDEE until there is more to say of them", () => {
    const ann = findParticipant(event, ["ann@a.example"])!;
    expect(linesOf(patched(calendar, { [`participants/${ann}/name`]: "Anna" }))).toContain(
      "ORGANIZER;CN=Anna:mailto:ann@a.example",
    );
    expect(linesOf(patched(calendar, { [`participants/${ann}/participationStatus`]: "accepted" }))).toContain(
      "ATTENDEE;PARTSTAT=ACCEPTED;CN=Ann:mailto:ann@a.example",
    );
  });

  test("are written from plain addresses", () => {
    const lines = linesOf(
      written({
        start: "2026-03-02T10:00:00",
        participants: ["bob@b.example"],
        organizerCalendarAddress: "ann@a.example",
      }),
    );
    expect(lines).toEqual(
      expect.arrayContaining(["ATTENDEE:mailto:bob@b.example", "ORGANIZER:mailto:ann@a.example"]),
    );
  });
});

describe("time zones", () => {
  test("names of Windows and of paths are read as IANA names, and stay in the text", () => {
    const calendar = eventOf(
      "DTSTART;TZID=W. Europe Standard Time:20260302T100000",
      "DTEND;TZID=W. Europe Standard Time:20260302T110000",
    );
    expect(read(calendar)).toEqual({
      start: "2026-03-02T10:00:00",
      timeZone: "Europe/Berlin",
      duration: "PT1H",
    });
    expect(linesOf(patched(calendar, { start: "2026-03-03T10:00:00" }))).toEqual([
      "DTSTART;TZID=W. Europe Standard Time:20260303T100000",
      "DTEND;TZID=W. Europe Standard Time:20260303T110000",
    ]);
  });

  test("a zone that only its VTIMEZONE defines is in timeZones", () => {
    const text = textOf(eventOf("DTSTART;TZID=Odd:20260302T100000"));
    const zone =
      "BEGIN:VTIMEZONE\r\nTZID:Odd\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0130\r\nTZOFFSETTO:+0130\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
    const calendar = parsed(text.replace("BEGIN:VEVENT", `${zone}BEGIN:VEVENT`));
    const event = readEvent(calendar)!;
    expect(event.timeZone).toBe("/Odd");
    expect(event.timeZones).toEqual({
      "/Odd": {
        "@type": "TimeZone",
        tzId: "Odd",
        standard: [
          { "@type": "TimeZoneRule", start: "1970-01-01T00:00:00", offsetFrom: "+0130", offsetTo: "+0130" },
        ],
        daylight: [],
      },
    });
    expect(textOf(patched(calendar, { start: "2026-03-03T10:00:00" }))).toContain(
      "DTSTART;TZID=Odd:20260303T100000",
    );
    expect(refusalOf(() => patchEvent(event, { timeZone: "/Other" }))[0]).toBe("/timeZone");
  });

  test("a new zone brings its VTIMEZONE", () => {
    const text = textOf(written({ start: "2026-03-02T10:00:00", timeZone: "Europe/Berlin" }));
    expect(text).toContain("BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n");
  });
});

describe("a series", () => {
  const series = parsed(
    [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//T//T//EN",
      "BEGIN:VEVENT",
      "UID:u1",
      "DTSTAMP:20260101T000000Z",
      "SUMMARY:Daily",
      start,
      "DTEND;TZID=Europe/Berlin:20260302T110000",
      "RRULE:FREQ=DAILY;COUNT=10",
      "EXDATE;TZID=Europe/Berlin:20260303T100000,20260304T100000",
      "RDATE;TZID=Europe/Berlin:20260401T100000",
      "X-KEPT:1",
      "END:VEVENT",
      "BEGIN:VEVENT",
      "UID:u1",
      "DTSTAMP:20260101T000000Z",
      "RECURRENCE-ID:20260305T090000Z",
      "SUMMARY:Daily, later",
      "DTSTART;TZID=Europe/Berlin:20260305T120000",
      "DTEND;TZID=Europe/Berlin:20260305T130000",
      "X-KEPT:1",
      "END:VEVENT",
      "END:VCALENDAR",
      "",
    ].join("\r\n"),
  );
  const overrides = {
    "2026-03-03T10:00:00": { excluded: true },
    "2026-03-04T10:00:00": { excluded: true },
    "2026-03-05T10:00:00": { title: "Daily, later", start: "2026-03-05T12:00:00" },
    "2026-04-01T10:00:00": {},
  };

  test("has its changed instances as patches", () => {
    expect(readEvent(series)!.recurrenceOverrides).toEqual(overrides);
  });

  test("an instance that is included again keeps the other exceptions in their line", () => {
    const lines = linesOf(patched(series, { "recurrenceOverrides/2026-03-04T10:00:00": null }));
    expect(lines).toContain("EXDATE;TZID=Europe/Berlin:20260303T100000");
    expect(lines).toHaveLength(linesOf(series).length);
  });

  test("an instance that changes is a whole copy of the series", () => {
    const changed = patched(series, {
      "recurrenceOverrides/2026-03-06T10:00:00": { locations: { main: { name: "Room 5" } } },
    });
    expect(linesOf(changed).slice(-6)).toEqual([
      "RECURRENCE-ID;TZID=Europe/Berlin:20260306T100000",
      "SUMMARY:Daily",
      "DTSTART;TZID=Europe/Berlin:20260306T100000",
      "DTEND;TZID=Europe/Berlin:20260306T110000",
      "X-KEPT:1",
      "LOCATION:Room 5",
    ]);
    expect(readEvent(changed)!.recurrenceOverrides).toMatchObject({
      "2026-03-06T10:00:00": { locations: { main: { name: "Room 5" } } },
    });
  });

  test("a new title of the series applies to instances without their own title", () => {
    const other = patched(series, { "recurrenceOverrides/2026-03-06T10:00:00": { priority: 1 } });
    const titles = linesOf(patched(other, { title: "Weekly" })).filter((line) => line.startsWith("SUMMARY"));
    expect(titles).toEqual(["SUMMARY:Weekly", "SUMMARY:Daily, later", "SUMMARY:Weekly"]);
  });

  test("an instance outside of the rule is an RDATE, changed or not", () => {
    const added = patched(series, {
      "recurrenceOverrides/2026-05-01T10:00:00": {},
      "recurrenceOverrides/2026-06-01T10:00:00": { title: "Extra" },
      "recurrenceOverrides/2026-03-07T10:00:00": { title: "In the rule" },
    });
    expect(linesOf(added)).toContain("RDATE;TZID=Europe/Berlin:20260501T100000,20260601T100000");
  });

  test("one instance without its series has its recurrence id", () => {
    const single = eventOf("RECURRENCE-ID;TZID=Europe/Berlin:20260302T090000", start);
    expect(read(single)).toMatchObject({
      recurrenceId: "2026-03-02T09:00:00",
      recurrenceIdTimeZone: "Europe/Berlin",
    });
    expect(textOf(patched(single, { title: "x" }))).toContain(
      "RECURRENCE-ID;TZID=Europe/Berlin:20260302T090000",
    );
  });
});

describe("what a caller writes", () => {
  const base = { start: "2026-03-02T10:00:00" };
  test.each<[JsonObject, string, string?]>([
    [{}, "/start", "A local time: 2026-01-31T12:00:00."],
    [{ start: "2026-02-30T10:00:00" }, "/start"],
    [{ start: "2026-03-02 10:00" }, "/start"],
    [{ ...base, timeZone: "Berlin" }, "/timeZone"],
    [{ ...base, titel: "x" }, "/titel"],
    [{ ...base, recurrenceRules: [] }, "/recurrenceRules", "JSCalendar 2.0 has one rule: `recurrenceRule`."],
    [{ ...base, showWithoutTime: true }, "/start", "With showWithoutTime the time is T00:00:00."],
    [
      { ...base, participants: { a: { calendarAddress: "a@b.example", sendTo: {} } } },
      "/participants/a/sendTo",
      'The address of a participant is `calendarAddress`: "mailto:ann@example.com".',
    ],
    [{ ...base, participants: { "a b": { calendarAddress: "a@b.example" } } }, "/participants/a b"],
    [{ ...base, recurrenceRule: { frequency: "daily", byHour: [24] } }, "/recurrenceRule/byHour/0"],
    [{ ...base, recurrenceOverrides: { "2026-03-03": {} } }, "/recurrenceOverrides/2026-03-03"],
    [
      { ...base, recurrenceOverrides: { "2026-03-03T10:00:00": { titel: 1 } } },
      "/recurrenceOverrides/2026-03-03T10:00:00/titel",
    ],
    [
      { ...base, recurrenceOverrides: { "2026-03-03T10:00:00": { uid: "x" } } },
      "/recurrenceOverrides/2026-03-03T10:00:00/uid",
    ],
    [{ ...base, iCalendar: { properties: [["begin", {}, "text", "VALARM"]] } }, "/iCalendar/properties/0/0"],
    [{ ...base, method: "request" }, "/method"],
    [{ ...base, duration: "1h" }, "/duration"],
    [{ ...base, alerts: ["soon"] }, "/alerts/0"],
  ])("%j is refused at %s", (body, field, hint) => {
    const [at, said] = refusalOf(() => writeEvent(acceptEvent(body, "u"), 0));
    expect(at).toMatch(new RegExp(`^${field.replaceAll(/[.$]/g, "\\$&")}`));
    if (hint !== undefined) expect(said).toBe(hint);
  });

  test("different forms of the same content are stored in one form", () => {
    expect(
      acceptEvent(
        {
          start: "2026-03-02T00:00:00",
          timeZone: null,
          showWithoutTime: true,
          keywords: ["a"],
          alerts: ["-PT15M"],
          locations: [],
          recurrenceRule: { frequency: "daily", interval: 1, byMonth: ["2", "1"], firstDayOfWeek: "mo" },
        },
        "u",
      ),
    ).toEqual({
      "@type": "Event",
      uid: "u",
      start: "2026-03-02T00:00:00",
      showWithoutTime: true,
      duration: "P1D",
      keywords: { a: true },
      alerts: {
        [Object.keys(acceptEvent({ ...base, alerts: ["-PT15M"] }, "u").alerts!)[0]!]: {
          trigger: { "@type": "OffsetTrigger", offset: "-PT15M" },
        },
      },
      recurrenceRule: { frequency: "daily", byMonth: ["1", "2"] },
    });
  });

  test("a patch is refused at a path that does not exist or overlaps another", () => {
    const event = acceptEvent({ ...base, title: "a" }, "u");
    expect(refusalOf(() => patchEvent(event, { "title/x": 1 }))[0]).toBe("/title/x");
    expect(refusalOf(() => patchEvent(event, { locations: {}, "locations/a": { name: "b" } }))[0]).toBe(
      "/locations/a",
    );
    expect(refusalOf(() => patchEvent(event, { uid: "v" }))[0]).toBe("/uid");
    expect(patchEvent(event, { "/title": null })).toEqual({ "@type": "Event", uid: "u", ...base });
  });

  test("a property that JSCalendar defines is refused in the member for iCalendar", () => {
    const event = acceptEvent({ ...base, iCalendar: { properties: [["summary", {}, "text", "x"]] } }, "u");
    expect(refusalOf(() => writeEvent(event, 0))[0]).toBe("/iCalendar");
  });

  test("members without a line in iCalendar are kept in JSPROP", () => {
    const body = {
      ...base,
      useDefaultAlerts: true,
      "example.com:x": { y: [1] },
      locations: { b: { name: "B", "example.com:floor": 3 }, a: { name: "A", locationTypes: { bar: true } } },
    };
    const event = readEvent(written(body))!;
    expect(event).toMatchObject(body);
  });
});

describe("work", () => {
  test("overrides of a large series are refused before they are copied", () => {
    const participants = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`p${at}`, { calendarAddress: `mailto:p${at}@a.example` }]),
    );
    const recurrenceOverrides = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [
        new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 19),
        { title: "x" },
      ]),
    );
    const body = { start: "2026-01-01T00:00:00", participants, recurrenceOverrides };
    expect(refusalOf(() => acceptEvent(body, "u"))[0]).toBe("/recurrenceOverrides");
  });
});
