/** What reads calendar objects on the main thread asks `needsRules` first: where it says no, no rule may be evaluated. */
import { afterEach, expect, test } from "vitest";
import { busyOfItem } from "#/src/collections/busy-item.ts";
import { doEventJob } from "#/src/collections/events/event-jobs.ts";
import { needsRules } from "#/src/formats/icalendar/needs-rules.ts";
import { listenToReaders } from "#/src/model/foreign-text.ts";
import { runJob } from "#/src/scheduling/jobs.ts";

afterEach(() => listenToReaders(undefined));

const zone = (lines: readonly string[], end = "END:VTIMEZONE") => [
  "BEGIN:VTIMEZONE",
  ...lines,
  "BEGIN:STANDARD",
  "DTSTART:19701025T030000",
  "TZOFFSETFROM:+0200",
  "TZOFFSETTO:+0100",
  "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
  "END:STANDARD",
  end,
];
const event = (name: string, ...more: readonly string[]) => [
  "BEGIN:VEVENT",
  "UID:1",
  "DTSTAMP:20260101T000000Z",
  `DTSTART;TZID=${name}:20260302T100000`,
  "DURATION:PT1H",
  "ORGANIZER:mailto:a@x.test",
  "ATTENDEE;PARTSTAT=ACCEPTED:mailto:me@x.test",
  ...more,
  "END:VEVENT",
];
const berlin = "Europe/Berlin";

const objects: readonly (readonly [string, readonly string[], boolean])[] = [
  ["one time", event(berlin), false],
  ["a rule", event(berlin, "RRULE:FREQ=DAILY;COUNT=5"), true],
  ["a rule in small letters", event(berlin, "rrule:FREQ=DAILY;COUNT=5"), true],
  ["a rule with a group", event(berlin, "A.RRULE:FREQ=DAILY;COUNT=5"), true],
  ["a folded rule", event(berlin, "RRU\r\n LE:FREQ=DAILY;COUNT=5"), true],
  ["a rule with a parameter", event(berlin, "RRULE;X=1:FREQ=DAILY;COUNT=5"), true],
  ["a date", event(berlin, "RDATE;VALUE=DATE:20260303"), true],
  ["a zone with a known name", [...zone([`TZID:${berlin}`]), ...event(berlin)], false],
  [
    "a zone of Windows",
    [...zone(["TZID:W. Europe Standard Time"]), ...event("W. Europe Standard Time")],
    false,
  ],
  ["a zone with a name of its own", [...zone(["TZID:Mine"]), ...event("Mine")], true],
  ["a zone with two names", [...zone([`TZID:${berlin}`, "TZID:Mine"]), ...event("Mine")], true],
  ["a zone with a name in a group", [...zone(["A.TZID:Mine", `TZID:${berlin}`]), ...event("Mine")], true],
  [
    "a zone whose known name stands in a soft line",
    [...zone(["X;ENCODING=QUOTED-PRINTABLE:=", `TZID:${berlin}`]), ...event("")],
    true,
  ],
  ["a zone without a name", [...zone([]), ...event("")], true],
  [
    "a rule after a zone that ends otherwise",
    [...zone([`TZID:${berlin}`], "END;X=1:VTIMEZONE"), ...event(berlin, "RRULE:FREQ=DAILY")],
    true,
  ],
  [
    "a rule after a zone that ends with a space",
    [...zone([`TZID:${berlin}`], "END: VTIMEZONE"), ...event(berlin, "RRULE:FREQ=DAILY")],
    true,
  ],
  [
    "a rule after a zone without an end",
    [...zone([`TZID:${berlin}`], "END:VCALENDAR"), "BEGIN:VCALENDAR", ...event(berlin, "RRULE:FREQ=DAILY")],
    true,
  ],
  ["a rule in an event within a zone", zone([`TZID:${berlin}`, ...event(berlin, "RRULE:FREQ=DAILY")]), true],
  [
    "a second zone within the first",
    [...zone([`TZID:${berlin}`, "BEGIN:VTIMEZONE"]), ...event(berlin, "RRULE:FREQ=DAILY")],
    true,
  ],
];

test.each(objects)("%s", (_, lines, expected) => {
  const bytes = Buffer.from(["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n"));
  expect(needsRules(bytes)).toBe(expected);
  if (expected) return;
  const heard: string[] = [];
  listenToReaders((reader, length) => {
    if (!Number.isFinite(length)) heard.push(reader);
  });
  const at = Date.UTC(2026, 2);
  const [stored, id] = [{ bytes, zone: undefined }, "ev_1"];
  for (const render of ["text", "json", "ical", "agenda"] as const)
    doEventJob({ action: "describe", job: { ...stored, id, render, instance: "2026-03-02T10:00:00", at } });
  doEventJob({ action: "list", job: stored });
  doEventJob({ action: "instances", job: { ...stored, sinceMs: at, beforeMs: at + 366 * 24 * 3_600_000 } });
  doEventJob({
    action: "change",
    job: {
      ...stored,
      id,
      at,
      addresses: ["me@x.test"],
      instance: undefined,
      change: { patch: { title: "x" } },
    },
  });
  busyOfItem({
    bytes,
    component: "VEVENT",
    range: { startMs: at, endMs: at + 1e9 },
    timeZone: undefined,
  } as never);
  runJob({
    kind: "decide",
    old: undefined,
    now: bytes,
    who: [],
    nowMs: at,
    isMerging: false,
    answersProposals: false,
    isTelling: true,
  });
  expect(heard).toEqual([]);
});
