/** What an agent writes into an event of a person's calendar leaves in the person's name only when the person has approved it: the mail waits
 *  in the person's own Holds. */
import { beforeEach, describe, expect, test } from "vitest";
import { actorOf, type Principal } from "#/src/accounts/principal.ts";
import type { Actor } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { eachInMiasHouse, everything, house, inMias, mia } from "./mias-house.ts";
import { calendarText, eventText } from "./scheduling-house.ts";

eachInMiasHouse();

const people = "mia* mia=ACCEPTED bob mel@elsewhere.example";
const event = (lines = "") => calendarText(eventText(people, lines));
const words = "Wire the money to me";
const moved = "DTSTART:20261006T100000Z\nDTEND:20261006T110000Z\n";

async function itemOf() {
  return (await mia.items())[0]!.number;
}

async function waiting() {
  return house.server.store.all<{ hold: number; reason: string; modseq: number }>(
    "select hold_id as hold, reason, modseq from hold where state = 'waiting' order by hold_id",
  );
}

/** Decides about all that waits; the refusals. */
async function decideAll(actor: Actor = mia.writer.actor, action: "approve" | "decline" = "approve") {
  const { holds, clock } = house.server;
  const refusals: string[] = [];
  for (const { hold, modseq } of await waiting())
    await holds
      .decide({ agent: mia.owner.agent, hold, version: String(modseq), action, actor })
      .catch((error: unknown) => refusals.push(isWaypostError(error) ? error.code : String(error)));
  clock.advance(30_000);
  await holds.runDue();
  return refusals;
}

/** Ways in which the agent's words get into the person's event. */
const plants: Readonly<Record<string, () => Promise<unknown>>> = {
  "a description": async () => inMias.put(event(`DESCRIPTION:${words}\n`), { item: await itemOf() }),
  "what only some programs show": async () =>
    inMias.put(event(`X-ALT-DESC;FMTTYPE=text/html:${words}\n`), { item: await itemOf() }),
  categories: async () => inMias.put(event(`CATEGORIES:${words}\n`), { item: await itemOf() }),
  "a change that sends nothing": async () =>
    inMias.put(event(`DESCRIPTION:${words}\n`), { item: await itemOf() }, { messages: "none" }),
  "a participant taken out and put in": async () => {
    await inMias.put(event().replace(/ATTENDEE[^\n]*mel@[^\n]*\n/, ""), { item: await itemOf() });
    await inMias.put(event(`DESCRIPTION:${words}\n`), { item: await itemOf() });
  },
  "the event deleted and written again": async () => {
    await inMias.delete(await itemOf());
    await inMias.put(event(`DESCRIPTION:${words}\n`));
  },
};

describe("an agent with a grant of calendars has written into a person's own event", () => {
  beforeEach(async () => {
    await mia.put(event());
    await house.leaving();
  });

  test.each(Object.entries(plants))("%s: the person moves the event, and it waits", async (_, plant) => {
    await plant();
    const text = (await mia.items())[0]!.bytes;
    const kept = Buffer.from(text)
      .toString()
      .replaceAll("\r\n", "\n")
      .replace(/DTSTART:.*\nDTEND:.*\n/, moved);
    const told = await mia.put(kept, { item: await itemOf() });
    expect(told.scheduling).toBe("held");
    expect(new Set(told.recipients.map((one) => ("reason" in one ? one.reason : one.state)))).toEqual(
      new Set(["not_approved"]),
    );
    expect(await everything()).not.toContain("Wire");
    expect((await mia.texts())[0]).toMatch(/SCHEDULE-STATUS=3\.8[^\n]*:mailto:mel@/);
    expect(new Set((await waiting()).map(({ reason }) => reason))).toEqual(new Set(["unapproved"]));
  });

  test("the person approves, and from then on the event is the person's own again", async () => {
    await plants["a description"]!();
    await mia.put(event(`${moved}DESCRIPTION:${words}\n`), { item: await itemOf() });
    expect(await decideAll()).toEqual([]);
    expect(await everything()).toContain("Wire");
    const told = await mia.put(event(`${moved}DESCRIPTION:${words}!\n`), { item: await itemOf() });
    expect(told.recipients.map(({ state }) => state)).toEqual(["delivered", "sent"]);
  });

  test("the person declines, and it waits again with the next change", async () => {
    await plants["a description"]!();
    await mia.put(event(`${moved}DESCRIPTION:${words}\n`), { item: await itemOf() });
    expect(await decideAll(mia.writer.actor, "decline")).toEqual([]);
    expect(await everything()).not.toContain("Wire");
    const told = await mia.put(event(`${moved}DESCRIPTION:${words}!\n`), { item: await itemOf() });
    expect(told.scheduling).toBe("held");
  });

  test("an approval of what was there before the agent's words does not cover them", async () => {
    await inMias.put(event("LOCATION:Here\n"), { item: await itemOf() });
    await mia.put(event(`${moved}LOCATION:Here\n`), { item: await itemOf() });
    await inMias.put(event(`${moved}LOCATION:Here\nX-ALT-DESC:${words}\n`), { item: await itemOf() });
    await decideAll();
    const late = event(
      `DTSTART:20261007T100000Z\nDTEND:20261007T110000Z\nLOCATION:Here\nX-ALT-DESC:${words}\n`,
    );
    expect((await mia.put(late, { item: await itemOf() })).scheduling).toBe("held");
    expect(await everything()).not.toContain("Wire");
  });

  test("the person deletes the event: the cancellation has the words that were told before", async () => {
    await inMias.put(event("SUMMARY:Pay Ada\n"), { item: await itemOf() });
    const told = await mia.delete(await itemOf());
    expect(told.recipients.map(({ state }) => state)).toEqual(["delivered", "sent"]);
    expect(await everything()).not.toContain("Pay Ada");
    expect(await everything()).toContain("Planning");
  });

  test("the person asks by SCHEDULE-FORCE-SEND, which approves", async () => {
    await plants["a description"]!();
    const forced = event(`DESCRIPTION:${words}\n`).replace(
      /ATTENDEE(?=[^\n]*mel@)/,
      "ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST",
    );
    await mia.put(forced, { item: await itemOf() });
    expect((await house.leaving()).flatMap(({ to }) => to)).toContain("mel@elsewhere.example");
    expect(await house.bob.texts()).toHaveLength(1);
    expect((await house.bob.texts())[0]).not.toContain("Wire");
  });

  test("an agent's SCHEDULE-FORCE-SEND approves nothing", async () => {
    const forced = event(`DESCRIPTION:${words}\n`).replaceAll(
      "ATTENDEE;",
      "ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST;",
    );
    await inMias.put(forced, { item: await itemOf() });
    await mia.put(event(`${moved}DESCRIPTION:${words}\n`), { item: await itemOf() });
    expect(await everything()).not.toContain("Wire");
  });
});

describe("an answer with an agent's words", () => {
  test("waits for the person", async () => {
    const invited = calendarText(eventText("olga*@organizer.example mia"));
    await house.arrive(mia, "REQUEST", "olga@organizer.example", invited);
    const [text] = await mia.texts();
    await inMias.put(text!.replace("END:VEVENT", `COMMENT:${words}\nEND:VEVENT`), { item: await itemOf() });
    const [later] = await mia.texts();
    const told = await mia.put(later!.replace("NEEDS-ACTION", "ACCEPTED"), { item: await itemOf() });
    expect(told.recipients).toMatchObject([{ state: "held", reason: "not_approved" }]);
    expect(await house.leaving()).toEqual([]);
    expect(await decideAll()).toEqual([]);
    expect((await house.leaving()).map(({ calendar }) => calendar).join()).toContain("Wire");
  });
});

describe("who decides about what an agent has written into a person's event", () => {
  beforeEach(async () => {
    await inMias.put(event());
    await mia.put(event("SUMMARY:New\n"), { item: await itemOf() });
  });

  test("the person, and participants are the person's own then", async () => {
    expect(await decideAll()).toEqual([]);
    expect(await everything()).toContain("SUMMARY:New");
    const told = await mia.put(event("SUMMARY:Newer\n"), { item: await itemOf() });
    expect(told.recipients.map(({ state }) => state)).toEqual(["delivered", "sent"]);
  });

  test("no agent, whatever it is granted, no program of the person, and no credential without the scope approve", async () => {
    const { bob } = house;
    const { principal } = mia.writer;
    const own = (change: Partial<Principal>) => actorOf({ ...principal, ...change }, mia.owner.agent, []);
    const others: Actor[] = [
      { ...bob.writer.actor, canApprove: true },
      { ...house.ada.writer.actor, canApprove: true },
      { ...bob.writer.actor, kind: "password", canApprove: true },
      own({ author: { ...principal.author, kind: "program" } }),
      own({ scopes: new Set(["mail", "send", "calendar"]) }),
    ];
    for (const one of others) expect(await decideAll(one)).toEqual(["forbidden_scope"]);
    expect(await everything()).toBe("");
  });

  test("nothing is left to decide once the person deletes the event", async () => {
    await mia.delete(await itemOf());
    expect(await waiting()).toEqual([]);
    expect(await everything()).toBe("");
  });
});
