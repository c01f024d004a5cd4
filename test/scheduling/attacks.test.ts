/** More that strangers and hostile agents try, each with what must not come of it: words that leave in a person's name without the person, an
 *  event or an answer that is changed by somebody for whom it is not. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  attempt,
  eachInMiasHouse,
  everything,
  held,
  house,
  inMias,
  later,
  mia,
  textOf,
} from "./mias-house.ts";
import { calendarText, eventText, plain } from "./scheduling-house.ts";

eachInMiasHouse();

const words = "Wire the money";
const mel = "mel@elsewhere.example";
const people = `mia* mia=ACCEPTED bob ${mel}`;
const event = (lines = "", named = people) => calendarText(eventText(named, lines));

/** The person edits what is there. */
async function edit(change: (text: string) => string = later, uid = "meeting-1"): Promise<void> {
  await attempt(mia.put(change(await textOf(uid)), { item: (await held(uid))!.number }));
}

const methods = async () =>
  (await house.leaving())
    .map(({ to, calendar }) => `${/METHOD:(\w+)/.exec(calendar)?.[1]} ${to.join(" ")}`)
    .filter((line) => line.includes("@elsewhere.example"));

describe("an agent with a grant of calendars alone, in an event of the person", () => {
  beforeEach(async () => {
    await mia.put(event());
    await house.leaving();
  });
  const write = async (text: string) => attempt(inMias.put(text, { item: (await held())!.number }));

  test("writes another UID into it", async () => {
    await mia.put(calendarText(eventText(people, "", "meeting-2")));
    await house.leaving();
    await write(calendarText(eventText(people, `DESCRIPTION:${words}\n`, "meeting-2")));
    for (const uid of ["meeting-1", "meeting-2"]) if ((await held(uid)) !== undefined) await edit(later, uid);
    expect(await everything()).not.toContain(words);
  });

  test("gives an instance of another series to it", async () => {
    const at = "RECURRENCE-ID:20261012T100000Z\nDTSTART:20261012T100000Z\nDTEND:20261012T110000Z\n";
    await write(
      calendarText(
        eventText(people, "RRULE:FREQ=WEEKLY\n"),
        eventText(people, `${at}DESCRIPTION:${words}\n`, "other-series"),
      ),
    );
    await edit();
    expect(await everything()).not.toContain(words);
  });

  test("cancels it, and the person changes an alarm, then the time", async () => {
    await write(event("STATUS:CANCELLED\n"));
    const before = await methods();
    await edit((text) =>
      text.replace(
        "END:VEVENT",
        "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:x\nTRIGGER:-PT5M\nEND:VALARM\nEND:VEVENT",
      ),
    );
    await edit();
    expect(await methods()).toEqual(before);
    expect(await everything()).not.toMatch(/METHOD:CANCEL/);
    expect((await house.bob.texts())[0]).not.toContain("STATUS:CANCELLED");
  });

  test("takes a participant out, and the person changes the time", async () => {
    await write(event("", "mia* mia=ACCEPTED bob"));
    await edit();
    expect(await methods()).toEqual([`REQUEST ${mel}`]);
  });

  test("takes an instance out of the series, and the person changes the title", async () => {
    await edit((text) => text.replace("SUMMARY", "RRULE:FREQ=WEEKLY\nSUMMARY"));
    const before = await methods();
    await write((await textOf()).replace("SUMMARY", "EXDATE:20261012T100000Z\nSUMMARY"));
    await edit((text) => text.replace("Planning", "Planned"));
    expect(await methods()).toEqual(before);
  });

  test("writes into the name of the organizer, and the person deletes it", async () => {
    await write((await textOf()).replace("ORGANIZER", `ORGANIZER;CN=${words}`));
    await mia.delete((await held())!.number);
    expect(await everything()).not.toContain(words);
    expect(await methods()).toEqual([`REQUEST ${mel}`, `CANCEL ${mel}`]);
  });

  test("writes beside the event, into the calendar object", async () => {
    await write(
      (await textOf())
        .replace("BEGIN:VEVENT", `X-WR-CALNAME:${words}\nX-WR-CALDESC:${words}\nBEGIN:VEVENT`)
        .replace("PRODID:-//Client//EN", `PRODID:${words}`),
    );
    await edit();
    expect(await everything()).not.toContain(words);
  });

  test("writes a file into it", async () => {
    await write(
      event(
        `ATTACH;FILENAME=${words}:https://far.example/x\nURL:https://far.example/${words.replaceAll(" ", "-")}\n`,
      ),
    );
    await edit();
    expect(await everything()).not.toMatch(/Wire.the.money|far\.example\/x/);
  });

  test("names a participant in another spelling of the domain", async () => {
    await write(
      event("", `mia* mia=ACCEPTED bob`).replace(
        "END:VEVENT",
        `ATTENDEE;CN=${words}:mailto:MEL@ELSEWHERE.EXAMPLE.\nEND:VEVENT`,
      ),
    );
    await edit();
    expect(await everything()).not.toContain(words);
  });
});

describe("an event of the person under another of the person's addresses, which an agent has written", () => {
  const organizers: Readonly<Record<string, string>> = {
    alias: "mia.martin@first.example",
    tag: "mia+work@first.example",
    capitals: "MIA@First.Example",
    escapes: "%6Dia@first.example",
  };
  test.each(Object.entries(organizers))(
    "%s: the person edits and deletes it, and nothing leaves",
    async (_, organizer) => {
      await house.server
        .administer("alias.create", { address: "mia.martin@first.example", target: mia.owner.address })
        .catch(() => undefined);
      const text = event(`DESCRIPTION:${words}\n`).replace(
        /ORGANIZER:[^\n]*/,
        `ORGANIZER:mailto:${organizer}`,
      );
      await attempt(inMias.put(text));
      if ((await held()) === undefined) return;
      await edit();
      await edit((stored) => stored.replace("NEEDS-ACTION", "ACCEPTED"));
      await attempt(mia.delete((await held())!.number));
      expect(await everything()).toBe("");
    },
  );
});

test("two grants: `calendar` of one person and `send` of another are no right to invite in the name of either", async () => {
  const leo = await house.person("leo");
  await house.server.administer("grant.create", {
    holder: house.ada.owner.address,
    target: leo.owner.address,
    scopes: ["send"],
  });
  for (const organizer of ["mia", "leo"]) {
    const named = `${organizer}* ${organizer}=ACCEPTED ${mel}`;
    await attempt(inMias.put(calendarText(eventText(named, `DESCRIPTION:${words}\n`, organizer))));
    await attempt(house.ada.put(calendarText(eventText(named, `DESCRIPTION:${words}\n`, organizer))));
  }
  for (const { uid } of await mia.items()) await edit(later, uid);
  expect(await everything()).not.toContain(words);
});

describe("the person's answer, after an agent was in the person's copy", () => {
  beforeEach(async () => {
    await house.arrive(mia, "REQUEST", "olga@organizer.example", event("", "olga*@organizer.example mia"));
  });
  const write = async (change: (text: string) => string) =>
    attempt(inMias.put(change(await textOf()), { item: (await held())!.number }));

  test("with the agent's words in the person's name", async () => {
    await write((text) => text.replace(/ATTENDEE(?=[^\n]*mia@)/, `ATTENDEE;CN=${words}`));
    await edit((text) => text.replace(/PARTSTAT=[A-Z-]+/, "PARTSTAT=ACCEPTED"));
    expect(await everything()).not.toContain(words);
  });

  test("that the agent has given, and the person sets an alarm", async () => {
    await write((text) => text.replace(/PARTSTAT=[A-Z-]+/, "PARTSTAT=DECLINED"));
    await edit((text) =>
      text.replace(
        "END:VEVENT",
        "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:x\nTRIGGER:-PT5M\nEND:VALARM\nEND:VEVENT",
      ),
    );
    expect(await everything()).toBe("");
  });
});

describe("a stranger who was invited", () => {
  const reply = (lines: string, parameters = "") =>
    calendarText(
      `BEGIN:VEVENT\nUID:meeting-1\nDTSTAMP:20271001T000000Z\nORGANIZER:mailto:mia@first.example\nATTENDEE${parameters};PARTSTAT=ACCEPTED:mailto:${mel}\n${lines}END:VEVENT\n`,
    );
  beforeEach(async () => {
    await mia.put(event());
    await house.leaving();
  });

  const replies: Readonly<Record<string, string>> = {
    "in a comment": reply(`COMMENT:${words}\n`),
    "in its name": reply("", `;CN=${words}`),
    "in parameters of its own": reply(
      "",
      `;X-NOTE=${words};DIR="http://far.example/${words.replaceAll(" ", "-")}"`,
    ),
    "in other properties": reply(`SUMMARY:${words}\nDESCRIPTION:${words}\nX-NOTE:${words}\n`),
    "beside the event": reply("").replace("VERSION:2.0\n", `VERSION:2.0\nX-WR-CALNAME:${words}\n`),
    "as who answers for it": reply("", `;SENT-BY="mailto:wire-the-money@far.example"`),
  };
  test.each(Object.entries(replies))(
    "has no words in what the person sends others next: %s",
    async (_, answer) => {
      await house.arrive(mia, "REPLY", mel, answer);
      await edit();
      expect(await everything()).not.toMatch(/Wire.the.money/i);
    },
  );

  const others: Readonly<Record<string, string>> = {
    tag: "mel+x@elsewhere.example",
    "another domain": "mel@elsewhere.example.net",
    "part of the domain": "mel@sub.elsewhere.example",
    "another attendee": "bob@first.example",
  };
  test.each(Object.entries(others))("is answered for by nobody else: %s", async (_, author) => {
    await house.arrive(mia, "REPLY", author, reply(""));
    expect(await textOf()).toMatch(/PARTSTAT=NEEDS-ACTION[^\n]*mel@/);
  });

  test("does not propose for others, nor leave words in the event", async () => {
    const counter = event(`DESCRIPTION:${words}\nCOMMENT:${words}\n`).replaceAll("20261005T1", "20261006T1");
    await house.arrive(mia, "COUNTER", mel, counter);
    await edit((text) => text.replace("Planning", "Planned"));
    expect(await everything()).not.toContain(words);
  });
});

describe("an event of a boss", () => {
  const boss = "boss@corp.example";
  const invited = (organizer: string, lines = "") =>
    event(lines, `boss*@corp.example mia`).replace(/ORGANIZER[^\n]*/, organizer);
  const moves = (organizer: string) =>
    invited(organizer, `SEQUENCE:5\nDESCRIPTION:${words}\n`).replace("DTSTAMP:2026", "DTSTAMP:2027");
  const spellings: Readonly<Record<string, string>> = {
    "SENT-BY in quotes": `ORGANIZER;SENT-BY="mailto:thief@corp.example":mailto:${boss}`,
    "SENT-BY without quotes": `ORGANIZER;SENT-BY=mailto:thief@corp.example:mailto:${boss}`,
    "SENT-BY in capitals": `ORGANIZER;sent-by="MAILTO:THIEF@CORP.EXAMPLE":mailto:${boss}`,
    "SENT-BY with escapes": `ORGANIZER;SENT-BY="mailto:%74hief@corp.example":mailto:${boss}`,
    "two SENT-BY": `ORGANIZER;SENT-BY="mailto:${boss}";SENT-BY="mailto:thief@corp.example":mailto:${boss}`,
    "SENT-BY with a list": `ORGANIZER;SENT-BY="mailto:${boss}","mailto:thief@corp.example":mailto:${boss}`,
    "EMAIL of the thief": `ORGANIZER;EMAIL=thief@corp.example:mailto:${boss}`,
    "the thief's name": `ORGANIZER;CN="thief@corp.example":mailto:${boss}`,
  };
  test.each(Object.entries(spellings))("is not changed by a colleague: %s", async (_, organizer) => {
    await house.arrive(mia, "REQUEST", boss, invited(`ORGANIZER:mailto:${boss}`));
    const before = await mia.texts();
    await house.arrive(mia, "REQUEST", "thief@corp.example", moves(organizer));
    await house.arrive(mia, "CANCEL", "thief@corp.example", moves(organizer));
    expect(await mia.texts()).toEqual(before);
  });

  test("comes not through a list, nor from a subdomain, nor in the name of a mailbox here", async () => {
    for (const [author, organizer] of [
      ["list@lists.example", boss],
      ["thief@sub.corp.example", boss],
      ["thief@corp.example", "bob@first.example"],
      ["thief@gmail.com", "boss@gmail.com"],
      ["eve@second.example", "bob@first.example"],
    ] as const) {
      const line = `ORGANIZER;SENT-BY="mailto:${author}":mailto:${organizer}`;
      await house.arrive(mia, "REQUEST", author, invited(line, `DESCRIPTION:${words}\n`));
      expect(await mia.texts(), author).toEqual([]);
    }
  });

  test("that an assistant has sent becomes no other boss's", async () => {
    const by = (who: string) => `ORGANIZER;SENT-BY="mailto:thief@corp.example":mailto:${who}@corp.example`;
    await house.arrive(mia, "REQUEST", "thief@corp.example", invited(by("boss")));
    expect(await mia.texts()).toHaveLength(1);
    const before = await mia.texts();
    await house.arrive(mia, "REQUEST", "thief@corp.example", moves(by("chief")));
    expect(await mia.texts()).toEqual(before);
    // Once the boss has sent it, it is the boss's alone.
    await house.arrive(
      mia,
      "REQUEST",
      boss,
      invited(`ORGANIZER:mailto:${boss}`, "SEQUENCE:1\nSUMMARY:Own\n").replace(
        "DTSTAMP:2026",
        "DTSTAMP:2027",
      ),
    );
    const own = await mia.texts();
    expect(own[0]).toContain("SUMMARY:Own");
    await house.arrive(
      mia,
      "REQUEST",
      "thief@corp.example",
      moves(by("boss")).replace("DTSTAMP:2027", "DTSTAMP:2028"),
    );
    expect(await mia.texts()).toEqual(own);
  });
});

test("an invitation that an assistant has sent proves no organizer: an agent's answer to the organizer waits", async () => {
  const { ada, server } = house;
  await server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "first_contact" });
  const answer = async (uid: string) => {
    const item = (await ada.items()).find((one) => one.uid === uid)!;
    const text = plain(item.bytes).replace(/PARTSTAT=[A-Z-]+/, "PARTSTAT=ACCEPTED");
    return { item, told: await ada.put(text, { item: item.number, provenance: item.provenance }) };
  };
  const invitation = (uid: string, organizer: string) =>
    calendarText(eventText("boss*@corp.example ada", "", uid)).replace(/ORGANIZER[^\n]*/, organizer);
  const assisted = 'ORGANIZER;SENT-BY="mailto:sue@corp.example":mailto:boss@corp.example';
  await house.arrive(ada, "REQUEST", "sue@corp.example", invitation("by-sue", assisted));
  const bySue = await answer("by-sue");
  expect(bySue.item.isAuthenticated).toBe(false);
  expect(bySue.told.recipients).toMatchObject([{ address: "boss@corp.example", state: "held" }]);
  const own = "ORGANIZER:mailto:chief@other.example";
  await house.arrive(ada, "REQUEST", "chief@other.example", invitation("by-chief", own));
  const byChief = await answer("by-chief");
  expect(byChief.item.isAuthenticated).toBe(true);
  expect(byChief.told.recipients).toEqual([{ address: "chief@other.example", state: "sent" }]);
});

test("an approval and a deletion at once: nobody is invited after the cancellation", async () => {
  const { server } = house;
  await inMias.put(event());
  await edit();
  const [row] = await server.store.all<{ hold: number; modseq: number }>(
    "select hold_id as hold, modseq from hold where state = 'waiting'",
  );
  const decided = { agent: mia.owner.agent, hold: row!.hold, version: String(row!.modseq) };
  const item = (await held())!.number;
  const results = await Promise.allSettled([
    server.holds.decide({ ...decided, action: "approve", actor: mia.writer.actor }),
    mia.delete(item),
  ]);
  expect(results.filter(({ status }) => status === "rejected").length).toBeLessThanOrEqual(1);
  server.clock.advance(60_000);
  await server.holds.runDue();
  expect(await methods()).toEqual([]);
});

test("mail that the person has approved, and that an agent with a grant of the mailbox edits before it leaves", async () => {
  const { server, ada } = house;
  await inMias.put(event());
  await edit();
  await server.administer("grant.create", {
    holder: ada.owner.address,
    target: mia.owner.address,
    scopes: ["mail", "send"],
  });
  const rows = () =>
    server.store.all<{ hold: number; modseq: number; state: string }>(
      "select hold_id as hold, modseq, state from hold",
    );
  const [row] = await rows();
  const named = { agent: mia.owner.agent, hold: row!.hold };
  await server.holds.decide({
    ...named,
    version: String(row!.modseq),
    action: "approve",
    actor: mia.writer.actor,
  });
  const [approved] = await rows();
  expect(approved!.state).toBe("approved");
  const edited = await ada.owner.client.call("hold.update", {
    id: server.store.ids.encode("hold", named.agent, named.hold),
    version: String(approved!.modseq),
    body: { to: [mel], subject: "Now", text: words },
  });
  expect([200, 403, 422]).toContain(edited.status);
  server.clock.advance(120_000);
  await server.holds.runDue();
  expect(await everything()).not.toContain(words);
  // What was edited waits for the person again.
  if (edited.status === 200) expect((await rows())[0]!.state).toBe("waiting");
});

test("a copy of the calendar in which an agent has planted an event, whose copy the person changes", async () => {
  const { collections, scheduling } = house;
  await inMias.put(event(`DESCRIPTION:${words}\n`));
  const { number } = (await collections.findCollectionOfRole(mia.owner.agent, "calendar", "default"))!;
  const { collection } = await collections.createCollection(mia.writer.actor, mia.owner.agent, {
    kind: "calendar",
    segment: "copy",
    properties: { displayName: "Copy" },
  });
  await scheduling.copyItems({ agent: mia.owner.agent, number }, mia.writer, collection);
  for (const { number: item, bytes } of await Promise.all(
    (await collections.findItemsByUid(mia.owner.agent, "meeting-1", { kind: "calendar" })).map(
      async (one) => (await collections.readItems(mia.owner.agent, [one.number]))[0]!,
    ),
  ))
    await attempt(mia.put(later(plain(bytes)), { item }));
  expect(await everything()).not.toContain(words);
});
