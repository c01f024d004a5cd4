/** What arriving scheduling messages change in the calendar of their recipient, and what they leave unchanged. */
import { describe, expect, test } from "vitest";
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import { attendeeCommentMax, messageInstancesMax } from "#/src/model/limits.ts";
import { applyMessage, readMessage } from "#/src/scheduling/arriving/apply.ts";
import { addressesOf, calendar, event, shortComponents, textOf } from "./objects.ts";

const weekly = "RRULE:FREQ=WEEKLY\n";
const third = "20261019T100000Z";
const at = (lines = "") => `RECURRENCE-ID:${third}\nDTSTART:${third}\nDTEND:20261019T110000Z\n${lines}`;

function message(method: string, ...events: string[]): Component {
  return calendar(`METHOD:${method}\n`, ...events);
}

function apply(who: string, from: string, stored: Component | undefined, sent: Component) {
  const read = readMessage(sent);
  if (read === undefined) return "unreadable";
  const senders = addressesOf(from);
  return applyMessage({ stored, message: read, who: addressesOf(who), from: (one) => senders.has(one) });
}

function short(...given: Parameters<typeof apply>): readonly string[] | string {
  const applied = apply(...given);
  if (typeof applied === "string") return applied;
  if (applied.outcome === "ignored") return applied.reason;
  return applied.outcome === "told" ? "told" : shortComponents(applied.calendar);
}

type Case = readonly [
  what: string,
  stored: Component | undefined,
  sent: Component,
  after: readonly string[] | string,
];

test("a message does not replace an object with its UID that is no event", () => {
  const stored = calendar(
    "",
    "BEGIN:VAVAILABILITY\nUID:u\nDTSTAMP:20260101T000000Z\nBEGIN:AVAILABLE\nUID:v\nDTSTAMP:20260101T000000Z\nDTSTART:20260101T090000Z\nEND:AVAILABLE\nEND:VAVAILABILITY\n",
  );
  expect(short("bob", "ann", stored, message("REQUEST", event("ann* bob")))).toBe("malformed");
});

describe("to an attendee", () => {
  const invited = (answer: string, lines = "") => event(`ann* ann=ACCEPTED bob=${answer}`, lines);
  const cases: readonly Case[] = [
    [
      "REQUEST brings a new event",
      undefined,
      message("REQUEST", event("ann* bob")),
      ["series - bob=NEEDS-ACTION"],
    ],
    [
      "REQUEST of one instance brings this instance",
      undefined,
      message("REQUEST", event("ann* bob", at())),
      [`${third} - bob=NEEDS-ACTION`],
    ],
    ["REQUEST to others brings nothing", undefined, message("REQUEST", event("ann* cy")), "not_invited"],
    [
      "REQUEST with the same SEQUENCE keeps the answer",
      calendar(invited("ACCEPTED")),
      message("REQUEST", invited("NEEDS-ACTION", "SUMMARY:New")),
      ["series - ann=ACCEPTED bob=ACCEPTED"],
    ],
    [
      "REQUEST with a higher SEQUENCE asks again",
      calendar(invited("ACCEPTED")),
      message("REQUEST", invited("NEEDS-ACTION", "SEQUENCE:1")),
      ["series 1 ann=ACCEPTED bob=NEEDS-ACTION"],
    ],
    [
      "REQUEST with a lower SEQUENCE is ignored",
      calendar(invited("ACCEPTED", "SEQUENCE:2")),
      message("REQUEST", invited("NEEDS-ACTION", "SEQUENCE:1\nDTSTAMP:20270101T000000Z")),
      "stale",
    ],
    [
      "REQUEST with an older DTSTAMP is ignored",
      calendar(invited("ACCEPTED")),
      message("REQUEST", invited("NEEDS-ACTION", "DTSTAMP:20260831T000000Z")),
      "stale",
    ],
    [
      "REQUEST of an instance changes this instance",
      calendar(invited("ACCEPTED", weekly)),
      message("REQUEST", invited("NEEDS-ACTION", at("SEQUENCE:1"))),
      ["series - ann=ACCEPTED bob=ACCEPTED", `${third} 1 ann=ACCEPTED bob=NEEDS-ACTION`],
    ],
    [
      "REQUEST of an excluded instance brings it back",
      calendar(invited("ACCEPTED", `${weekly}EXDATE:20261012T100000Z,${third}`)),
      message("REQUEST", invited("NEEDS-ACTION", at("SEQUENCE:1"))),
      ["series - ann=ACCEPTED bob=ACCEPTED -20261012T100000Z", `${third} 1 ann=ACCEPTED bob=NEEDS-ACTION`],
    ],
    [
      "REQUEST of the series replaces changed instances",
      calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at())),
      message("REQUEST", invited("NEEDS-ACTION", `${weekly}SEQUENCE:1`)),
      ["series 1 ann=ACCEPTED bob=NEEDS-ACTION"],
    ],
    [
      "REQUEST of another organizer with the same UID is ignored",
      calendar(event("cy* bob")),
      message("REQUEST", event("ann* bob", "SEQUENCE:9")),
      "other_organizer",
    ],
    [
      "REQUEST with the UID of an own event is ignored",
      calendar(event("")),
      message("REQUEST", event("ann* bob", "SEQUENCE:9")),
      "other_organizer",
    ],
    [
      "CANCEL leaves the event, cancelled",
      calendar(invited("ACCEPTED")),
      message("CANCEL", invited("ACCEPTED", "SEQUENCE:1")),
      ["series 1 ann=ACCEPTED bob=ACCEPTED"],
    ],
    [
      "CANCEL with a lower SEQUENCE is ignored",
      calendar(invited("ACCEPTED", "SEQUENCE:2")),
      message("CANCEL", invited("ACCEPTED", "SEQUENCE:1")),
      "stale",
    ],
    ["CANCEL of what is not there is ignored", undefined, message("CANCEL", invited("ACCEPTED")), "unknown"],
    [
      "CANCEL for others is ignored",
      calendar(invited("ACCEPTED")),
      message("CANCEL", event("ann* cy", "SEQUENCE:1")),
      "not_invited",
    ],
    [
      "CANCEL that names nobody is for everybody",
      calendar(invited("ACCEPTED")),
      message("CANCEL", event("ann*", "SEQUENCE:1")),
      ["series 1 ann=ACCEPTED bob=ACCEPTED"],
    ],
    [
      "CANCEL of an instance leaves it as an override",
      calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at())),
      message("CANCEL", invited("ACCEPTED", at("SEQUENCE:1"))),
      ["series - ann=ACCEPTED bob=ACCEPTED", `${third} 1 ann=ACCEPTED bob=ACCEPTED`],
    ],
    [
      "CANCEL of an instance that was as the series makes the override",
      calendar(invited("ACCEPTED", weekly)),
      message("CANCEL", invited("ACCEPTED", at("SEQUENCE:1"))),
      ["series - ann=ACCEPTED bob=ACCEPTED", `${third} 1 ann=ACCEPTED bob=ACCEPTED`],
    ],
    [
      "CANCEL of an instance that the attendee has deleted is ignored",
      calendar(invited("ACCEPTED", `${weekly}EXDATE:${third}`)),
      message("CANCEL", invited("ACCEPTED", at("SEQUENCE:1"))),
      "stale",
    ],
    [
      "CANCEL of an instance that the series does not have is ignored",
      calendar(invited("ACCEPTED", weekly)),
      message("CANCEL", invited("ACCEPTED", at("SEQUENCE:1").replaceAll("1019", "1020"))),
      "stale",
    ],
    [
      "CANCEL of an instance that came alone leaves it, cancelled",
      calendar(invited("ACCEPTED", at())),
      message("CANCEL", invited("ACCEPTED", at("SEQUENCE:1"))),
      [`${third} 1 ann=ACCEPTED bob=ACCEPTED`],
    ],
    [
      "ADD brings one more instance",
      calendar(invited("ACCEPTED", weekly)),
      message("ADD", event("ann* bob", "SEQUENCE:1\nDTSTART:20261021T100000Z\nDTEND:20261021T110000Z")),
      ["series - ann=ACCEPTED bob=ACCEPTED", "20261021T100000Z 1 bob=NEEDS-ACTION"],
    ],
    [
      "ADD to what is not there is ignored",
      undefined,
      message("ADD", event("ann* bob", "SEQUENCE:1")),
      "unknown",
    ],
    [
      "ADD of an instance that is there is ignored",
      calendar(invited("ACCEPTED", weekly)),
      message("ADD", event("ann* bob", `SEQUENCE:1\nDTSTART:${third}\nDTEND:20261019T110000Z`)),
      "stale",
    ],
    [
      "DECLINECOUNTER changes nothing",
      calendar(invited("TENTATIVE")),
      message("DECLINECOUNTER", event("ann* bob")),
      "told",
    ],
    ["PUBLISH changes nothing", undefined, message("PUBLISH", event("ann*")), "not_invited"],
    [
      "REPLY changes nothing",
      calendar(invited("ACCEPTED")),
      message("REPLY", event("ann* ann=DECLINED")),
      "unknown",
    ],
  ];
  for (const [what, stored, sent, after] of cases)
    test(what, () => expect(short("bob", "ann", stored, sent)).toEqual(after));

  test.each(["REQUEST", "CANCEL", "ADD", "DECLINECOUNTER"])(
    "%s that is not from the organizer is ignored",
    (method) => {
      const stored = calendar(invited("ACCEPTED", weekly));
      expect(short("bob", "mallory", stored, message(method, invited("ACCEPTED", "SEQUENCE:9")))).toBe(
        "other_sender",
      );
    },
  );

  test("REQUEST keeps the attendee's alarms, categories and TRANSP", () => {
    const own =
      "TRANSP:TRANSPARENT\nCATEGORIES:Mine\nX-MOZ-LASTACK:20260901T000000Z\nBEGIN:VALARM\nACTION:AUDIO\nTRIGGER:-PT5M\nEND:VALARM\n";
    const theirs = "SEQUENCE:1\nTRANSP:OPAQUE\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT9M\nEND:VALARM\n";
    const applied = apply(
      "bob",
      "ann",
      calendar(invited("ACCEPTED", own)),
      message("REQUEST", invited("NEEDS-ACTION", theirs)),
    );
    const text = textOf((applied as { calendar: Component }).calendar);
    for (const kept of ["TRANSP:TRANSPARENT", "CATEGORIES:Mine", "X-MOZ-LASTACK", "TRIGGER:-PT5M"])
      expect(text).toContain(kept);
    expect(text).not.toMatch(/PT9M|OPAQUE|METHOD/);
  });

  test("REQUEST of the series keeps an alarm that the attendee set for one instance", () => {
    const alarm = "BEGIN:VALARM\nACTION:AUDIO\nTRIGGER:-PT5M\nEND:VALARM\n";
    const stored = calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at(alarm)));
    const changed = (lines: string) => {
      const applied = apply("bob", "ann", stored, message("REQUEST", invited("NEEDS-ACTION", lines)));
      return textOf((applied as { calendar: Component }).calendar).split("BEGIN:VEVENT");
    };
    const [, series, instance] = changed(`${weekly}SUMMARY:New\n`);
    expect(series).not.toContain("VALARM");
    expect(instance).toMatch(/RECURRENCE-ID:20261019T100000Z\r?\n/);
    expect(instance).toContain("TRIGGER:-PT5M");
    expect(instance).toContain("SUMMARY:New");
    expect(instance).not.toContain("RRULE");
    // Of an instance that the series no longer has nothing is kept.
    expect(changed("RRULE:FREQ=WEEKLY;COUNT=2\n")).toHaveLength(2);
    expect(changed(`${weekly}EXDATE:${third}\n`)).toHaveLength(2);
  });

  test("a message that arrives twice changes nothing the second time", () => {
    const sent = message("REQUEST", invited("NEEDS-ACTION", "SEQUENCE:1"));
    const once = apply("bob", "ann", calendar(invited("ACCEPTED")), sent) as { calendar: Component };
    const twice = apply("bob", "ann", once.calendar, sent) as { calendar: Component };
    expect(textOf(twice.calendar)).toBe(textOf(once.calendar));
  });
});

describe("to an organizer", () => {
  const own = (people: string, lines = "") => event(`ann* ${people}`, lines);
  const reply = (people: string, lines = "") => message("REPLY", event(`ann* ${people}`, lines));
  const cases: readonly Case[] = [
    [
      "REPLY changes the answer of whom it is from",
      calendar(own("bob cy")),
      reply("bob=ACCEPTED"),
      ["series - bob=ACCEPTED cy=NEEDS-ACTION"],
    ],
    [
      "REPLY changes no other answer",
      calendar(own("bob cy")),
      reply("bob=ACCEPTED cy=DECLINED"),
      ["series - bob=ACCEPTED cy=NEEDS-ACTION"],
    ],
    [
      "REPLY changes no time and no title",
      calendar(own("bob")),
      reply(
        "bob=ACCEPTED",
        "SUMMARY:Evil\nDTSTART:20270101T000000Z\nDTEND:20270101T010000Z\nRRULE:FREQ=SECONDLY",
      ),
      ["series - bob=ACCEPTED"],
    ],
    [
      "REPLY to an older SEQUENCE is ignored",
      calendar(own("bob", "SEQUENCE:2")),
      reply("bob=ACCEPTED", "SEQUENCE:1"),
      "stale",
    ],
    [
      "REPLY older than the last is ignored",
      calendar(own("bob=DECLINED;X-WAYPOST-REPLIED=20260902T000000Z")),
      reply("bob=ACCEPTED"),
      "stale",
    ],
    ["REPLY of one who was not asked is ignored", calendar(own("cy")), reply("bob=ACCEPTED"), "not_attendee"],
    ["REPLY to nothing is ignored", undefined, reply("bob=ACCEPTED"), "unknown"],
    [
      "REPLY for an instance changes this instance",
      calendar(own("bob=ACCEPTED cy", weekly)),
      reply("bob=DECLINED", at()),
      ["series - bob=ACCEPTED cy=NEEDS-ACTION", `${third} - bob=DECLINED cy=NEEDS-ACTION`],
    ],
    [
      "REPLY for an instance that is not there is ignored",
      calendar(own("bob", weekly)),
      reply("bob=DECLINED", at().replaceAll("1019", "1020")),
      "unknown",
    ],
    [
      "REPLY for an excluded instance is ignored",
      calendar(own("bob", `${weekly}EXDATE:${third}`)),
      reply("bob=ACCEPTED", at()),
      "unknown",
    ],
    [
      "REPLY that delegates brings the delegate, who has not answered",
      calendar(own("bob")),
      reply('bob=DELEGATED;DELEGATED-TO="mailto:eve@x.example" eve=ACCEPTED'),
      ["series - bob=DELEGATED eve=NEEDS-ACTION"],
    ],
    [
      "REPLY of a delegate by another is ignored",
      calendar(own('bob=DELEGATED;DELEGATED-TO="mailto:eve@x.example" cy')),
      reply('eve=ACCEPTED;DELEGATED-FROM="mailto:bob@x.example"'),
      "other_sender",
    ],
    [
      "COUNTER changes neither the event nor the answer",
      calendar(own("bob")),
      message("COUNTER", event("ann* bob=TENTATIVE", "DTEND:20261005T120000Z")),
      ["series - bob=NEEDS-ACTION"],
    ],
    [
      "COUNTER of one who was not asked is ignored",
      calendar(own("cy")),
      message("COUNTER", event("ann* bob", "DTEND:20261005T120000Z")),
      "not_attendee",
    ],
    [
      "COUNTER of an older version is ignored",
      calendar(event("ann* bob", "SEQUENCE:2")),
      message("COUNTER", event("ann* bob", "SEQUENCE:1\nDTEND:20261005T120000Z")),
      "stale",
    ],
    [
      "COUNTER of an instance that is none is ignored",
      calendar(event("ann* bob", "RRULE:FREQ=WEEKLY")),
      message("COUNTER", event("ann* bob", "RECURRENCE-ID:20261006T100000Z\nDTSTART:20261006T120000Z")),
      "unknown",
    ],
    ["REFRESH changes nothing", calendar(own("bob")), message("REFRESH", event("ann* bob")), "told"],
    [
      "REFRESH of one who was not asked is ignored",
      calendar(own("cy")),
      message("REFRESH", event("ann* bob")),
      "not_attendee",
    ],
    [
      "REQUEST to the own event is ignored",
      calendar(own("ann bob")),
      message("REQUEST", event("ann* ann", "SEQUENCE:9")),
      "other_sender",
    ],
  ];
  for (const [what, stored, sent, after] of cases)
    test(what, () => expect(short("ann", "bob", stored, sent)).toEqual(after));

  test("REPLY of a delegate is accepted after that of the delegator", () => {
    const stored = calendar(own('bob=DELEGATED;DELEGATED-TO="mailto:eve@x.example"'));
    const sent = reply('eve=ACCEPTED;DELEGATED-FROM="mailto:bob@x.example"');
    expect(short("ann", "eve", stored, sent)).toEqual(["series - bob=DELEGATED eve=ACCEPTED"]);
  });

  test("REPLY from another address than the attendee's is refused", () => {
    expect(short("ann", "mallory", calendar(own("bob")), reply("bob=ACCEPTED"))).toBe("other_sender");
  });

  test("REPLY stores its comment, up to a limit, and its time", () => {
    const sent = reply("bob=DECLINED", `COMMENT:Sorry\\, ${"x".repeat(attendeeCommentMax)}`);
    const applied = apply("ann", "bob", calendar(own("bob;RSVP=TRUE")), sent) as { calendar: Component };
    const text = textOf(applied.calendar).replaceAll("\n ", "");
    expect(text).toContain(
      "ATTENDEE;PARTSTAT=DECLINED;SCHEDULE-STATUS=2.0;X-WAYPOST-REPLIED=20260901T000000Z:",
    );
    const comment = /X-CALENDARSERVER-ATTENDEE-COMMENT;.*:Sorry\\, (x+)\n/.exec(text);
    expect(comment![1]!.length).toBe(attendeeCommentMax - "Sorry, ".length);
  });

  test("everything but the answer stays octet for octet", () => {
    const stored = calendar(own("bob cy", 'X-Odd-Name;p="a:b":kept\\;as it is\nDESCRIPTION:one\n  two\n'));
    const applied = apply("ann", "bob", stored, reply("bob=ACCEPTED")) as { calendar: Component };
    const without = (tree: Component) =>
      textOf(tree)
        .replaceAll("\n ", "")
        .replace(/ATTENDEE.*bob.*\n/, "");
    expect(without(applied.calendar)).toBe(without(stored));
  });
});

describe("a message", () => {
  test("without a known method, an organizer or one UID is not read", () => {
    expect(readMessage(calendar(event("ann* bob")))).toBeUndefined();
    expect(readMessage(message("EXPLODE", event("ann* bob")))).toBeUndefined();
    expect(readMessage(message("REQUEST", event("bob")))).toBeUndefined();
    expect(readMessage(message("REQUEST", event("ann* bob"), event("ann* bob", "UID:u2")))).toBeUndefined();
  });

  test("with too many instances is not read", () => {
    const events = Array.from({ length: messageInstancesMax + 1 }, (_, day) =>
      event(
        "ann* bob",
        `RECURRENCE-ID:2026${String(101 + (day % 28) + 100 * Math.floor(day / 28)).padStart(4, "0")}T100000Z`,
      ),
    );
    expect(readMessage(message("REQUEST", ...events))).toBeUndefined();
    expect(readMessage(message("REQUEST", ...events.slice(1)))).toBeDefined();
  });
});
