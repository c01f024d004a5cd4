/** Participants, cancellations and words that an agent with a grant of calendars, or a stranger by mail, plants in events of a person. The
 *  person then uses the event: moves it, names it anew, answers, deletes it. Nothing goes to anybody whom the person did not invite, no word
 *  of the others leaves in the person's name, and nobody's meeting is cancelled but by the person. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { attempt, eachInMiasHouse, held, house, inMias, later, mia, textOf } from "./mias-house.ts";
import { type CalendarOwner, calendarText, eventText, plain } from "./scheduling-house.ts";

eachInMiasHouse();

const words = "Wire the money";
const saysIt = /Wire.?the.?money/i;
const mel = "mel@elsewhere.example";
const olga = "olga@organizer.example";
const victim = "victim@far.example";
const own = `mia* mia=ACCEPTED bob ${mel}`;
const event = (lines = "", people = own, uid?: string) => calendarText(eventText(people, lines, uid));
const planted = `ATTENDEE;RSVP=TRUE:mailto:${victim}\n`;
const weekly = "RRULE:FREQ=WEEKLY\n";
const secondAt = "RECURRENCE-ID:20261012T100000Z\nDTSTART:20261012T100000Z\nDTEND:20261012T110000Z\n";

async function edit(change: (text: string) => string, uid?: string): Promise<void> {
  const item = await held(uid);
  if (item !== undefined) await attempt(mia.put(change(plain(item.bytes)), { item: item.number }));
}

/** The agent changes what is there. */
async function plant(change: (text: string) => string): Promise<void> {
  await attempt(inMias.put(change(await textOf()), { item: (await held())!.number }));
}

const addToEach = (lines: string) => (text: string) => text.replaceAll("END:VEVENT", `${lines}END:VEVENT`);
const calendarIn = async ({ owner }: CalendarOwner) =>
  (await house.collections.findCollectionOfRole(owner.agent, "calendar", "default"))!.number;

async function move(from: CalendarOwner, to: CalendarOwner): Promise<void> {
  const [item] = await from.items();
  await attempt(
    house.scheduling.moveToOther(from.writer, item!.number, to.writer, {
      collection: await calendarIn(to),
      overwrite: false,
    }),
  );
}

/** mia, in the agent's calendar. */
const miaInAdas = (): CalendarOwner["writer"] => ({
  ...house.ada.writer,
  principal: mia.writer.principal,
  actor: mia.writer.actor,
});

const said = (method: string, from: string, text: string) => house.arrive(mia, method, from, text);
const newer = (text: string) => text.replaceAll(/DTSTAMP:\d+T/g, "DTSTAMP:20280101T");
const reply = (attendee: string, lines = "") =>
  calendarText(
    `BEGIN:VEVENT\nUID:meeting-1\nDTSTAMP:20271001T000000Z\nORGANIZER:mailto:mia@first.example\n${attendee}\n${lines}END:VEVENT\n`,
  );
const delegates = (from: string, to: string) =>
  reply(
    `ATTENDEE;PARTSTAT=DELEGATED;DELEGATED-TO="mailto:${to}":mailto:${from}`,
    `ATTENDEE;CN=${words};DELEGATED-FROM="mailto:${from}":mailto:${to}\n`,
  );

/** How the event begins: the person's own with participants who know it, a series of it, one to which the person is invited, none. */
const starts = {
  own: () => mia.put(event()),
  series: () => mia.put(event(weekly)),
  invited: () => said("REQUEST", olga, event("", "olga*@organizer.example mia")),
  "invited to a series": () => said("REQUEST", olga, event(weekly, "olga*@organizer.example mia")),
  none: async () => {},
} as const;

type Attack = readonly [start: keyof typeof starts, plant: () => Promise<unknown>];

const byAgent: Readonly<Record<string, Attack>> = {
  "a participant": ["own", () => plant(addToEach(planted))],
  "a participant of one instance": [
    "series",
    () =>
      plant((text) => text.replace("END:VCALENDAR", `${eventText(own, secondAt + planted)}END:VCALENDAR`)),
  ],
  "a participant who seems to have answered": [
    "own",
    () =>
      plant(
        addToEach(
          `ATTENDEE;PARTSTAT=ACCEPTED;SCHEDULE-STATUS=2.0;X-WAYPOST-REPLIED=20260101T000000Z:mailto:${victim}\n`,
        ),
      ),
  ],
  "a participant who seems to be a room, and a group with members": [
    "own",
    () =>
      plant(
        addToEach(
          `ATTENDEE;CUTYPE=ROOM:mailto:${victim}\nATTENDEE;CUTYPE=GROUP;MEMBER="mailto:${victim}":mailto:group@far.example\n`,
        ),
      ),
  ],
  "a participant in a group of properties, and one whose name is folded": [
    "own",
    () => plant(addToEach(`g.ATTENDEE:mailto:${victim}\nATTEN\n DEE:mailto:other-${victim}\n`)),
  ],
  "a participant with a query in its address": [
    "own",
    () => plant(addToEach(`ATTENDEE:mailto:${mel}?cc=${victim}\nATTENDEE:mailto:${mel},${victim}\n`)),
  ],
  "a delegate of a participant, who then answers": [
    "own",
    async () => {
      await plant((text) =>
        text.replace(/ATTENDEE(?=[^\n]*mel@)/, `ATTENDEE;DELEGATED-TO="mailto:${victim}"`),
      );
      await said("REPLY", victim, reply(`ATTENDEE;CN=${words};PARTSTAT=ACCEPTED:mailto:${victim}`));
    },
  ],
  "an event without an organizer that asks to be sent": [
    "none",
    async () => {
      await inMias.put(
        event(`ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST:mailto:${victim}\n`).replace(/ORGANIZER.*\n/, ""),
      );
      await edit((text) => text.replace("SUMMARY", "ORGANIZER:mailto:mia@first.example\nSUMMARY"));
    },
  ],
  "the same in its own calendar, from where the person moves it": [
    "none",
    async () => {
      await house.ada.put(
        event(`ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST:mailto:${victim}\n`).replace(/ORGANIZER.*\n/, ""),
      );
      await move({ ...house.ada, writer: miaInAdas() }, mia);
      await edit((text) => text.replace("SUMMARY", "ORGANIZER:mailto:mia@first.example\nSUMMARY"));
    },
  ],
  "an event of the person in its own calendar, from where the person moves it": [
    "none",
    async () => {
      await attempt(house.ada.put(event(planted), {}, { messages: "none" }));
      await move({ ...house.ada, writer: miaInAdas() }, mia);
    },
  ],
  "the same, which the person copies": [
    "none",
    async () => {
      await attempt(house.ada.put(event(planted), {}, { messages: "none" }));
      const [item] = await house.ada.items();
      await attempt(mia.put(plain(item!.bytes), {}, { copiedFrom: house.ada.owner.agent }));
    },
  ],
  "the same, with a copy of the whole calendar": [
    "none",
    async () => {
      const { collections, scheduling, ada } = house;
      await attempt(ada.put(event(planted), {}, { messages: "none" }));
      const from = { agent: ada.owner.agent, number: await calendarIn(ada) };
      await scheduling.copyItems(from, mia.writer, await calendarIn(mia));
      expect(
        await collections.findItemsByUid(mia.owner.agent, "meeting-1", { kind: "calendar" }),
      ).toHaveLength(1);
    },
  ],
  "a participant while the event is in its own calendar": [
    "own",
    async () => {
      const asMia = { ...inMias, items: mia.items };
      await move(asMia, house.ada);
      const [there] = await house.ada.items();
      await attempt(house.ada.put(addToEach(planted)(plain(there!.bytes)), { item: there!.number }));
      await move(house.ada, inMias);
    },
  ],
  "a participant after it has deleted and written the event": [
    "own",
    async () => {
      const text = await textOf();
      await attempt(inMias.delete((await held())!.number));
      await attempt(inMias.put(addToEach(planted)(text)));
    },
  ],
  "a participant after it took the organizer out and put it back": [
    "own",
    async () => {
      const text = await textOf();
      await plant((one) => one.replace(/ORGANIZER.*\n/, ""));
      await plant(() => addToEach(planted)(text));
    },
  ],
  "an event with the UID in capitals": ["own", () => attempt(inMias.put(event(planted, own, "MEETING-1")))],
  "a second event of the UID in the object": [
    "own",
    () => plant((text) => text.replace("END:VCALENDAR", `${eventText(own, planted)}END:VCALENDAR`)),
  ],
  "two forms of one instance": [
    "series",
    () =>
      plant((text) =>
        text.replace(
          "END:VCALENDAR",
          `${eventText(own, secondAt)}${eventText(
            own,
            `RECURRENCE-ID;TZID=Europe/Berlin:20261012T120000\nDTSTART:20261012T100000Z\nDTEND:20261012T110000Z\nDESCRIPTION:${words}\n${planted}`,
          )}END:VCALENDAR`,
        ),
      ),
  ],
  "an instance and all that follow": [
    "series",
    () =>
      plant((text) =>
        text.replace(
          "END:VCALENDAR",
          `${eventText(own, secondAt.replace("RECURRENCE-ID", "RECURRENCE-ID;RANGE=THISANDFUTURE") + planted)}END:VCALENDAR`,
        ),
      ),
  ],
  "words in the stamps": [
    "own",
    () =>
      plant((text) =>
        text.replace(
          "SUMMARY",
          `CREATED;X-NOTE=${words}:20260101T000000Z\nLAST-MODIFIED;X-NOTE=${words}:20260101T000000Z\nSUMMARY`,
        ),
      ),
  ],
  "words in the number of the version": [
    "own",
    () => plant((text) => text.replace("SUMMARY", `SEQUENCE;X-NOTE=${words}:0\nSUMMARY`)),
  ],
  "words, and then a request to send": [
    "own",
    async () => {
      await plant(addToEach(`DESCRIPTION:${words}\n`));
      await plant((text) => text.replaceAll("ATTENDEE;", "ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST;"));
    },
  ],
  "words, before the person cancels one instance": [
    "series",
    async () => {
      await plant(addToEach(`DESCRIPTION:${words}\n`));
      await edit((text) => text.replace("SUMMARY", "EXDATE:20261012T100000Z\nSUMMARY"));
    },
  ],
  "words, before a participant asks for the event again": [
    "own",
    async () => {
      await plant(addToEach(`DESCRIPTION:${words}\n`));
      await said("REFRESH", mel, reply(`ATTENDEE:mailto:${mel}`));
    },
  ],
  "words, before a participant answers": [
    "own",
    async () => {
      await plant(addToEach(`DESCRIPTION:${words}\n`));
      await said("REPLY", mel, reply(`ATTENDEE;PARTSTAT=ACCEPTED:mailto:${mel}`));
    },
  ],
  "a participant, before another one answers": [
    "own",
    async () => {
      await plant(addToEach(`ATTENDEE;CN=${words}:mailto:${victim}\n`));
      await said("REPLY", mel, reply(`ATTENDEE;PARTSTAT=ACCEPTED:mailto:${mel}`));
    },
  ],
  "a new event with a participant here, before somebody answers": [
    "none",
    async () => {
      await inMias.put(event(`DESCRIPTION:${words}\n`));
      await said("REPLY", mel, reply(`ATTENDEE;PARTSTAT=ACCEPTED:mailto:${mel}`));
    },
  ],
  "a comment of the person's answer": [
    "invited",
    () => plant((text) => text.replace(/ATTENDEE(?=[^\n]*mia@)/, `ATTENDEE;X-WAYPOST-COMMENT=${words}`)),
  ],
  "a time that the person proposes": [
    "invited",
    () =>
      plant((text) =>
        text.replace(
          /ATTENDEE(?=[^\n]*mia@)/,
          'ATTENDEE;X-WAYPOST-PROPOSAL="2026-10-05T12:00:00Z/2026-10-05T13:00:00Z"',
        ),
      ),
  ],
  "a delegate of the person": [
    "invited to a series",
    async () => {
      await plant((text) =>
        addToEach(`ATTENDEE;DELEGATED-FROM="mailto:mia@first.example":mailto:${victim}\n`)(
          text.replace(/ATTENDEE(?=[^\n]*mia@)/, `ATTENDEE;DELEGATED-TO="mailto:${victim}"`),
        ).replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=DELEGATED"),
      );
      await declineOneAndRememberAnother();
    },
  ],
};

/** The person excludes an instance, and sets an alarm for another. */
async function declineOneAndRememberAnother(): Promise<void> {
  await edit((text) => {
    const [master] = /BEGIN:VEVENT[\s\S]*?END:VEVENT\n/.exec(text)!;
    const alarm = "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:x\nTRIGGER:-PT5M\nEND:VALARM\nEND:VEVENT";
    const second = master
      .replace(/RRULE.*\n/, "")
      .replace(/DTSTART.*\nDTEND.*\n/, secondAt)
      .replace("END:VEVENT", alarm);
    return text
      .replace("SUMMARY", "EXDATE:20261019T100000Z\nSUMMARY")
      .replace("END:VCALENDAR", `${second}END:VCALENDAR`);
  });
}

const byMail: Readonly<Record<string, Attack>> = {
  "an answer that names a delegate": ["own", () => said("REPLY", mel, delegates(mel, victim))],
  "an answer that names a delegate, who answers": [
    "own",
    async () => {
      await said("REPLY", mel, delegates(mel, victim));
      await said("REPLY", victim, reply(`ATTENDEE;CN=${words};PARTSTAT=ACCEPTED:mailto:${victim}`));
    },
  ],
  "an answer that names fifty delegates": [
    "own",
    () => {
      const many = Array.from({ length: 50 }, (_, at) => `"mailto:v${at}-${victim}"`).join(",");
      return said("REPLY", mel, reply(`ATTENDEE;PARTSTAT=DELEGATED;DELEGATED-TO=${many}:mailto:${mel}`));
    },
  ],
  "an answer of an agent here that names a delegate": [
    "own",
    () => said("REPLY", "bob@first.example", delegates("bob@first.example", victim)),
  ],
  "an answer with other participants": [
    "own",
    () => said("REPLY", mel, reply(`ATTENDEE;PARTSTAT=ACCEPTED:mailto:${mel}`, planted)),
  ],
  "a proposal with other participants": [
    "own",
    () => said("COUNTER", mel, newer(event(`SEQUENCE:9\nDESCRIPTION:${words}\n${planted}`))),
  ],
  "a request in the person's name": [
    "own",
    () =>
      said(
        "REQUEST",
        mel,
        newer(event(`SEQUENCE:9\n${planted}`)).replace("ORGANIZER", `ORGANIZER;SENT-BY="mailto:${mel}"`),
      ),
  ],
  "a request for the person's event by another organizer": [
    "own",
    () => said("REQUEST", mel, newer(event(`SEQUENCE:9\n${planted}`, `mel*@elsewhere.example mia bob`))),
  ],
  "a cancellation of the person's event": [
    "own",
    () => said("CANCEL", mel, newer(event("SEQUENCE:9\nSTATUS:CANCELLED\n"))),
  ],
  "a cancellation of the person's event by another organizer": [
    "own",
    () => said("CANCEL", mel, newer(event("SEQUENCE:9\n", "mel*@elsewhere.example mia"))),
  ],
  "one more instance": ["series", () => said("ADD", mel, newer(event(`SEQUENCE:9\n${planted}`)))],
  "a declined proposal": ["own", () => said("DECLINECOUNTER", mel, newer(event(planted)))],
  "a published event": ["own", () => said("PUBLISH", mel, newer(event(`SEQUENCE:9\n${planted}`)))],
  "an invitation that the person has delegated": [
    "none",
    async () => {
      const delegated = event(
        `${weekly}ATTENDEE;DELEGATED-FROM="mailto:mia@first.example":mailto:${victim}\n`,
        "olga*@organizer.example mia",
      ).replace("PARTSTAT=NEEDS-ACTION", `PARTSTAT=DELEGATED;DELEGATED-TO="mailto:${victim}"`);
      await said("REQUEST", olga, delegated);
      await declineOneAndRememberAnother();
    },
  ],
  "an invitation with others whom it asks to be sent to": [
    "none",
    () =>
      said(
        "REQUEST",
        olga,
        event(
          `ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST:mailto:${victim}\n`,
          "olga*@organizer.example mia",
        ).replace("ORGANIZER", "ORGANIZER;SCHEDULE-FORCE-SEND=REPLY"),
      ),
  ],
};

/** To whom something may go: whom the person has invited, and the organizer who has invited the person. */
const invited: Readonly<Record<keyof typeof starts, readonly string[]>> = {
  own: [mel],
  series: [mel],
  invited: [olga],
  "invited to a series": [olga],
  none: [olga],
};

const rows = Object.entries({ ...byAgent, ...byMail }).map(([attack, [start]]) => ({ attack, start }));

test.each(rows)("$attack, in: $start", async ({ attack, start }) => {
  const [, plantIt] = (byAgent[attack] ?? byMail[attack])!;
  await starts[start]();
  await plantIt();
  for (const { uid } of await mia.items()) {
    await edit(later, uid);
    await edit((text) => text.replace("SUMMARY:Planning", "SUMMARY:Planned"), uid);
    await edit((text) => text.replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED"), uid);
  }
  const beforeDeletion = await leaves();
  expect(beforeDeletion.filter((line) => /^CANCEL/.test(line) && attack !== cancelsOne)).toEqual([]);
  for (const { number } of await mia.items()) await attempt(mia.delete(number));
  const left = await leaves();
  expect(left.filter((line) => !invited[start].some((one) => line.endsWith(` ${one}`)))).toEqual([]);
  expect(await everything()).not.toMatch(saysIt);
});
const cancelsOne = "words, before the person cancels one instance";

/** "METHOD recipient", of mail for other servers. */
async function leaves(): Promise<string[]> {
  await house.server.deliverQueued();
  return (await house.leaving()).flatMap(({ to, calendar, text }) =>
    to.map((one) => `${/METHOD:(\w+)/.exec(calendar)?.[1] ?? /^Subject: .*/m.exec(text)?.[0]} ${one}`),
  );
}

/** All that is in the queue for others, and in bob's calendar and inbox. */
async function everything(): Promise<string> {
  return [
    ...(await house.leaving()).map(({ text, calendar }) => text + calendar),
    ...(await house.bob.texts()),
    ...(await house.bob.texts("inbox")),
  ].join("\n");
}

describe("what a participant of mail names or answers", () => {
  test("its delegate is shown as added by it, and is invited when the person approves", async () => {
    await mia.put(event());
    await said("REPLY", mel, delegates(mel, victim));
    expect(await textOf()).toMatch(/X-WAYPOST-ADDED-BY=mel@elsewhere\.example[^\n]*:mailto:victim@/);
    expect(await textOf()).toContain(`(added by ${mel})`);
    await edit((text) =>
      text.replace(/ATTENDEE(?=[^\n]*:mailto:victim@)/, "ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST"),
    );
    expect(await leaves()).toContain(`REQUEST ${victim}`);
  });

  test("its answer is in the copies of others, with nothing else that has changed since they were told", async () => {
    await mia.put(event());
    const [before] = await house.bob.texts();
    await plant((text) => addToEach(`DESCRIPTION:${words}\n`)(text).replace("Planning", words));
    await said("REPLY", mel, reply(`ATTENDEE;PARTSTAT=ACCEPTED:mailto:${mel}`));
    const [after] = await house.bob.texts();
    expect(after).toMatch(/PARTSTAT=ACCEPTED[^\n]*mel@/);
    expect(after!.replace(/ATTENDEE[^\n]*mel@[^\n]*\n/, "")).toBe(
      before!.replace(/ATTENDEE[^\n]*mel@[^\n]*\n/, ""),
    );
  });
});

test("an assistant whom an agent names in an invitation does not change it", async () => {
  const boss = "boss@corp.example";
  const named = (organizer: string, lines = "") =>
    event(lines, "boss*@corp.example mia").replace(/ORGANIZER[^\n]*/, organizer);
  await said("REQUEST", boss, named(`ORGANIZER:mailto:${boss}`));
  const thief = `ORGANIZER;SENT-BY="mailto:thief@corp.example":mailto:${boss}`;
  await plant((text) => text.replace(/ORGANIZER[^\n]*/, thief));
  expect(await textOf()).not.toContain("SENT-BY");
  await said("REQUEST", "thief@corp.example", newer(named(thief, `SEQUENCE:5\nDESCRIPTION:${words}\n`)));
  await said("CANCEL", "thief@corp.example", newer(named(thief, "SEQUENCE:6\n")));
  expect(await textOf()).not.toMatch(/Wire|CANCELLED/);
});

test("after the greatest number of versions that an agent has written, the person's changes still reach others", async () => {
  await mia.put(event());
  await plant((text) => text.replace("SUMMARY", "SEQUENCE:2147483647\nSUMMARY"));
  await edit(later);
  house.server.clock.advance(60_000);
  await edit((text) => text.replaceAll("T2", "T0"));
  const [copy] = await house.bob.texts();
  expect(copy).toContain("DTSTART:20261005T000000Z");
  expect(copy).toContain("SEQUENCE:2147483647");
});

/** Every file that stores events, with how the marks of who wrote them come to it. What uses `putItem` of this room is behind `change-plan.ts`. */
const storing: Readonly<Record<string, string>> = {
  "src/collections/transfer/import-items.ts": "a file of the operator or the owner: it is stored as it is",
  "src/daemon/moving/archive/import-collections.ts":
    "an archive of the operator or the owner: it is stored as it is",
  "src/outbound/gate/gate.ts": "stores what the others of this list give",
  "src/scheduling/arriving/apply-arrivals.ts": "what has come by mail: `byMail`",
  "src/scheduling/change-plan.ts": "every write of an event: `byAgent`",
  "src/scheduling/copy-items.ts": "events without participants; the others by `putItem`",
  "src/scheduling/move-item.ts": "a move to another owner: `byAgent`",
  "src/scheduling/outgoing/schedule-status-updates.ts": "what became of mails, on those who got them",
};

test("every file that stores events is named here, with a reason", () => {
  const files = ["src", "protocols"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const stores = /\bcollections\.(?:changeItems|putItem)\(|\bchangeCalendars\(/;
  const found = files.filter((file) => file.endsWith(".ts") && stores.test(readFileSync(file, "utf8")));
  expect(found.sort()).toEqual(Object.keys(storing));
});
