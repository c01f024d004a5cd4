/** Which mails carry a message for calendars, and for which address their author may speak: mails of the corpus, and made ones. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Component } from "#/src/formats/content-lines/content-line.ts";
import { parseStructure } from "#/src/formats/mime/structure.ts";
import { arrivingCalendarBytesMax } from "#/src/model/limits.ts";
import { readMessage, speaksFor } from "#/src/scheduling/arriving/apply.ts";
import { findArrivingCalendar, readCalendar } from "#/src/scheduling/arriving/arriving-calendar.ts";
import { readCalendarAddress } from "#/src/scheduling/calendar-address.ts";
import { corpusFolder, corpusNote, hasCorpus } from "../support/corpus.ts";

function find(mail: string | Uint8Array) {
  const bytes = Buffer.from(mail);
  return findArrivingCalendar(bytes, parseStructure(bytes));
}

const calendar = (method = "REQUEST", more = "") =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:${method}\r\nBEGIN:VEVENT\r\nUID:u1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20261005T100000Z\r\nORGANIZER:mailto:ann@x.example\r\nATTENDEE:mailto:bob@x.example\r\n${more}END:VEVENT\r\nEND:VCALENDAR\r\n`;
const part = (body: string, type = "text/calendar; charset=utf-8; method=REQUEST") =>
  `MIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n${body}`;

const mixed = (...parts: readonly string[]) =>
  part(`${parts.map((one) => `--b\r\n${one}\r\n`).join("")}--b--\r\n`, "multipart/mixed; boundary=b");

describe("a mail", () => {
  test("with a text/calendar part has its message", () => {
    expect(find(part(calendar()))).toMatchObject({
      method: "REQUEST",
      uid: "u1",
      organizer: "mailto:ann@x.example",
    });
  });

  test("without a method in its Content-Type has the METHOD of the calendar", () => {
    expect(find(part(calendar("CANCEL"), "text/calendar"))).toMatchObject({ method: "CANCEL" });
  });

  test.each([
    ["is application/ics", "application/ics; method=REQUEST"],
    ["is a file by its name", 'application/octet-stream; name="Invite.ICS"'],
    [
      "is a file by its disposition",
      "application/octet-stream\r\nContent-Disposition: attachment; filename=m.ics",
    ],
  ])("without a calendar part has the message of an attachment that %s", (_, type) => {
    expect(find(mixed(part("Hello\r\n", "text/plain"), part(calendar(), type)))).toMatchObject({
      method: "REQUEST",
      uid: "u1",
    });
  });

  const none: readonly [what: string, mail: string][] = [
    ["whose Content-Type says another method", part(calendar("CANCEL"))],
    ["whose calendar has no METHOD", part(calendar().replace("METHOD:REQUEST\r\n", ""))],
    ["whose calendar is a file of another name", part(calendar(), "application/octet-stream; name=a.txt")],
    [
      "whose calendar file stands beside a calendar part of another method",
      mixed(part(calendar("CANCEL")), part(calendar(), "application/ics; name=invite.ics")),
    ],
    ["that forwards an invitation", part(`Subject: x\r\n${part(calendar())}`, "message/rfc822")],
    [
      "whose calendar is too large",
      part(calendar("REQUEST", `DESCRIPTION:${"x".repeat(arrivingCalendarBytesMax)}\r\n`)),
    ],
    ["whose calendar cannot be read", part("BEGIN:VCALENDAR\r\n".repeat(20))],
    ["that is text", part("Hello\r\n", "text/plain")],
  ];
  test.each(none)("%s has no message", (_, mail) => {
    expect(find(mail)).toBeUndefined();
  });

  test("in another charset is converted to UTF-8", () => {
    const latin1 = Buffer.from(
      part(calendar("REQUEST", "SUMMARY:Grüße\r\n"), "text/calendar; charset=iso-8859-1; method=REQUEST"),
      "latin1",
    );
    expect(Buffer.from(find(latin1)!.bytes).toString()).toContain("SUMMARY:Grüße\r\n");
  });
});

describe("an author", () => {
  const speaks = (method: string, more: string, author: string) => {
    const message = readMessage(readCalendar(Buffer.from(calendar(method, more)))!)!;
    return [
      ...speaksFor(message, readCalendarAddress(`mailto:${author}`), { stored: undefined, mayAssist: true }),
    ].map((one) => one.replace("mailto:", ""));
  };

  const assisted = (method: string, sentBy: string) =>
    readCalendar(
      Buffer.from(calendar(method).replace("ORGANIZER:", `ORGANIZER;SENT-BY="mailto:${sentBy}":`)),
    )!;
  const assistant = "eve@x.example";
  const ours = assisted("REQUEST", assistant);
  const theirs = assisted("REQUEST", "bob@x.example");
  const cases: readonly [
    title: string,
    method: string,
    author: string,
    stored: Component | undefined,
    mayAssist: boolean,
    addresses: number,
  ][] = [
    ["invites for the organizer who names it", "REQUEST", assistant, undefined, true, 2],
    ["changes what it has invited to", "REQUEST", assistant, ours, true, 2],
    ["cancels what it has invited to", "CANCEL", assistant, ours, true, 2],
    ["of another domain speaks for itself", "REQUEST", "eve@y.example", undefined, true, 1],
    ["at a public provider or of this server speaks for itself", "REQUEST", assistant, undefined, false, 1],
    [
      "does not change what the organizer has sent",
      "REQUEST",
      assistant,
      readCalendar(Buffer.from(calendar()))!,
      true,
      1,
    ],
    ["does not cancel what another assistant has sent", "CANCEL", assistant, theirs, true, 1],
    ["cancels nothing that is not there", "CANCEL", assistant, undefined, true, 1],
  ];
  test.each(cases)("as an assistant %s", (_title, method, author, stored, mayAssist, addresses) => {
    const message = readMessage(assisted(method, author))!;
    const sender = readCalendarAddress(`mailto:${author}`);
    expect([...speaksFor(message, sender, { stored, mayAssist })]).toHaveLength(addresses);
  });

  test("of an answer does not speak for other attendees", () => {
    expect(speaks("REPLY", "ATTENDEE:mailto:eve@x.example\r\n", "bob@x.example")).toEqual(["bob@x.example"]);
  });
});

describe.skipIf(!hasCorpus)(`the corpus${corpusNote}`, () => {
  test("has an invitation or an answer in each of its iMIP mails", () => {
    const folder = `${corpusFolder}/mail/written-imip`;
    const names = readdirSync(folder).filter((name) => name.endsWith(".eml"));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const { expect: facts } = JSON.parse(
        readFileSync(`${folder}/${name.replace(".eml", ".json")}`, "utf8"),
      ) as { expect: { method?: string } };
      // The method of the one differs from its Content-Type; the other is two events, for nobody.
      const isMessage = !/^(?:method-mismatch|publish)/.test(name);
      const found = find(readFileSync(`${folder}/${name}`));
      if (isMessage && facts.method !== undefined)
        expect([name, found?.method]).toEqual([name, facts.method]);
      else if (!isMessage) expect([name, found]).toEqual([name, undefined]);
    }
  });
});
