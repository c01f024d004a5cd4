/** What Thunderbird, Apple Calendar and Evolution send when people invite, answer, propose another time and cancel: their properties, their
 *  conditions, their mails. The driver of Thunderbird itself is `test/long/suites/thunderbird-calendar.ts`. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type CalendarOwner,
  calendarText,
  openSchedulingHouse,
  plain,
  type SchedulingHouse,
} from "../scheduling/scheduling-house.ts";
import { basic, type DavClient, davClient } from "../support/clients/dav-client.ts";

interface Program {
  readonly prodid: string;
  /** Of VCALENDAR and VEVENT. */
  readonly object: string;
  readonly event: string;
  /** Parameters of each ATTENDEE, and of ORGANIZER. */
  readonly attendee: (name: string) => string;
  readonly organizer: string;
  /** What it changes in its copy to answer, besides PARTSTAT. */
  readonly answered: (text: string) => string;
  /** The header field that makes its changes conditional. */
  readonly condition: "If-Match" | "If-Schedule-Tag-Match";
}

const programs: Readonly<Record<string, Program>> = {
  Thunderbird: {
    prodid: "-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN",
    object: "",
    event:
      "X-MOZ-GENERATION:1\nX-MOZ-SEND-INVITATIONS:TRUE\nX-MOZ-SEND-INVITATIONS-UNDISCLOSED:FALSE\nX-MOZ-LASTACK:20261001T100000Z\nTRANSP:OPAQUE\n",
    attendee: (name) =>
      `;RSVP=TRUE;CN=${name};PARTSTAT=NEEDS-ACTION;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;X-NUM-GUESTS=0`,
    organizer: ";CN=Ada",
    answered: (text) =>
      text.replace(
        "END:VEVENT",
        "X-MOZ-RECEIVED-SEQUENCE:0\nX-MOZ-RECEIVED-DTSTAMP:20261001T100000Z\nX-MOZ-GENERATION:2\nEND:VEVENT",
      ),
    condition: "If-Match",
  },
  "Apple Calendar": {
    prodid: "-//Apple Inc.//macOS 15.0//EN",
    object: "CALSCALE:GREGORIAN\n",
    event:
      "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC\nX-APPLE-CREATOR-IDENTITY:com.apple.iCal\nX-APPLE-CREATOR-TEAM-IDENTITY:0000000000\nTRANSP:OPAQUE\n",
    attendee: (name) =>
      `;CN="${name}";CUTYPE=INDIVIDUAL;EMAIL="${name}@first.example";PARTSTAT=NEEDS-ACTION;ROLE=REQ-PARTICIPANT;RSVP=TRUE;SCHEDULE-STATUS="1.1"`,
    organizer: ';CN="Ada";EMAIL="ada@first.example"',
    answered: (text) =>
      text
        .replace(
          "END:VEVENT",
          "X-CALENDARSERVER-PRIVATE-COMMENT:No\nLAST-MODIFIED:20261001T100000Z\nEND:VEVENT",
        )
        .replace(/;SCHEDULE-STATUS=[^;:]*/g, ""),
    condition: "If-Schedule-Tag-Match",
  },
  Evolution: {
    prodid: "-//Ximian//NONSGML Evolution Calendar//EN",
    object: "",
    event:
      "X-LIC-ERROR;X-LIC-ERRORTYPE=VALUE-PARSE-ERROR:No value\nX-EVOLUTION-CALDAV-HREF:/x.ics\nCLASS:PUBLIC\nTRANSP:OPAQUE\n",
    attendee: (name) =>
      `;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=${name};LANGUAGE=en`,
    organizer: ";CN=Ada",
    answered: (text) => text.replace("END:VEVENT", "X-EVOLUTION-CALDAV-ETAG:1\nEND:VEVENT"),
    condition: "If-Match",
  },
};

let house: SchedulingHouse;
let ada: DavClient;
let bob: DavClient;
beforeEach(async () => {
  house = await openSchedulingHouse();
  await house.openPolicies();
  const clientOf = ({ owner }: CalendarOwner) =>
    davClient(house.server.url, basic(owner.address, owner.token));
  ada = clientOf(house.ada);
  bob = clientOf(house.bob);
});
afterEach(async () => {
  await house[Symbol.asyncDispose]();
});

const ics = { "Content-Type": "text/calendar; charset=utf-8" };
const crlf = (text: string) => text.replaceAll("\n", "\r\n");

async function pathOf({ owner }: CalendarOwner): Promise<string> {
  const { number } = (await house.collections.findCollectionOfRole(owner.agent, "calendar", "default"))!;
  return `/dav/calendars/${owner.id}/${house.server.store.ids.encode("calendar", owner.agent, number)}/`;
}

function eventOf({ prodid, object, event, attendee, organizer }: Program, more = ""): string {
  const guests = [
    ["bob", "bob@first.example"],
    ["mel", "mel@elsewhere.example"],
  ].map(([name, address]) => `ATTENDEE${attendee(name!)}:mailto:${address}\n`);
  const text = calendarText(
    `BEGIN:VEVENT\nCREATED:20261001T100000Z\nDTSTAMP:20261001T100000Z\nUID:of-program\n${/^SUMMARY/m.test(more) ? "" : "SUMMARY:Planning\n"}DTSTART:20261005T100000Z\nDTEND:20261005T110000Z\nSEQUENCE:0\nORGANIZER${organizer}:mailto:ada@first.example\nATTENDEE;CN=Ada;PARTSTAT=ACCEPTED;ROLE=CHAIR:mailto:ada@first.example\n${guests.join("")}${event}${more}END:VEVENT\n`,
  );
  return crlf(text.replace("PRODID:-//Client//EN\n", `PRODID:${prodid}\n${object}`));
}

/** Of each mail in the queue: method and recipients. */
const left = async () =>
  (await house.leaving()).map(({ to, calendar }) => `${/METHOD:(\w+)/.exec(calendar)![1]} ${to.join(" ")}`);

async function conditionOf(client: DavClient, href: string, { condition }: Program) {
  const { headers, text } = await client.request("GET", href);
  const value = condition === "If-Match" ? headers.etag! : headers["schedule-tag"]!;
  return { fields: { ...ics, [condition]: value }, text: plain(Buffer.from(text)) };
}

async function copyOf(owner: CalendarOwner): Promise<string> {
  const [item] = await owner.items();
  const id = house.server.store.ids.encode("event", owner.owner.agent, item!.number);
  return `${await pathOf(owner)}${item!.segment ?? `${id}.ics`}`;
}

describe.each(Object.entries(programs))("%s", (_, program) => {
  async function invite(): Promise<string> {
    const href = `${await pathOf(house.ada)}of-program.ics`;
    const put = await ada.request("PUT", href, eventOf(program), { ...ics, "If-None-Match": "*" });
    expect(put.status).toBe(201);
    return href;
  }

  test("invites: one message for each guest, without what the program keeps for itself", async () => {
    await invite();
    expect(await left()).toEqual(["REQUEST mel@elsewhere.example"]);
    const [mail] = await house.leaving();
    expect(mail!.calendar).not.toMatch(/SCHEDULE-(?:AGENT|STATUS)|METHOD:(?!REQUEST)/);
    const [copy] = await house.bob.texts();
    expect(copy).toContain("SUMMARY:Planning\n");
    expect(await house.bob.texts("inbox")).toHaveLength(1);
  });

  test("changes the event, and the guests have the change once", async () => {
    const href = await invite();
    const { fields } = await conditionOf(ada, href, program);
    const put = await ada.request("PUT", href, eventOf(program, "SUMMARY:Second\n"), fields);
    expect(put.status).toBe(204);
    expect(await left()).toEqual(["REQUEST mel@elsewhere.example", "REQUEST mel@elsewhere.example"]);
    expect((await house.bob.texts())[0]).toContain("SUMMARY:Second\n");
    // Written again as it is, it tells nobody anything.
    const again = await conditionOf(ada, href, program);
    expect((await ada.request("PUT", href, crlf(again.text), again.fields)).status).toBe(204);
    expect(await left()).toHaveLength(2);
  });

  test.each(["ACCEPTED", "TENTATIVE", "DECLINED"])("answers %s by a PUT of its copy", async (partstat) => {
    const href = await invite();
    const copy = await copyOf(house.bob);
    const { fields, text } = await conditionOf(bob, copy, program);
    const mine = /^ATTENDEE.*:mailto:bob@first\.example$/m.exec(text)![0];
    const answer = program.answered(
      text.replace(mine, mine.replace(/;RSVP=TRUE/, "").replace(/PARTSTAT=[A-Z-]+/, `PARTSTAT=${partstat}`)),
    );
    expect((await bob.request("PUT", copy, crlf(answer), fields)).status).toBe(204);
    const { text: stored } = await ada.request("GET", href);
    expect(plain(Buffer.from(stored))).toMatch(new RegExp(`PARTSTAT=${partstat}[^\\n]*:mailto:bob@`));
    expect(plain(Buffer.from(stored))).not.toMatch(/X-MOZ-RECEIVED|PRIVATE-COMMENT|CALDAV-ETAG/);
    expect(await left()).toEqual(["REQUEST mel@elsewhere.example"]);
  });

  test("proposes another time by a mail with COUNTER, and the organizer's program takes it", async () => {
    const href = await invite();
    const counter = plain(Buffer.from(eventOf(program)))
      .replaceAll("20261005T1", "20261006T1")
      .replace(/;PARTSTAT=NEEDS-ACTION(?=[^\n]*mel@)/, ";PARTSTAT=TENTATIVE");
    await house.arrive(house.ada, "COUNTER", "mel@elsewhere.example", counter);
    const { fields, text } = await conditionOf(ada, href, program);
    expect(text).toMatch(/X-WAYPOST-PROPOSAL="2026-10-06T10:00:00Z\/[^\n]*:mailto:mel@/);
    const moved = text
      .replaceAll(/;X-WAYPOST-PROPOSAL=(?:"[^"]*"|[^;:]*)/g, "")
      .replaceAll(/^(DTSTART|DTEND):20261005/gm, "$1:20261006");
    expect((await ada.request("PUT", href, crlf(moved), fields)).status).toBe(204);
    expect(await left()).toEqual(["REQUEST mel@elsewhere.example", "REQUEST mel@elsewhere.example"]);
    expect((await house.leaving())[1]!.calendar).toContain("DTSTART:20261006T100000Z");
  });

  test("cancels by a DELETE", async () => {
    const href = await invite();
    const { headers } = await ada.request("GET", href);
    expect((await ada.request("DELETE", href, undefined, { "If-Match": headers.etag! })).status).toBe(204);
    expect(await left()).toEqual(["REQUEST mel@elsewhere.example", "CANCEL mel@elsewhere.example"]);
    expect((await house.bob.texts())[0]).toContain("STATUS:CANCELLED\n");
  });

  test("declines by a DELETE of its copy", async () => {
    const href = await invite();
    const copy = await copyOf(house.bob);
    expect((await bob.request("DELETE", copy)).status).toBe(204);
    const { text } = await ada.request("GET", href);
    expect(plain(Buffer.from(text))).toMatch(/PARTSTAT=DECLINED[^\n]*:mailto:bob@/);
  });

  test("that sends its mails itself (SCHEDULE-AGENT=CLIENT) has the server send none", async () => {
    const href = `${await pathOf(house.ada)}own.ics`;
    const text = eventOf(program).replaceAll("ATTENDEE;", "ATTENDEE;SCHEDULE-AGENT=CLIENT;");
    expect((await ada.request("PUT", href, text, { ...ics, "If-None-Match": "*" })).status).toBe(201);
    expect((await ada.request("DELETE", href)).status).toBe(204);
    expect(await left()).toEqual([]);
    expect(await house.bob.texts()).toEqual([]);
  });

  test("of an assistant with a grant invites, answers and cancels for the principal", async () => {
    const mia = await house.person("mia");
    await house.granted(house.bob, mia, ["calendar", "send"]);
    const { number } = (await house.collections.findCollectionOfRole(
      mia.owner.agent,
      "calendar",
      "default",
    ))!;
    const id = house.server.store.ids.encode("calendar", mia.owner.agent, number);
    const shared = `/dav/calendars/${house.bob.owner.id}/${id}/`;
    const text = plain(Buffer.from(eventOf(program)))
      .replaceAll("ada@first.example", "mia@first.example")
      .replace("ORGANIZER;", 'ORGANIZER;SENT-BY="mailto:bob@first.example";')
      .replace(/ATTENDEE[^\n]*mailto:bob@[^\n]*\n/, "");
    const href = `${shared}for-mia.ics`;
    const put = await bob.request("PUT", href, crlf(text), { ...ics, "If-None-Match": "*" });
    expect(put.status).toBe(201);
    const [mail] = await house.leaving();
    expect(mail!.text).toMatch(/^From: [^\r\n]*mia@first\.example/m);
    expect((await bob.request("DELETE", href)).status).toBe(204);
    expect(await left()).toEqual(["REQUEST mel@elsewhere.example", "CANCEL mel@elsewhere.example"]);
    const invitation = plain(Buffer.from(eventOf(program)))
      .replaceAll("ada@first.example", "olga@organizer.example")
      .replaceAll("bob@first.example", "mia@first.example")
      .replace("UID:of-program", "UID:visit");
    await house.arrive(mia, "REQUEST", "olga@organizer.example", invitation);
    const item = (await mia.items()).find(({ uid }) => uid === "visit")!;
    const copy = `${shared}${item.segment ?? `${house.server.store.ids.encode("event", mia.owner.agent, item.number)}.ics`}`;
    const { fields, text: stored } = await conditionOf(bob, copy, program);
    const answer = program.answered(
      stored.replace(/PARTSTAT=NEEDS-ACTION(?=[^\n]*:mailto:mia@)/, "PARTSTAT=ACCEPTED"),
    );
    expect((await bob.request("PUT", copy, crlf(answer), fields)).status).toBe(204);
    expect((await left()).at(-1)).toBe("REPLY olga@organizer.example");
  });
});
