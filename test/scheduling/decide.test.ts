/** For each change by an organizer or an attendee: the messages, their recipients, and what is stored. */
import { describe, expect, test } from "vitest";
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import { attendeesOfInstanceMax } from "#/src/model/limits.ts";
import { type Decision, decide } from "#/src/scheduling/decisions/decide.ts";
import { addressesOf, calendar, decideFor, event, nowMs, textOf } from "./objects.ts";

const weekly = "RRULE:FREQ=WEEKLY\n";
const third = "20261019T100000Z";
const at = (lines = "") => `RECURRENCE-ID:${third}\nDTSTART:${third}\nDTEND:20261019T110000Z\n${lines}`;
const pair = "ann* ann=ACCEPTED bob";
const trio = "ann* ann=ACCEPTED bob cy";

type Case = readonly [
  what: string,
  old: Component | undefined,
  now: Component | undefined,
  messages: readonly string[],
  stored?: readonly string[],
];

describe("an organizer", () => {
  const cases: readonly Case[] = [
    [
      "who creates an event invites each attendee, not itself",
      undefined,
      calendar(event(trio)),
      [
        "REQUEST bob: series - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION",
        "REQUEST cy: series - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION",
      ],
    ],
    [
      "cannot say that somebody new has accepted",
      undefined,
      calendar(event("ann* ann=ACCEPTED bob=ACCEPTED")),
      ["REQUEST bob: series - ann=ACCEPTED bob=NEEDS-ACTION"],
      ["series - ann=ACCEPTED bob=NEEDS-ACTION"],
    ],
    [
      "who sets STATUS:CANCELLED cancels for everybody",
      calendar(event(pair, "SEQUENCE:1")),
      calendar(event(pair, "SEQUENCE:1\nSTATUS:CANCELLED\nSUMMARY:Other")),
      ["CANCEL bob: series 2 bob=NEEDS-ACTION"],
    ],
    [
      "who changes or deletes what is cancelled says nothing more",
      calendar(event(pair, "SEQUENCE:1\nSTATUS:CANCELLED")),
      undefined,
      [],
    ],
    [
      "who takes STATUS:CANCELLED back invites again",
      calendar(event(pair, "SEQUENCE:1\nSTATUS:CANCELLED")),
      calendar(event(pair, "SEQUENCE:1")),
      ["REQUEST bob: series 2 ann=ACCEPTED bob=NEEDS-ACTION"],
    ],
    [
      "who sets STATUS:CANCELLED of an instance cancels the instance",
      calendar(event(pair, weekly)),
      calendar(event(pair, weekly), event(pair, at("STATUS:CANCELLED"))),
      [`CANCEL bob: ${third} 1 bob=NEEDS-ACTION`],
    ],
    ["who has no attendees sends nothing", undefined, calendar(event("ann*")), []],
    [
      "whose attendees are the client's business sends nothing",
      undefined,
      calendar(event("ann* bob;SCHEDULE-AGENT=CLIENT cy;SCHEDULE-AGENT=NONE")),
      [],
    ],
    [
      "who changes nothing sends nothing",
      calendar(event(pair)),
      calendar(
        event(
          pair,
          "DTSTAMP:20260902T000000Z\nX-MOZ-GENERATION:1\nBEGIN:VALARM\nACTION:AUDIO\nTRIGGER:-PT5M\nEND:VALARM\n",
        ),
      ),
      [],
    ],
    [
      "who changes the time asks again, with a higher SEQUENCE",
      calendar(event("ann* ann=ACCEPTED bob=ACCEPTED", "SEQUENCE:3")),
      calendar(event("ann* ann=ACCEPTED bob=ACCEPTED", "SEQUENCE:3\nDTEND:20261005T120000Z")),
      ["REQUEST bob: series 4 ann=ACCEPTED bob=NEEDS-ACTION"],
      ["series 4 ann=ACCEPTED bob=NEEDS-ACTION"],
    ],
    [
      "whose program raised SEQUENCE keeps that SEQUENCE",
      calendar(event(pair, "SEQUENCE:3")),
      calendar(event(pair, "SEQUENCE:7\nDTEND:20261005T120000Z")),
      ["REQUEST bob: series 7 ann=ACCEPTED bob=NEEDS-ACTION"],
    ],
    [
      "who writes the time in another way changes nothing",
      calendar(event(pair)),
      calendar(
        event(pair, "DTSTART;TZID=Europe/Berlin:20261005T120000\nDTEND;TZID=Europe/Berlin:20261005T130000"),
      ),
      [],
    ],
    [
      "who changes the title tells, and answers stay",
      calendar(event("ann* bob=ACCEPTED", "SEQUENCE:3")),
      calendar(event("ann* bob=ACCEPTED", "SEQUENCE:3\nSUMMARY:Other")),
      ["REQUEST bob: series 3 bob=ACCEPTED"],
    ],
    [
      "cannot answer for an attendee",
      calendar(event("ann* bob=DECLINED")),
      calendar(event("ann* bob=ACCEPTED")),
      [],
      ["series - bob=DECLINED"],
    ],
    [
      "can ask an attendee again",
      calendar(event("ann* bob=DECLINED")),
      calendar(event("ann* bob=NEEDS-ACTION")),
      ["REQUEST bob (quiet): series - bob=NEEDS-ACTION"],
    ],
    [
      "who adds an attendee invites that one, and others only get the list",
      calendar(event(pair)),
      calendar(event(trio)),
      [
        "REQUEST bob (quiet): series - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION",
        "REQUEST cy: series - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION",
      ],
    ],
    [
      "who takes an attendee away cancels for that one",
      calendar(event(trio)),
      calendar(event(pair)),
      ["CANCEL cy: series 0 cy=NEEDS-ACTION", "REQUEST bob (quiet): series - ann=ACCEPTED bob=NEEDS-ACTION"],
    ],
    [
      "whose client takes over an attendee cancels for that one",
      calendar(event(pair)),
      calendar(event("ann* ann=ACCEPTED bob;SCHEDULE-AGENT=CLIENT")),
      ["CANCEL bob: series 0 bob=NEEDS-ACTION"],
    ],
    [
      "who deletes cancels for all, with a higher SEQUENCE",
      calendar(event(trio, "SEQUENCE:2")),
      undefined,
      [
        "CANCEL bob: series 3 bob=NEEDS-ACTION cy=NEEDS-ACTION",
        "CANCEL cy: series 3 bob=NEEDS-ACTION cy=NEEDS-ACTION",
      ],
    ],
    [
      "who takes ORGANIZER and attendees away cancels for all",
      calendar(event(pair)),
      calendar(event("")),
      ["CANCEL bob: series 1 bob=NEEDS-ACTION"],
    ],
    [
      "who excludes an instance cancels this instance",
      calendar(event(pair, weekly)),
      calendar(event(pair, `${weekly}EXDATE:${third}`)),
      [`CANCEL bob: ${third} 1 bob=NEEDS-ACTION`],
      [`series 1 ann=ACCEPTED bob=NEEDS-ACTION -${third}`],
    ],
    [
      "who excludes an instance that was changed cancels it for those who were in it",
      calendar(event(pair, weekly), event(trio, at())),
      calendar(event(pair, `${weekly}EXDATE:${third}`)),
      [
        `CANCEL bob: ${third} 1 bob=NEEDS-ACTION cy=NEEDS-ACTION`,
        `CANCEL cy: ${third} 1 bob=NEEDS-ACTION cy=NEEDS-ACTION`,
      ],
    ],
    [
      "who brings an excluded instance back sends the series again",
      calendar(event("ann* bob=ACCEPTED", `${weekly}EXDATE:${third}`)),
      calendar(event("ann* bob=ACCEPTED", weekly)),
      ["REQUEST bob: series 1 bob=NEEDS-ACTION"],
    ],
    [
      "who changes one instance sends this instance",
      calendar(event(pair, weekly)),
      calendar(event(pair, weekly), event(pair, at("SUMMARY:Other"))),
      [`REQUEST bob: ${third} - ann=ACCEPTED bob=NEEDS-ACTION`],
    ],
    [
      "who moves one instance asks for answers to this instance",
      calendar(event("ann* bob=ACCEPTED", weekly)),
      calendar(
        event("ann* bob=ACCEPTED", weekly),
        event(
          "ann* bob=ACCEPTED",
          at("DTSTART:20261019T120000Z\nDTEND:20261019T130000Z").replace(
            `DTSTART:${third}\nDTEND:20261019T110000Z\n`,
            "",
          ),
        ),
      ),
      [`REQUEST bob: ${third} 1 bob=NEEDS-ACTION`],
      ["series - bob=ACCEPTED", `${third} 1 bob=NEEDS-ACTION`],
    ],
    [
      "whose program writes an override that changes nothing sends nothing",
      calendar(event(pair, weekly)),
      calendar(event(pair, weekly), event(pair, at())),
      [],
    ],
    [
      "who adds an attendee to one instance invites to that alone",
      calendar(event(pair, weekly)),
      calendar(event(pair, weekly), event(trio, at())),
      [
        `REQUEST bob (quiet): ${third} - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION`,
        `REQUEST cy: ${third} - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION`,
      ],
    ],
    [
      "who takes an attendee out of one instance cancels it for that one",
      calendar(event(trio, weekly)),
      calendar(event(trio, weekly), event(pair, at())),
      [
        `CANCEL cy: ${third} 0 cy=NEEDS-ACTION`,
        `REQUEST bob (quiet): ${third} - ann=ACCEPTED bob=NEEDS-ACTION`,
      ],
    ],
    [
      "who creates a series sends each attendee only what the attendee is in",
      undefined,
      calendar(event(trio, weekly), event("ann* bob dora", at())),
      [
        `REQUEST bob: series - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION | ${third} - bob=NEEDS-ACTION dora=NEEDS-ACTION`,
        `REQUEST cy: series - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION -${third}`,
        `REQUEST dora: ${third} - bob=NEEDS-ACTION dora=NEEDS-ACTION`,
      ],
    ],
    [
      "who changes the series sends changed instances with it",
      calendar(event(pair, weekly), event(pair, at("SUMMARY:Other"))),
      calendar(event(pair, `${weekly}SUMMARY:New`), event(pair, at("SUMMARY:Other"))),
      [`REQUEST bob: series - ann=ACCEPTED bob=NEEDS-ACTION | ${third} - ann=ACCEPTED bob=NEEDS-ACTION`],
    ],
    [
      "who takes a change of an instance back sends the series again",
      calendar(event(pair, weekly), event(pair, at("SUMMARY:Other"))),
      calendar(event(pair, weekly)),
      ["REQUEST bob: series - ann=ACCEPTED bob=NEEDS-ACTION"],
    ],
    [
      "who leaves an attendee one instance of the series cancels the series first",
      calendar(event(trio, weekly)),
      calendar(event(pair, weekly), event(trio, at())),
      [
        "CANCEL cy: series 0 cy=NEEDS-ACTION",
        `REQUEST bob (quiet): series - ann=ACCEPTED bob=NEEDS-ACTION | ${third} - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION`,
        `REQUEST cy: ${third} - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION`,
      ],
    ],
    [
      "who lets the series end earlier asks nobody again",
      calendar(event("ann* bob=ACCEPTED", weekly)),
      calendar(event("ann* bob=ACCEPTED", "RRULE:FREQ=WEEKLY;UNTIL=20261201T000000Z")),
      ["REQUEST bob: series 1 bob=ACCEPTED"],
      ["series 1 bob=ACCEPTED"],
    ],
    [
      "who adds instances to the series asks again",
      calendar(event("ann* bob=ACCEPTED", "RRULE:FREQ=WEEKLY;COUNT=3")),
      calendar(event("ann* bob=ACCEPTED", "RRULE:FREQ=WEEKLY;COUNT=9")),
      ["REQUEST bob: series 1 bob=NEEDS-ACTION"],
    ],
    [
      "who asks with SCHEDULE-FORCE-SEND sends though nothing changed",
      calendar(event(trio)),
      calendar(event("ann* ann=ACCEPTED bob;SCHEDULE-FORCE-SEND=REQUEST cy")),
      ["REQUEST bob: series - ann=ACCEPTED bob=NEEDS-ACTION cy=NEEDS-ACTION"],
    ],
    [
      "who cancels by STATUS raises SEQUENCE",
      calendar(event("ann* bob=ACCEPTED")),
      calendar(event("ann* bob=ACCEPTED", "STATUS:CANCELLED")),
      ["CANCEL bob: series 1 bob=ACCEPTED"],
    ],
    [
      "of a to-do invites as well",
      undefined,
      calendar(event("ann* bob", "DUE:20261006T100000Z", "VTODO")),
      ["REQUEST bob: series - bob=NEEDS-ACTION"],
    ],
  ];
  for (const [what, old, now, messages, stored] of cases)
    test(what, () => {
      const decided = decideFor("ann", old, now);
      expect(decided).toMatchObject({ messages });
      if (stored !== undefined) expect(decided).toMatchObject({ stored });
    });

  test("whose client knows older answers keeps the newer ones", () => {
    const [old, now] = [calendar(event("ann* bob=ACCEPTED")), calendar(event("ann* bob=NEEDS-ACTION"))];
    expect(decideFor("ann", old, now, { isMerging: true })).toMatchObject({
      messages: [],
      stored: ["series - bob=ACCEPTED"],
    });
  });

  test("whose client knows older answers does not ask again for an answer", () => {
    const old = calendar(event("ann* bob=ACCEPTED"));
    const now = calendar(event("ann* bob=NEEDS-ACTION;RSVP=TRUE"));
    const decided = decide({ old, now, who: addressesOf("ann"), nowMs, isMerging: true });
    expect(textOf((decided as Decision).stored!)).toContain(
      "ATTENDEE;PARTSTAT=ACCEPTED:mailto:bob@x.example",
    );
  });

  test("whose client does not know an answer for one instance keeps that answer", () => {
    const old = calendar(event("ann* bob=ACCEPTED", weekly), event("ann* bob=DECLINED", at()));
    const now = calendar(event("ann* bob=ACCEPTED", `${weekly}SUMMARY:New`));
    expect(decideFor("ann", old, now, { isMerging: true })).toMatchObject({
      stored: ["series - bob=ACCEPTED", `${third} - bob=DECLINED`],
    });
    expect(decideFor("ann", old, now)).toMatchObject({ stored: ["series - bob=ACCEPTED"] });
    const changed = calendar(event("ann* bob", weekly), event("ann* bob", at("SUMMARY:Own")));
    expect(decideFor("ann", changed, now, { isMerging: true })).toMatchObject({
      stored: ["series - bob=NEEDS-ACTION"],
    });
  });

  test("who sends no messages may record that an attendee has accepted", () => {
    const now = calendar(event("ann* bob=ACCEPTED"));
    expect(decideFor("ann", undefined, now, { isTelling: false })).toMatchObject({
      stored: ["series - bob=ACCEPTED"],
    });
  });

  test("keeps parameters that the server has set for an attendee", () => {
    const old = calendar(event("ann* bob=ACCEPTED;SCHEDULE-STATUS=2.0;X-WAYPOST-REPLIED=20260901T000000Z"));
    const decided = decide({
      old,
      now: calendar(event("ann* bob=ACCEPTED", "SUMMARY:New")),
      who: addressesOf("ann"),
      nowMs,
    });
    expect(textOf((decided as Decision).stored!)).toContain(
      "ATTENDEE;PARTSTAT=ACCEPTED;SCHEDULE-STATUS=2.0;X-WAYPOST-REPLIED=20260901T0\n 00000Z:mailto:bob@x.example",
    );
  });

  test.each([
    ["bob", "ATTENDEE;RSVP=TRUE:"],
    ["bob=NEEDS-ACTION", "ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:"],
    ["bob;RSVP=FALSE", "ATTENDEE;RSVP=FALSE:"],
    ["bob;ROLE=NON-PARTICIPANT", "ATTENDEE;ROLE=NON-PARTICIPANT:"],
    ["bob;CUTYPE=ROOM", "ATTENDEE;CUTYPE=ROOM:"],
    ["bob;SCHEDULE-AGENT=CLIENT", "ATTENDEE;SCHEDULE-AGENT=CLIENT:"],
  ])("requests an answer where the client does not set RSVP: %s", (attendee, line) => {
    const who = addressesOf("ann");
    const first = (
      decide({ old: undefined, now: calendar(event(`ann* ${attendee}`)), who, nowMs }) as Decision
    ).stored!;
    expect(textOf(first)).toContain(`${line}mailto:bob@x.example`);
    // A client that has not read the event since.
    const again = calendar(event(`ann* ${attendee}`, "SUMMARY:New"));
    expect(textOf((decide({ old: first, now: again, who, nowMs }) as Decision).stored!)).toContain(
      `${line}mailto:bob@x.example`,
    );
  });

  test("gets the same object back when the server changes nothing", () => {
    const now = calendar(event(`${pair};RSVP=TRUE`));
    expect(decide({ old: undefined, now, who: addressesOf("ann"), nowMs })).toMatchObject({ stored: now });
    expect((decide({ old: undefined, now, who: addressesOf("ann"), nowMs }) as Decision).stored).toBe(now);
  });

  test("sends messages without alarms and parameters of the server, and with all VTIMEZONEs", () => {
    const now = calendar(
      event(
        "ann* bob;SCHEDULE-STATUS=1.0;SCHEDULE-AGENT=SERVER",
        "DTSTART;TZID=Europe/Berlin:20261005T120000\nDTEND;TZID=Europe/Berlin:20261005T130000\nBEGIN:VALARM\nACTION:AUDIO\nTRIGGER:-PT5M\nEND:VALARM\n",
      ),
    );
    const decided = decide({ old: undefined, now, who: addressesOf("ann"), nowMs });
    const text = textOf((decided as Decision).messages[0]!.calendar);
    expect(text).not.toMatch(/VALARM|SCHEDULE-/);
    expect(text).toContain("METHOD:REQUEST\nBEGIN:VTIMEZONE\nTZID:Europe/Berlin\n");
    expect(text).toContain("DTSTAMP:20260915T090000Z\n");
  });
});

describe("an attendee", () => {
  const invited = (answer: string, lines = "") => event(`ann* ann=ACCEPTED bob=${answer} cy`, lines);
  const cases: readonly Case[] = [
    [
      "who accepts replies",
      calendar(invited("NEEDS-ACTION", "SEQUENCE:2")),
      calendar(invited("ACCEPTED", "SEQUENCE:2")),
      ["REPLY ann: series 2 bob=ACCEPTED"],
    ],
    [
      "whose client leaves SEQUENCE out answers the invitation that is here",
      calendar(invited("NEEDS-ACTION", "SEQUENCE:2")),
      calendar(invited("ACCEPTED")),
      ["REPLY ann: series 2 bob=ACCEPTED"],
      ["series 2 ann=ACCEPTED bob=ACCEPTED cy=NEEDS-ACTION"],
    ],
    [
      "who changes the answer replies",
      calendar(invited("ACCEPTED")),
      calendar(invited("DECLINED")),
      ["REPLY ann: series 0 bob=DECLINED"],
    ],
    [
      "who sets an alarm and a category replies nothing",
      calendar(invited("ACCEPTED")),
      calendar(
        invited(
          "ACCEPTED",
          "CATEGORIES:Work\nTRANSP:TRANSPARENT\nBEGIN:VALARM\nACTION:AUDIO\nTRIGGER:-PT5M\nEND:VALARM\n",
        ),
      ),
      [],
    ],
    [
      "who declines one instance replies for that",
      calendar(invited("ACCEPTED", weekly)),
      calendar(invited("ACCEPTED", weekly), invited("DECLINED", at())),
      [`REPLY ann: ${third} 0 bob=DECLINED`],
    ],
    [
      "who answers the series and an instance sends one reply",
      calendar(invited("NEEDS-ACTION", weekly)),
      calendar(invited("ACCEPTED", weekly), invited("TENTATIVE", at())),
      [`REPLY ann: series 0 bob=ACCEPTED | ${third} 0 bob=TENTATIVE`],
    ],
    [
      "who takes an own answer to an instance back replies what counts now",
      calendar(invited("ACCEPTED", weekly), invited("DECLINED", at())),
      calendar(invited("ACCEPTED", weekly)),
      [`REPLY ann: ${third} 0 bob=ACCEPTED`],
    ],
    [
      "who excludes an instance declines it",
      calendar(invited("ACCEPTED", weekly)),
      calendar(invited("ACCEPTED", `${weekly}EXDATE:${third}`)),
      [`REPLY ann: ${third} 0 bob=DECLINED`],
    ],
    [
      "who brings an excluded instance back answers it",
      calendar(invited("ACCEPTED", `${weekly}EXDATE:${third}`)),
      calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at())),
      [`REPLY ann: ${third} 0 bob=ACCEPTED`],
    ],
    [
      "who deletes declines",
      calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at())),
      undefined,
      ["REPLY ann: series 0 bob=DECLINED"],
    ],
    [
      "who deletes what is only instances declines them",
      calendar(invited("ACCEPTED", at())),
      undefined,
      [`REPLY ann: ${third} 0 bob=DECLINED`],
    ],
    ["who deletes what was declined says nothing again", calendar(invited("DECLINED")), undefined, []],
    [
      "who deletes what was cancelled says nothing",
      calendar(invited("ACCEPTED", "STATUS:CANCELLED")),
      undefined,
      [],
    ],
    [
      "who excludes a cancelled instance says nothing",
      calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at("STATUS:CANCELLED"))),
      calendar(invited("ACCEPTED", `${weekly}EXDATE:${third}`)),
      [],
    ],
    [
      "who deletes a series with a cancelled instance declines the series alone",
      calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at("STATUS:CANCELLED"))),
      undefined,
      ["REPLY ann: series 0 bob=DECLINED"],
    ],
    [
      "who takes the own ATTENDEE away declines",
      calendar(invited("ACCEPTED")),
      calendar(event("ann* ann=ACCEPTED cy")),
      ["REPLY ann: series 0 bob=DECLINED"],
    ],
    ["who writes an unanswered invitation says nothing", undefined, calendar(invited("NEEDS-ACTION")), []],
    [
      "who writes an accepted invitation replies",
      undefined,
      calendar(invited("ACCEPTED")),
      ["REPLY ann: series 0 bob=ACCEPTED"],
    ],
    [
      "whose organizer is the client's business says nothing",
      calendar(event("ann*;SCHEDULE-AGENT=CLIENT bob")),
      calendar(event("ann*;SCHEDULE-AGENT=CLIENT bob=ACCEPTED")),
      [],
    ],
    [
      "who asks with SCHEDULE-FORCE-SEND replies again",
      calendar(invited("ACCEPTED")),
      calendar(event("ann*;SCHEDULE-FORCE-SEND=REPLY ann=ACCEPTED bob=ACCEPTED cy")),
      ["REPLY ann: series 0 bob=ACCEPTED"],
    ],
    [
      "of a to-do tells how far it is",
      calendar(event("ann* bob=ACCEPTED", "", "VTODO")),
      calendar(event("ann* bob=ACCEPTED", "PERCENT-COMPLETE:50\nSTATUS:IN-PROCESS", "VTODO")),
      ["REPLY ann: series 0 bob=ACCEPTED"],
    ],
    [
      "who delegates replies, and invites the delegate",
      calendar(event("ann* bob")),
      calendar(event('ann* bob=DELEGATED;DELEGATED-TO="mailto:eve@x.example"')),
      ["REPLY ann: series 0 bob=DELEGATED", "REQUEST eve: series 0 bob=DELEGATED eve=NEEDS-ACTION"],
    ],
    [
      "who delegates with the delegate in the list sends both along",
      calendar(event("ann* bob")),
      calendar(
        event(
          'ann* bob=DELEGATED;DELEGATED-TO="mailto:eve@x.example" eve;DELEGATED-FROM="mailto:bob@x.example"',
        ),
      ),
      [
        "REPLY ann: series 0 bob=DELEGATED eve=NEEDS-ACTION",
        "REQUEST eve: series 0 bob=DELEGATED eve=NEEDS-ACTION",
      ],
    ],
  ];
  for (const [what, old, now, messages] of cases)
    test(what, () => expect(decideFor("bob", old, now)).toMatchObject({ messages }));

  test("cannot answer for another attendee, whose answer stays", () => {
    const now = calendar(event("ann* ann=ACCEPTED bob=TENTATIVE cy=DECLINED"));
    expect(decideFor("bob", calendar(invited("ACCEPTED")), now)).toEqual({
      messages: ["REPLY ann: series 0 bob=TENTATIVE"],
      stored: ["series - ann=ACCEPTED bob=TENTATIVE cy=NEEDS-ACTION"],
    });
  });

  test("whose client knows an older list of attendees keeps the current list", () => {
    const now = calendar(event("ann* ann=ACCEPTED bob=TENTATIVE dora"));
    expect(decideFor("bob", calendar(invited("ACCEPTED")), now, { isMerging: true })).toEqual({
      messages: ["REPLY ann: series 0 bob=TENTATIVE"],
      stored: ["series - ann=ACCEPTED bob=TENTATIVE cy=NEEDS-ACTION"],
    });
  });

  const forbidden: readonly [what: string, old: Component, now: Component][] = [
    [
      "change the time",
      calendar(invited("ACCEPTED")),
      calendar(invited("ACCEPTED", "DTEND:20261005T120000Z")),
    ],
    ["change the title", calendar(invited("ACCEPTED")), calendar(invited("ACCEPTED", "SUMMARY:Mine"))],
    ["invite", calendar(invited("ACCEPTED")), calendar(event("ann* ann=ACCEPTED bob=ACCEPTED cy eve"))],
    ["take another away", calendar(invited("ACCEPTED")), calendar(event("ann* ann=ACCEPTED bob=ACCEPTED"))],
    [
      "change the organizer",
      calendar(invited("ACCEPTED")),
      calendar(event("cy* ann=ACCEPTED bob=ACCEPTED cy")),
    ],
    [
      "take the organizer away",
      calendar(invited("ACCEPTED")),
      calendar(event("ann=ACCEPTED bob=ACCEPTED cy")),
    ],
    [
      "become the organizer",
      calendar(invited("ACCEPTED")),
      calendar(event("bob* ann=ACCEPTED bob=ACCEPTED cy")),
    ],
    [
      "add an instance",
      calendar(invited("ACCEPTED", weekly)),
      calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at().replaceAll("1019", "1020"))),
    ],
    ["let it repeat", calendar(invited("ACCEPTED")), calendar(invited("ACCEPTED", weekly))],
    [
      "bring an excluded instance back with the series",
      calendar(invited("ACCEPTED", `${weekly}EXDATE:${third}`)),
      calendar(invited("ACCEPTED", weekly)),
    ],
    [
      "remove the series",
      calendar(invited("ACCEPTED", weekly), invited("ACCEPTED", at())),
      calendar(invited("ACCEPTED", at())),
    ],
  ];
  test.each(forbidden)("cannot %s", (_, old, now) => {
    expect(decideFor("bob", old, now)).toBe("allowed-attendee-scheduling-object-change");
  });
});

describe("an object", () => {
  test("of others causes no message", () => {
    expect(decideFor("zoe", calendar(event(pair)), calendar(event(trio)))).toMatchObject({ messages: [] });
  });

  test("cannot get another organizer", () => {
    const now = calendar(event("bob* ann bob"));
    expect(decideFor("ann", calendar(event(pair)), now)).toBe("allowed-organizer-scheduling-object-change");
  });

  test("has one organizer in all its components", () => {
    const now = calendar(event(pair, weekly), event("bob* ann", at()));
    expect(decideFor("ann", undefined, now)).toBe("same-organizer-in-all-components");
  });

  test("has a bounded number of attendees", () => {
    const many = Array.from({ length: attendeesOfInstanceMax + 1 }, (_, at) => `p${at}`).join(" ");
    expect(decideFor("ann", undefined, calendar(event(`ann* ${many}`)))).toBe("max-attendees-per-instance");
  });
});
