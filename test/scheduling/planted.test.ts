/** What an agent writes into a person's calendar by a grant does not speak in the person's name until the person approves it. */
import { describe, expect, test } from "vitest";
import { eachInMiasHouse, house, inMias, mia } from "./mias-house.ts";
import { type CalendarOwner, calendarText, eventText, plain } from "./scheduling-house.ts";

eachInMiasHouse();

const people = "mia* mia=ACCEPTED bob mel@elsewhere.example";
const event = (lines = "") => calendarText(eventText(people, lines));
const invited = calendarText(eventText("olga*@organizer.example mia"));

async function sentAnything(): Promise<boolean> {
  const { bob, server } = house;
  await server.deliverQueued();
  return (await house.leaving()).length > 0 || (await bob.texts()).length > 0;
}

describe("an event that an agent has written into a person's calendar", () => {
  test("shows the person who added its participants", async () => {
    const { item } = await inMias.put(event());
    const [text] = await mia.texts();
    expect(text).toContain("CN=mel@elsewhere.example (added by ada@first.example)");
    expect(text).toContain("X-WAYPOST-ADDED-BY=ada@first.example");
    expect(text).toMatch(/SCHEDULE-STATUS=3\.8[^\n]*mel@/);
    // A program that leaves out what it does not know changes nothing of it.
    await mia.put(text!.replaceAll(/;X-WAYPOST-ADDED-BY=[^;:]*/g, ""), { item });
    expect((await mia.texts())[0]).toContain("X-WAYPOST-ADDED-BY=ada@first.example");
  });

  test.each([
    ["edits", async (item: number) => void (await mia.put(event("SUMMARY:New\n"), { item } as never))],
    ["deletes", async (item: number) => void (await mia.delete(item as never))],
    [
      "copies",
      async () => {
        const [text] = await mia.texts();
        await mia.put(text!.replace("UID:meeting-1", "UID:copy"));
      },
    ],
    [
      "copies with a program that leaves out what it does not know",
      async () => {
        const [text] = await mia.texts();
        const plainer = text!.replaceAll(/;X-[A-Z-]+=[^;:\n]*/g, "");
        expect(plainer).toContain("(added by");
        await mia.put(plainer.replace("UID:meeting-1", "UID:copy"));
      },
    ],
  ])("sends nothing to them when the person %s it", async (_, act) => {
    const { item } = await inMias.put(event());
    await act(item);
    expect(await sentAnything()).toBe(false);
  });

  test("tells the person that nobody was told, and why", async () => {
    const { item } = await inMias.put(event());
    const edited = await mia.put(event("SUMMARY:New\n"), { item });
    expect(edited.scheduling).toBe("held");
    expect(edited.recipients.map(({ address, hold: _, ...answer }) => ({ [address]: answer }))).toEqual([
      { "bob@first.example": { state: "held", reason: "not_approved" } },
      { "mel@elsewhere.example": { state: "held", reason: "not_approved" } },
    ]);
    expect((await mia.texts())[0]).toMatch(/SCHEDULE-STATUS=3\.8[^\n]*:mailto:mel@/);
  });

  test("sends it to whom the person approves, and to whom the person adds", async () => {
    const { bob } = house;
    const { item } = await inMias.put(event());
    const approved = (await mia.texts())[0]!
      .replace("mailto:bob@", "mailto:bob@")
      .replace(/ATTENDEE(;[^\n]*:mailto:bob@)/, "ATTENDEE;SCHEDULE-FORCE-SEND=REQUEST$1")
      .replace("END:VEVENT", "ATTENDEE:mailto:kim@else.example\nEND:VEVENT");
    await mia.put(approved, { item });
    const [copy] = await bob.texts();
    expect(copy).toContain("SUMMARY:Planning\n");
    expect(copy).not.toMatch(/added by|ADDED-BY/);
    expect((await house.leaving()).flatMap(({ to }) => to)).toEqual(["kim@else.example"]);
    expect((await mia.texts())[0]).toMatch(/ADDED-BY[^\n]*:mailto:mel@/);
    expect((await mia.texts())[0]).not.toMatch(/ADDED-BY[^\n]*:mailto:bob@/);
  });

  test("is sent to whom the person approves by a patch", async () => {
    const { bob, scheduling } = house;
    const { item } = await inMias.put(event());
    const [stored] = await mia.items();
    const approved = plain(stored!.bytes).replace(/;X-WAYPOST-ADDED-BY=[^;:]*(?=[^\n]*:mailto:bob@)/, "");
    const put = {
      collection: stored!.collection,
      item,
      bytes: Buffer.from(approved.replace("Planning", "Now").replaceAll("\n", "\r\n")),
      provenance: { source: "api" },
      isAuthenticated: true,
    } as const;
    await scheduling.putItem(mia.writer, put, { isApproving: true });
    expect(await bob.texts()).toHaveLength(1);
    expect(await house.leaving()).toEqual([]);
    expect((await mia.texts())[0]!.match(/added by/g)).toHaveLength(1);
  });

  test("has no organizer, and sends nothing when the person's program makes the person its organizer", async () => {
    const { item } = await inMias.put(event().replace(/ORGANIZER.*\n/, ""));
    await mia.put(event(), { item });
    expect(await sentAnything()).toBe(false);
  });

  test("comes from the agent's own calendar, and sends nothing after the person has copied or moved it", async () => {
    const { ada, scheduling } = house;
    const { item } = await ada.put(event(), {}, { messages: "none" });
    const calendar = (await mia.items()).length === 0 ? await defaultOf(mia) : undefined;
    const inAdas = { ...ada.writer, principal: mia.writer.principal, actor: mia.writer.actor };
    await scheduling.moveToOther(inAdas, item, mia.writer, { collection: calendar!, overwrite: false });
    const [moved] = await mia.items();
    expect(plain(moved!.bytes)).toContain("X-WAYPOST-ADDED-BY=ada@first.example");
    await mia.put(event("SUMMARY:New\n"), { item: moved!.number });
    await mia.delete(moved!.number);
    expect(await sentAnything()).toBe(false);
  });
});

async function defaultOf({ owner }: CalendarOwner) {
  return (await house.collections.findCollectionOfRole(owner.agent, "calendar", "default"))!.number;
}

describe("an invitation that an agent has written into a person's calendar", () => {
  test.each([
    [
      "accepts",
      async (item: number) =>
        void (await mia.put(invited.replace("NEEDS-ACTION", "ACCEPTED"), { item } as never)),
    ],
    ["deletes", async (item: number) => void (await mia.delete(item as never))],
  ])("sends no answer when the person %s it", async (_, act) => {
    const { item } = await inMias.put(invited);
    expect((await mia.texts())[0]).toContain("(added by ada@first.example)");
    await act(item);
    expect(await sentAnything()).toBe(false);
  });

  test("is answered once its organizer has sent it", async () => {
    const { item } = await inMias.put(invited);
    await house.arrive(mia, "REQUEST", "olga@organizer.example", invited);
    const [text] = await mia.texts();
    expect(text).not.toContain("added by");
    await mia.put(text!.replace("NEEDS-ACTION", "ACCEPTED"), { item });
    expect((await house.leaving()).flatMap(({ to }) => to)).toEqual(["olga@organizer.example"]);
  });
});

describe("an agent that may send for a person", () => {
  test("invites, and the person changes and cancels", async () => {
    await house.server.administer("agent.create", { address: "cleo@first.example" });
    const assistant = await house.granted(house.bob, mia, ["calendar", "send"]);
    const text = (lines = "") =>
      calendarText(eventText("mia* mia=ACCEPTED cleo mel@elsewhere.example", lines));
    const sent = await assistant.put(text());
    expect(sent.recipients.map(({ state }) => state)).toEqual(["delivered", "sent"]);
    const [item] = await mia.items();
    await mia.put(text("SUMMARY:New\n"), { item: item!.number });
    await mia.delete(item!.number);
    const methods = (await house.leaving()).map(({ calendar }) => /METHOD:(\w+)/.exec(calendar)![1]);
    expect(methods).toEqual(["REQUEST", "REQUEST", "CANCEL"]);
  });
});
