/** What a hostile agent with a grant of calendars tries in a person's calendar, so that its words leave in the person's name once the person
 *  uses the event. Nothing leaves, for another server or into another calendar. */
import { expect, test } from "vitest";
import { attempt, eachInMiasHouse, everything, held, house, inMias, later, mia } from "./mias-house.ts";
import { type CalendarOwner, calendarText, eventText, plain } from "./scheduling-house.ts";

eachInMiasHouse();

const words = "Wire the money";
const people = "mia* mia=ACCEPTED bob mel@elsewhere.example";
const event = (lines = "") => calendarText(eventText(people, lines));
const withWords = event(`DESCRIPTION:${words}\n`);

/** What the agent writes: into an event of the person that its participants know, or as a new one. */
const attacks: Readonly<Record<string, (write: (text: string) => Promise<unknown>) => Promise<unknown>>> = {
  "SCHEDULE-FORCE-SEND": (write) =>
    write(withWords.replaceAll("ATTENDEE;", "ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST;")),
  "SCHEDULE-AGENT=CLIENT, and SERVER again": async (write) => {
    await write(withWords.replaceAll("ATTENDEE;", "ATTENDEE;SCHEDULE-AGENT=CLIENT;"));
    await write(withWords);
  },
  "SCHEDULE-AGENT=NONE": (write) => write(withWords.replaceAll("ATTENDEE;", "ATTENDEE;SCHEDULE-AGENT=NONE;")),
  "X-WAYPOST-ADDED-BY with the person's address": (write) =>
    write(withWords.replaceAll("ATTENDEE;", "ATTENDEE;X-WAYPOST-ADDED-BY=mia@first.example;")),
  "an empty X-WAYPOST-ADDED-BY": (write) =>
    write(withWords.replaceAll("ATTENDEE;", 'ATTENDEE;X-WAYPOST-ADDED-BY="";')),
  "SCHEDULE-STATUS of success": (write) =>
    write(withWords.replaceAll("ATTENDEE;", "ATTENDEE;SCHEDULE-STATUS=1.2;")),
  "answers of the participants": (write) => write(withWords.replaceAll("NEEDS-ACTION", "ACCEPTED")),
  "addresses in capitals": (write) =>
    write(withWords.replace("mailto:mel@elsewhere.example", "MAILTO:MEL@ELSEWHERE.EXAMPLE")),
  "addresses with escapes": (write) => write(withWords.replace("mailto:mel@", "mailto:%6Del@")),
  "EMAIL of somebody else": (write) =>
    write(
      withWords.replace(
        /ATTENDEE(;[^\n]*):mailto:bob@[^\n]*/,
        "ATTENDEE$1;EMAIL=mel@elsewhere.example:mailto:bob@first.example",
      ),
    ),
  "EMAIL at an address that is no mail address": (write) =>
    write(
      withWords.replace(
        /ATTENDEE(;[^\n]*):mailto:mel@[^\n]*/,
        "ATTENDEE$1;EMAIL=mel@elsewhere.example:urn:uuid:1",
      ),
    ),
  "SENT-BY of the agent": (write) =>
    write(withWords.replace("ORGANIZER:", 'ORGANIZER;SENT-BY="mailto:ada@first.example":')),
  "another CALSCALE": (write) => write(withWords.replace("VERSION:2.0\n", "VERSION:2.0\nCALSCALE:JULIAN\n")),
  "METHOD in the body": (write) => write(withWords.replace("VERSION:2.0\n", "VERSION:2.0\nMETHOD:REQUEST\n")),
  "the words in a time zone": (write) =>
    write(
      calendarText(
        `BEGIN:VTIMEZONE\nTZID:Own\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0000\nTZNAME:${words}\nEND:STANDARD\nEND:VTIMEZONE\n`,
        eventText(people, "DTSTART;TZID=Own:20261005T100000\nDTEND;TZID=Own:20261005T110000\n"),
      ),
    ),
  "the words in the name of a participant": (write) =>
    write(event().replace(/ATTENDEE;(?=[^\n]*mel@)/, `ATTENDEE;CN=${words};`)),
  "the words in an instance": (write) =>
    write(
      calendarText(
        eventText(people, "RRULE:FREQ=WEEKLY\n"),
        eventText(
          people,
          `RECURRENCE-ID:20261012T100000Z\nDTSTART:20261012T100000Z\nDTEND:20261012T110000Z\nDESCRIPTION:${words}\n`,
        ),
      ),
    ),
};

const starts = { "an event of the person": true, "a new event": false };
const rows = Object.keys(attacks).flatMap((attack) =>
  Object.keys(starts).map((start) => ({ attack, start })),
);

test.each(rows)("$attack, in $start", async ({ attack, start }) => {
  if (starts[start as keyof typeof starts]) {
    await mia.put(event());
    await house.leaving();
  }
  const write = async (text: string) => {
    const item = (await held())?.number;
    await attempt(inMias.put(text, item === undefined ? {} : { item }));
  };
  await attacks[attack]!(write);
  const found = await held();
  if (found !== undefined) {
    // The person moves the event, with all that the program shows, and then deletes it.
    await attempt(mia.put(later(plain(found.bytes)), { item: found.number }));
    await mia.delete((await held())!.number);
  }
  const left = await everything();
  expect(left).not.toContain(words);
  // A cancellation is for whom the person had invited.
  if (!starts[start as keyof typeof starts]) expect(left).toBe("");
});

test("an event that goes into the agent's own calendar and back", async () => {
  const { ada, collections, scheduling } = house;
  await mia.put(event());
  await house.leaving();
  const calendarOf = async ({ owner }: CalendarOwner) =>
    (await collections.findCollectionOfRole(owner.agent, "calendar", "default"))!.number;
  const own = ada.writer;
  const place = { collection: await calendarOf(ada), overwrite: false };
  await scheduling.moveToOther(inMias.writer, (await held())!.number, own, place);
  const [there] = await ada.items();
  await ada.put(plain(there!.bytes).replace("SUMMARY:Planning", `SUMMARY:${words}`), { item: there!.number });
  const back = { collection: await calendarOf(mia), overwrite: false };
  await scheduling.moveToOther(own, (await ada.items())[0]!.number, inMias.writer, back);
  const found = (await held())!;
  await mia.put(plain(found.bytes).replaceAll("20261005T1", "20261006T1"), { item: found.number });
  expect(await everything()).not.toContain(words);
});

test("an approval that the agent asks for", async () => {
  const { item } = await inMias.put(event());
  const [stored] = await mia.items();
  const text = plain(stored!.bytes).replaceAll(/;X-WAYPOST-ADDED-BY=[^;:]*/g, "");
  await inMias.put(text.replace("Planning", words), { item }, { isApproving: true });
  await mia.put(plain((await held())!.bytes).replaceAll("20261005T1", "20261006T1"), { item });
  await house.server.deliverQueued();
  expect(await house.leaving()).toEqual([]);
  expect(await house.bob.texts()).toEqual([]);
});

test("an organizer whom the agent names in its own calendar", async () => {
  const { ada } = house;
  for (const organizer of ["mia@first.example", "boss@gmail.com", "bob@first.example"]) {
    const text = event()
      .replace(/ORGANIZER:[^\n]*/, `ORGANIZER;SENT-BY="mailto:ada@first.example":mailto:${organizer}`)
      .replace("UID:meeting-1", `UID:${organizer}`);
    await ada.put(text);
  }
  await house.server.deliverQueued();
  expect(await house.leaving()).toEqual([]);
  expect(await house.bob.texts()).toEqual([]);
});

test("a delegate whom the agent names for the person", async () => {
  const invited = calendarText(eventText("olga*@organizer.example mia"));
  await house.arrive(mia, "REQUEST", "olga@organizer.example", invited);
  const [text] = await mia.texts();
  const { number } = (await held())!;
  const delegated = text!
    .replace("PARTSTAT=NEEDS-ACTION", 'PARTSTAT=DELEGATED;DELEGATED-TO="mailto:mel@elsewhere.example"')
    .replace(
      "END:VEVENT",
      'ATTENDEE;DELEGATED-FROM="mailto:mia@first.example":mailto:mel@elsewhere.example\nEND:VEVENT',
    );
  await inMias.put(delegated, { item: number });
  const [later] = await mia.texts();
  await mia.put(later!.replace("END:VEVENT", "COMMENT:Hello\nEND:VEVENT"), { item: number });
  await mia.delete(number);
  expect(await house.leaving()).toEqual([]);
});

test("a delegate whom an invited agent names in its own answer", async () => {
  const { bob } = house;
  await mia.put(event());
  await house.leaving();
  const [copy] = await bob.items();
  const delegated = plain(copy!.bytes)
    .replace(
      /PARTSTAT=NEEDS-ACTION(?=[^\n]*:mailto:bob@)/,
      'PARTSTAT=DELEGATED;DELEGATED-TO="mailto:victim@far.example"',
    )
    .replace(
      "END:VEVENT",
      'ATTENDEE;DELEGATED-FROM="mailto:bob@first.example":mailto:victim@far.example\nEND:VEVENT',
    );
  await bob.put(delegated, { item: copy!.number }, { messages: "send" });
  const found = (await held())!;
  expect(plain(found.bytes)).toMatch(/X-WAYPOST-ADDED-BY=bob@first\.example[^\n]*:mailto:victim@/);
  await mia.put(plain(found.bytes).replaceAll("20261005T1", "20261006T1"), { item: found.number });
  // The agent's own mail to its delegate is in the agent's name.
  const inMiasName = (await house.leaving()).filter(({ text }) => /^From: .*mia@/m.test(text));
  expect(inMiasName.flatMap(({ to }) => to)).not.toContain("victim@far.example");
});
