/** iTIP messages in mail: each is stored with its mail, and applied one after another for each event. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type CalendarOwner,
  calendarText,
  eventText,
  openSchedulingHouse,
  plain,
  type SchedulingHouse,
} from "./scheduling-house.ts";

let house: SchedulingHouse;
beforeEach(async () => {
  house = await openSchedulingHouse();
  await house.openPolicies();
});
afterEach(async () => {
  await house[Symbol.asyncDispose]();
});

const people = (count: number) =>
  Array.from({ length: count }, (_, at) => `guest${at}@elsewhere.example`).join(" ");

/** As RFC 5546 writes its examples: without DTSTART. */
const bare = (lines: string, uid = "meeting-1") =>
  calendarText(`BEGIN:VEVENT\nUID:${uid}\nDTSTAMP:20271001T000000Z\n${lines}END:VEVENT\n`);

async function waiting(): Promise<number> {
  const rows = await house.server.store.all<{ uid: string }>("select uid from calendar_arrival");
  return rows.length;
}

describe("answers", () => {
  test("of fifty attendees at once are all in the calendar", async () => {
    const { ada } = house;
    await ada.put(calendarText(eventText(`ada* ada=ACCEPTED ${people(50)}`)));
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const name = `guest${at}@elsewhere.example`;
        return house.arrive(
          ada,
          "REPLY",
          name,
          bare(`ORGANIZER:mailto:ada@first.example\nATTENDEE;PARTSTAT=ACCEPTED:mailto:${name}\n`),
        );
      }),
    );
    expect((await ada.texts())[0]!.match(/PARTSTAT=ACCEPTED[^\n]*guest/g)).toHaveLength(50);
    expect(await waiting()).toBe(0);
  });

  test("without DTSTART, as RFC 5546 writes them, are applied, also about an instance", async () => {
    const { ada } = house;
    await ada.put(calendarText(eventText("ada* ada=ACCEPTED mel@elsewhere.example", "RRULE:FREQ=WEEKLY\n")));
    const reply = (partstat: string, lines = "") =>
      bare(
        `${lines}ORGANIZER:mailto:ada@first.example\nATTENDEE;PARTSTAT=${partstat}:mailto:mel@elsewhere.example\nSEQUENCE:0\n`,
      );
    await house.arrive(ada, "REPLY", "mel@elsewhere.example", reply("ACCEPTED"));
    await house.arrive(
      ada,
      "REPLY",
      "mel@elsewhere.example",
      reply("DECLINED", "RECURRENCE-ID:20261012T100000Z\n"),
    );
    const [text] = await ada.texts();
    expect(text).toMatch(/PARTSTAT=ACCEPTED[^\n]*mel@/);
    expect(text).toMatch(/PARTSTAT=DECLINED[^\n]*mel@/);
    expect(await ada.texts("inbox")).toHaveLength(2);
  });

  test("of ten agents here at once, each at the version that it read, all succeed", async () => {
    const { ada, server } = house;
    const names = Array.from({ length: 10 }, (_, at) => `helper${at}`);
    const helpers: { token: string; address: string }[] = [];
    for (const name of names) {
      const address = `${name}@first.example`;
      const { token } = (await server.administer("agent.create", { address })) as { token: string };
      helpers.push({ token, address });
    }
    await ada.put(calendarText(eventText(`ada* ada=ACCEPTED ${names.join(" ")}`)));
    const call = (token: string, operation: string, input: Readonly<Record<string, unknown>>) =>
      fetch(`${server.url}/v1/${operation}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(input),
      });
    const found = await Promise.all(
      helpers.map(async ({ token, address }) => {
        const { agent } = (await server.accounts.findOwner(address))!;
        const [item] = await house.collections.findItemsByUid(agent, "meeting-1", { kind: "calendar" });
        const id = server.store.ids.encode("event", agent, item!.number);
        return { token, id, version: String(item!.modseq) };
      }),
    );
    const answers = await Promise.all(
      found.map(({ token, ...named }) =>
        call(token, "event.update", {
          ...named,
          patch: { "participants/me/participationStatus": "accepted" },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect((await ada.texts())[0]!.match(/PARTSTAT=ACCEPTED[^\n]*helper/g)).toHaveLength(10);
  });
});

describe("a cancellation", () => {
  const invite = (lines = "") =>
    calendarText(eventText("olga*@organizer.example ada", `SEQUENCE:0\n${lines}`));
  const organizer = "ORGANIZER:mailto:olga@organizer.example\n";
  const cancel = (owner: CalendarOwner, lines: string) =>
    house.arrive(owner, "CANCEL", "olga@organizer.example", bare(`${organizer}SEQUENCE:1\n${lines}`));

  test("without DTSTART cancels the event", async () => {
    const { ada } = house;
    await house.arrive(ada, "REQUEST", "olga@organizer.example", invite());
    await cancel(ada, "ATTENDEE:mailto:ada@first.example\nSTATUS:CANCELLED\n");
    expect((await ada.texts())[0]).toContain("STATUS:CANCELLED\n");
  });

  test("of this and all following instances ends the series before it", async () => {
    const { ada } = house;
    await house.arrive(ada, "REQUEST", "olga@organizer.example", invite("RRULE:FREQ=WEEKLY;COUNT=8\n"));
    const moved = eventText(
      "olga*@organizer.example ada",
      "SEQUENCE:1\nRECURRENCE-ID:20261026T100000Z\nDTSTART:20261026T120000Z\nDTEND:20261026T130000Z\n",
    ).replace("DTSTAMP:2026", "DTSTAMP:2027");
    await house.arrive(ada, "REQUEST", "olga@organizer.example", calendarText(moved));
    await cancel(ada, "RECURRENCE-ID;RANGE=THISANDFUTURE:20261019T100000Z\nSTATUS:CANCELLED\n");
    const [text] = await ada.texts();
    expect(text).toMatch(/RRULE:FREQ=WEEKLY;UNTIL=20261019T095959Z\n/);
    expect(text).not.toContain("RECURRENCE-ID:20261026T100000Z");
  });
});

describe("a change over /v1", () => {
  test("at a version since which others have answered is merged, and not at one since which the owner has changed it", async () => {
    const { ada, bob, server } = house;
    const { item, modseq } = await ada.put(calendarText(eventText("ada* ada=ACCEPTED bob")));
    const [copy] = await bob.items();
    await bob.put(plain(copy!.bytes).replace("NEEDS-ACTION;RSVP=TRUE", "ACCEPTED"), { item: copy!.number });
    const id = server.store.ids.encode("event", ada.owner.agent, item);
    const update = (version: string, title: string) =>
      ada.owner.client.call("event.update", { id, version, patch: { title }, invite: "send" });
    const first = await update(String(modseq), "Second");
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      scheduling: "sent",
      recipients: [{ address: "bob@first.example", state: "delivered" }],
    });
    const [text] = await ada.texts();
    expect(text).toContain("SUMMARY:Second\n");
    expect(text).toMatch(/PARTSTAT=ACCEPTED[^\n]*bob@/);
    const stale = await update(String(modseq), "Third");
    expect(stale.body).toMatchObject({ error: { code: "precondition_failed" } });
  });
});
