/** The results of a calendar change: copies for attendees here, inbox items, mails and their holds, in one transaction. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { schedulingInboxItemsMax } from "#/src/model/limits.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { withLimit } from "../limits/hand-in.ts";
import {
  calendarText,
  eventText,
  openSchedulingHouse,
  plain,
  type SchedulingHouse,
} from "./scheduling-house.ts";

let house: SchedulingHouse;
beforeEach(async () => {
  house = await openSchedulingHouse();
});
afterEach(async () => {
  await house[Symbol.asyncDispose]();
});

const invitation = (people: string, lines?: string) => calendarText(eventText(people, lines));
const edited = (text: string) => text.replace(/;SCHEDULE-STATUS=[\d.]+/g, "");

describe("an attendee of the same account", () => {
  test("has the event at once, the message in the inbox, and no mail", async () => {
    const { ada, bob, server } = house;
    const written = await ada.put(invitation("ada* ada=ACCEPTED bob"));
    expect(written).toMatchObject({ isCreated: true, isRewritten: true, scheduling: "sent" });
    const [copy] = await bob.texts();
    expect(copy).toContain("ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:bob@first.example\n");
    expect(copy).not.toMatch(/METHOD|SCHEDULE-STATUS/);
    expect(await bob.texts("inbox")).toMatchObject([expect.stringContaining("METHOD:REQUEST\n")]);
    expect((await ada.texts())[0]).toContain(
      "PARTSTAT=NEEDS-ACTION;RSVP=TRUE;SCHEDULE-STATUS=1.2:mailto:bob@first.example\n",
    );
    await server.deliverQueued();
    expect(await house.leaving()).toEqual([]);
    expect((await server.mail.listNewestMessages(bob.owner.agent, { limit: 10 })).length).toBe(0);
  });

  test("is invited also where the line of the organizer is folded inside its name", async () => {
    const { ada, bob } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob").replace("ORGANIZER", "ORGAN\n IZER"));
    expect((await bob.texts()).length).toBe(1);
  });

  test("has the event again when the organizer deletes it and puts it back with its former SEQUENCE", async () => {
    const { ada, bob } = house;
    const text = invitation("ada* ada=ACCEPTED bob");
    const { item } = await ada.put(text);
    await ada.delete(item);
    expect((await bob.texts())[0]).toContain("STATUS:CANCELLED\n");
    await ada.put(text);
    const [copy, ...others] = await bob.texts();
    expect(others).toEqual([]);
    expect(copy).not.toContain("CANCELLED");
    expect(copy).toContain("ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:bob@first.example\n");
  });

  test("keeps the cancelled series when invited to one instance alone", async () => {
    const { ada, bob } = house;
    const third = "RECURRENCE-ID:20261019T100000Z\nDTSTART:20261019T120000Z\nDTEND:20261019T130000Z\n";
    const all = "ada* ada=ACCEPTED bob";
    const series = (people: string) => eventText(people, "RRULE:FREQ=WEEKLY\n");
    const { item } = await ada.put(calendarText(series(all) + eventText(all, third)));
    await ada.put(calendarText(series("ada* ada=ACCEPTED") + eventText(all, third)), { item });
    const [copy] = await bob.texts();
    expect(copy).toMatch(/RRULE:FREQ=WEEKLY\n[\s\S]*STATUS:CANCELLED\n|STATUS:CANCELLED\n[\s\S]*RRULE:/);
    expect(copy).toContain("RECURRENCE-ID:20261019T100000Z\n");
  });

  test("keeps the event of another organizer with the same UID, and the second organizer gets status 5.3", async () => {
    const { ada, bob } = house;
    await bob.put(invitation("olga*@elsewhere.example bob"));
    const before = await bob.texts();
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    expect(await bob.texts()).toEqual(before);
    expect((await ada.texts())[0]).toContain("SCHEDULE-STATUS=5.3:mailto:bob@first.example\n");
  });

  test("who is listed twice is one attendee", async () => {
    const { ada, bob } = house;
    const line = "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:bob@first.example\n";
    const text = invitation("ada* ada=ACCEPTED bob");
    expect(text).toContain(line);
    await ada.put(text.replace(line, line + line));
    for (const owner of [ada, bob]) expect((await owner.texts())[0]!.match(/:mailto:bob@/g)).toHaveLength(1);
  });

  test("answers, and the organizer has the answer at once with the same Schedule-Tag", async () => {
    const { ada, bob } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [before] = await ada.items();
    const [copy] = await bob.items();
    const accepted = plain(copy!.bytes).replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED");
    await bob.put(accepted, { item: copy!.number });
    const [after] = await ada.items();
    expect(plain(after!.bytes)).toMatch(
      /ATTENDEE;PARTSTAT=ACCEPTED;SCHEDULE-STATUS=2\.0;X-WAYPOST-REPLIED=\d+T\d+Z:mailto:bob@/,
    );
    expect(after!.scheduleTag).toBe(before!.scheduleTag);
    expect(after!.modseq).not.toBe(before!.modseq);
    expect(await ada.texts("inbox")).toMatchObject([expect.stringContaining("METHOD:REPLY\n")]);
    const [answered] = await bob.texts();
    expect(answered).toContain("ORGANIZER;SCHEDULE-STATUS=1.2:mailto:ada@first.example\n");
    expect(answered).toContain("ATTENDEE;PARTSTAT=ACCEPTED:mailto:ada@first.example\n");
  });

  test("sees the status of the own answer in a changed event", async () => {
    const { ada, bob } = house;
    const { item } = await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [copy] = await bob.items();
    const accepted = plain(copy!.bytes).replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED");
    await bob.put(accepted, { item: copy!.number });
    const [own] = await ada.texts();
    await ada.put(own!.replace("END:VEVENT", "LOCATION:Upstairs\nEND:VEVENT"), { item });
    const [changed] = await bob.texts();
    expect(changed).toContain("LOCATION:Upstairs\n");
    expect(changed).toContain("ORGANIZER;SCHEDULE-STATUS=1.2:mailto:ada@first.example\n");
  });

  test("loses the event to a cancellation, but sees that it was there", async () => {
    const { ada, bob } = house;
    const { item } = await ada.put(invitation("ada* ada=ACCEPTED bob"));
    await ada.delete(item);
    expect(await ada.texts()).toEqual([]);
    expect((await bob.texts())[0]).toContain("STATUS:CANCELLED\n");
  });

  test("sees a cancelled instance struck through, and deletes it without a word to the organizer", async () => {
    const { ada, bob } = house;
    const series = (lines: string) =>
      calendarText(eventText("ada* ada=ACCEPTED bob", `RRULE:FREQ=WEEKLY\n${lines}`));
    const { item } = await ada.put(series(""));
    await ada.put(series("EXDATE:20261019T100000Z\n"), { item });
    const [copy] = await bob.texts();
    expect(copy).toMatch(/RECURRENCE-ID:20261019T100000Z\n/);
    expect(copy!.match(/STATUS:CANCELLED\n/g)).toHaveLength(1);
    expect(copy).not.toContain("EXDATE");
    const before = await ada.texts();
    const own = (await bob.items())[0]!.number;
    const master = copy!
      .split(/(?=BEGIN:VEVENT)|(?<=END:VEVENT\n)/)
      .filter((piece) => !piece.includes("RECURRENCE-ID"))
      .join("");
    await bob.put(master.replace("RRULE:", "EXDATE:20261019T100000Z\nRRULE:"), { item: own });
    expect(await ada.texts()).toEqual(before);
  });

  test("who deletes the event declines, unless the client wants no reply", async () => {
    const { ada, bob } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob=ACCEPTED"));
    const [copy] = await bob.items();
    await bob.delete(copy!.number, { isReplying: false });
    expect((await ada.texts())[0]).toContain(
      "PARTSTAT=NEEDS-ACTION;RSVP=TRUE;SCHEDULE-STATUS=1.2:mailto:bob",
    );
    await ada.put(edited((await ada.texts())[0]!).replace("SUMMARY:Planning", "SUMMARY:New"), {
      item: (await ada.items())[0]!.number,
    });
    const [again] = await bob.items();
    await bob.delete(again!.number);
    expect((await ada.texts())[0]).toContain("PARTSTAT=DECLINED");
  });

  test("sees a changed instance of a series, and declines another", async () => {
    const { ada, bob } = house;
    const series = eventText("ada* ada=ACCEPTED bob", "RRULE:FREQ=WEEKLY\n");
    const third = "20261019T100000Z";
    const changed = eventText(
      "ada* ada=ACCEPTED bob",
      `RECURRENCE-ID:${third}\nDTSTART:20261019T120000Z\nDTEND:20261019T130000Z\n`,
    );
    const { item } = await ada.put(calendarText(series));
    await ada.put(calendarText(series, changed), { item });
    const [copy] = await bob.items();
    expect(plain(copy!.bytes)).toMatch(/RECURRENCE-ID:20261019T100000Z\n/);
    const second = "20261012T100000Z";
    const declined = eventText(
      "ada* ada=ACCEPTED bob=DECLINED",
      `RECURRENCE-ID:${second}\nDTSTART:${second}\nDTEND:20261012T110000Z\n`,
    );
    await bob.put(plain(copy!.bytes).replace("END:VCALENDAR", `${declined}END:VCALENDAR`), {
      item: copy!.number,
    });
    const own = (await ada.texts())[0]!;
    expect(own.match(/PARTSTAT=DECLINED[^\n]*bob/g)).toHaveLength(1);
    expect(own).toContain(`RECURRENCE-ID:${second}\n`);
  });

  test("sees others' answers without a new message", async () => {
    const { ada, bob, server } = house;
    await server.administer("agent.create", { address: "cleo@first.example" });
    await ada.put(invitation("ada* ada=ACCEPTED bob cleo"));
    const cleo = (await server.accounts.findOwner("cleo@first.example"))!.agent;
    const [before] = await house.collections.findItemsByUid(cleo, "meeting-1", { kind: "calendar" });
    const [copy] = await bob.items();
    await bob.put(plain(copy!.bytes).replace(/NEEDS-ACTION(;RSVP=TRUE:mailto:bob)/, "TENTATIVE$1"), {
      item: copy!.number,
    });
    const [after] = await house.collections.findItemsByUid(cleo, "meeting-1", { kind: "calendar" });
    const [stored] = await house.collections.readItems(cleo, [after!.number]);
    expect(plain(stored!.bytes)).toContain("PARTSTAT=TENTATIVE:mailto:bob");
    expect(after!.scheduleTag).toBe(before!.scheduleTag);
  });

  test("over quota gets nothing, and the organizer's event has status 5.3", async () => {
    const { ada, bob, server } = house;
    await server.administer("agent.update", { owner: bob.owner.address, quotaBytes: 100 });
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    expect(await bob.texts()).toEqual([]);
    expect((await ada.texts())[0]).toContain("SCHEDULE-STATUS=5.3:mailto:bob@first.example");
  });

  test("proposes a time, which the organizer's event shows until it is declined", async () => {
    const { ada, bob } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [copy] = await bob.items();
    const proposal = "2026-10-07T10:00:00Z/2026-10-07T11:00:00Z";
    const proposing = plain(copy!.bytes).replace(
      /ATTENDEE(;[^:]*)?:mailto:bob/,
      `ATTENDEE;PARTSTAT=TENTATIVE;X-WAYPOST-PROPOSAL="${proposal}":mailto:bob`,
    );
    expect((await bob.put(proposing, { item: copy!.number })).scheduling).toBe("sent");
    const [own] = await ada.texts();
    expect(own).toMatch(
      /PARTSTAT=TENTATIVE;[^\n]*X-WAYPOST-PROPOSAL="2026-10-07T10:00:00Z\/[^\n]*:mailto:bob/,
    );
    expect(own).toContain("DTSTART:20261005T100000Z\n");
    const messages = (await ada.texts("inbox")).map((text) => /METHOD:(\w+)/.exec(text)![1]);
    expect(messages.sort()).toEqual(["COUNTER", "REPLY"]);
    expect((await ada.texts("inbox")).join()).toContain("DTSTART:20261007T100000Z\n");
    // The same again says nothing.
    const again = (await bob.items())[0]!;
    await bob.put(plain(again.bytes).replace("SUMMARY", "X-MOZ-A:1\nSUMMARY"), { item: again.number });
    expect(await ada.texts("inbox")).toHaveLength(2);

    const [item] = await ada.items();
    const declined = plain(item!.bytes).replace(/;X-WAYPOST-PROPOS\w+=(?:"[^"]*"|[^;:]*)/g, "");
    await ada.put(declined, { item: item!.number }, { answersProposals: true });
    expect((await ada.texts())[0]).not.toContain("PROPOSAL");
    expect((await bob.texts())[0]).not.toContain("PROPOSAL");
    expect((await bob.texts())[0]).toContain("PARTSTAT=TENTATIVE");
    expect((await bob.texts("inbox")).join()).toContain("METHOD:DECLINECOUNTER");
  });

  test("keeps an own event with the same UID", async () => {
    const { ada, bob } = house;
    await bob.put(calendarText(eventText("bob*").replace(/ORGANIZER.*\n/, "")));
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    expect(await bob.texts()).toHaveLength(1);
    expect((await bob.texts())[0]).not.toContain("ada@");
  });
});

describe("an attendee elsewhere", () => {
  test("gets a mail that calendars and people can read", async () => {
    const { ada } = house;
    await house.openPolicies();
    const written = await ada.put(invitation("ada* ada=ACCEPTED mel@elsewhere.example kim@else.example"));
    expect(written.scheduling).toBe("sent");
    const mails = await house.leaving();
    expect(mails.flatMap(({ to }) => to).sort()).toEqual(["kim@else.example", "mel@elsewhere.example"]);
    expect(await house.server.store.all("select submission_id from submission")).toHaveLength(1);
    const [mail] = mails;
    expect(mail!.text).toMatch(/^From: .*ada@first\.example/m);
    expect(mail!.text).toMatch(/Subject: Invitation: Planning\r\n/);
    expect(mail!.text).toMatch(/Content-Type: text\/calendar; charset=utf-8; method=REQUEST\r\n/i);
    expect(mail!.text).toMatch(/filename="?invite\.ics/);
    expect(mail!.calendar).toContain("METHOD:REQUEST\n");
    expect(mail!.calendar).not.toContain("SCHEDULE-");
    expect((await ada.texts())[0]).toContain("SCHEDULE-STATUS=1.1:mailto:mel@elsewhere.example");
  });

  test("gets the files of an event in the mail, and no addresses that it cannot open", async () => {
    const { ada } = house;
    await house.openPolicies();
    const lines = ["here", "gone"].map((id) => `ATTACH;MANAGED-ID=${id}:https://first.example/dav/${id}\n`);
    const bytes = Buffer.from("the plan");
    const added = [{ managedId: "here", bytes, name: "plan.txt", type: "text/plain" }];
    const invited = invitation("ada* ada=ACCEPTED mel@elsewhere.example", lines.join(""));
    await ada.put(invited, { attachments: { added } });
    const [mail] = await house.leaving();
    expect(mail!.text).toMatch(/filename="?plan\.txt/);
    expect(mail!.text).toContain(bytes.toString("base64"));
    expect(mail!.calendar).toContain("ATTACH:https://first.example/dav/gone\n");
    expect(mail!.calendar).not.toMatch(/MANAGED-ID|dav\/here/);
    expect((await ada.texts())[0]).toContain("MANAGED-ID=here");
  });

  test("gets the files of an event that fit into the mail, and the addresses of the others", async () => {
    const { ada } = house;
    await house.openPolicies();
    const names = ["first", "second", "third"];
    const lines = names.map((id) => `ATTACH;MANAGED-ID=${id}:https://first.example/dav/${id}\n`);
    const added = names.map((managedId) => ({
      managedId,
      bytes: Buffer.alloc(managedId === "third" ? 2 : 6, managedId),
      name: `${managedId}.txt`,
      type: "text/plain",
    }));
    const invited = invitation("ada* ada=ACCEPTED mel@elsewhere.example", lines.join(""));
    await withLimit("model", "mailedAttachmentBytesMax", 8, () =>
      ada.put(invited, { attachments: { added } }),
    );
    const [mail] = await house.leaving();
    expect([...mail!.text.matchAll(/filename="?(\w+)\.txt/g)].map(([, name]) => name)).toEqual([
      "first",
      "third",
    ]);
    expect(mail!.calendar.match(/^ATTACH.*$/gm)).toEqual(["ATTACH:https://first.example/dav/second"]);
  });

  test("gets no mail for a change that does not concern attendees", async () => {
    const { ada } = house;
    await house.openPolicies();
    const { item } = await ada.put(invitation("ada* ada=ACCEPTED mel@elsewhere.example"));
    await ada.put(invitation("ada* ada=TENTATIVE mel@elsewhere.example"), { item });
    expect(await house.leaving()).toHaveLength(1);
  });

  test("of another account of this server gets a mail too, and the event with it", async () => {
    const { ada, eve, server } = house;
    await house.openPolicies();
    await ada.put(invitation("ada* ada=ACCEPTED eve@second.example"));
    expect(await eve.texts()).toEqual([]);
    await server.deliverQueued();
    expect(await server.mail.listNewestMessages(eve.owner.agent, { limit: 10 })).toHaveLength(1);
    expect((await eve.texts())[0]).toContain("ORGANIZER:mailto:ada@first.example\n");
    const [copy] = await eve.items();
    expect(copy).toMatchObject({ isAuthenticated: true, provenance: { source: "submission" } });
    await eve.put(plain(copy!.bytes).replace(/NEEDS-ACTION(;RSVP=TRUE:mailto:eve)/, "ACCEPTED$1"), {
      item: copy!.number,
    });
    await server.deliverQueued();
    expect((await ada.texts())[0]).toMatch(/PARTSTAT=ACCEPTED;SCHEDULE-STATUS=2\.0[^\n]*eve/);
  });

  test("who is a stranger to an agent waits for a person, while the event is there", async () => {
    const { ada, bob } = house;
    const written = await ada.put(invitation("ada* ada=ACCEPTED bob mel@elsewhere.example"));
    expect(written.scheduling).toBe("held");
    expect(await house.leaving()).toEqual([]);
    const holds = await house.server.store.all<{ reason: string }>("select reason from hold");
    expect(holds).toEqual([{ reason: "invitation" }]);
    expect((await ada.texts())[0]).toContain("SCHEDULE-STATUS=1.0:mailto:mel@elsewhere.example");
    expect(await bob.texts()).toHaveLength(1);
  });

  test("gets nothing before approval when the agent's policy is always, also in the same account", async () => {
    const { ada, bob, server } = house;
    await server.administer("agent.update", { owner: ada.owner.address, holdPolicy: "always" });
    expect((await ada.put(invitation("ada* ada=ACCEPTED bob"))).scheduling).toBe("held");
    expect(await bob.texts()).toEqual([]);
  });

  test("who does not exist has status 3.7 in the organizer's event", async () => {
    const { ada } = house;
    await ada.put(invitation("ada* ada=ACCEPTED nobody"));
    expect((await ada.texts())[0]).toContain("SCHEDULE-STATUS=3.7:mailto:nobody@first.example");
  });

  test("whom the operator has blocked gets nothing, and others do", async () => {
    const { ada, server } = house;
    await house.openPolicies();
    await server.administer("agent.update", { owner: ada.owner.address, block: ["bad.example"] });
    await ada.put(invitation("ada* ada=ACCEPTED mel@elsewhere.example x@bad.example"));
    expect((await house.leaving()).flatMap(({ to }) => to)).toEqual(["mel@elsewhere.example"]);
    expect((await ada.texts())[0]).toContain("SCHEDULE-STATUS=3.8:mailto:x@bad.example");
  });

  test("gets no message from a credential without the scope send, also in the same account", async () => {
    const { ada, bob, server } = house;
    await house.openPolicies();
    const { token } = await server.token(ada.owner, ["calendar"]);
    const principal = await server.accounts.authenticateToken(token, "127.0.0.1");
    const { number } = (await house.collections.findCollectionOfRole(
      ada.owner.agent,
      "calendar",
      "default",
    ))!;
    const bytes = Buffer.from(
      invitation("ada* ada=ACCEPTED bob mel@elsewhere.example").replaceAll("\n", "\r\n"),
    );
    await house.scheduling.putItem(
      { ...ada.writer, principal },
      { collection: number, bytes, provenance: { source: "api" }, isAuthenticated: true },
    );
    expect(await house.leaving()).toEqual([]);
    expect(await bob.texts()).toEqual([]);
    const [own] = await ada.texts();
    expect(own).toContain("SCHEDULE-STATUS=3.8:mailto:mel@elsewhere.example");
    expect(own).toContain("SCHEDULE-STATUS=3.8:mailto:bob@first.example");
  });
});

describe("a calendar that is deleted or left", () => {
  async function otherCalendar({ owner }: SchedulingHouse["ada"]): Promise<CollectionNumber> {
    const { collection } = await house.collections.createCollection(nobody, owner.agent, {
      kind: "calendar",
      properties: { displayName: "Other" },
    });
    return collection;
  }
  const textsIn = async ({ owner }: SchedulingHouse["ada"], collection: CollectionNumber) => {
    const found: string[] = [];
    for await (const page of house.collections.listItems(owner.agent, collection))
      for (const item of await house.collections.readItems(
        owner.agent,
        page.map(({ number }) => number),
      ))
        found.push(plain(item!.bytes));
    return found;
  };

  test("sends the same messages as the deletion of each of its events", async () => {
    const { ada, bob, scheduling } = house;
    await house.openPolicies();
    const other = await otherCalendar(ada);
    await ada.put(calendarText(eventText("ada* ada=ACCEPTED bob mel@elsewhere.example", "", "one")), {
      collection: other,
    });
    await ada.put(calendarText(eventText("ada* ada=ACCEPTED bob", "", "two")), { collection: other });
    await ada.put(calendarText(eventText("ada* ada=ACCEPTED bob", "", "kept")));
    await bob.put(calendarText(eventText("bob* ada bob=ACCEPTED", "", "asked")));
    const [asked] = (await ada.items()).filter(({ uid }) => uid === "asked");
    await house.collections.moveItem(ada.owner.agent, ada.writer.actor, asked!.number, {
      collection: other,
      overwrite: false,
    });
    await scheduling.deleteCalendar(ada.writer, other);
    expect(await house.collections.findCollection(ada.owner.agent, other)).toBeUndefined();
    const copies = new Map((await bob.items()).map(({ uid, bytes }) => [uid, plain(bytes)]));
    expect(copies.get("one")).toContain("STATUS:CANCELLED\n");
    expect(copies.get("two")).toContain("STATUS:CANCELLED\n");
    expect(copies.get("kept")).not.toContain("STATUS:CANCELLED\n");
    expect(copies.get("asked")).toMatch(/PARTSTAT=DECLINED[^\n]*:mailto:ada@/);
    const mails = await house.leaving();
    expect(mails.map(({ calendar }) => /METHOD:(\w+)/.exec(calendar)![1])).toEqual(["REQUEST", "CANCEL"]);
  });

  test("sends no messages with messages none, and is not deleted at another version", async () => {
    const { ada, bob, scheduling } = house;
    const other = await otherCalendar(ada);
    await ada.put(calendarText(eventText("ada* ada=ACCEPTED bob")), { collection: other });
    await expect(scheduling.deleteCalendar(ada.writer, other, "1")).rejects.toMatchObject({
      code: "precondition_failed",
    });
    expect(await textsIn(ada, other)).toHaveLength(1);
    await scheduling.deleteCalendar(ada.writer, other, undefined, { messages: "none" });
    expect((await bob.texts())[0]).not.toContain("STATUS:CANCELLED");
  });

  test("is not deleted when its messages cannot be sent", async () => {
    const { ada, scheduling, server } = house;
    await house.openPolicies();
    const other = await otherCalendar(ada);
    await ada.put(calendarText(eventText("ada* mel@elsewhere.example")), { collection: other });
    await server.administer("agent.pause", { owner: ada.owner.address });
    await expect(scheduling.deleteCalendar(ada.writer, other)).rejects.toMatchObject({ code: "paused" });
    expect(await textsIn(ada, other)).toHaveLength(1);
  });

  test("loses an event to another calendar of its owner without a message, and the Schedule-Tag stays", async () => {
    const { ada, bob } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [own] = await ada.items();
    const before = (await bob.items())[0]!.modseq;
    await house.collections.moveItem(ada.owner.agent, ada.writer.actor, own!.number, {
      collection: await otherCalendar(ada),
      overwrite: false,
    });
    const [moved] = await house.collections.readItems(ada.owner.agent, [own!.number]);
    expect(moved!.scheduleTag).toBe(own!.scheduleTag);
    expect((await bob.items())[0]!.modseq).toBe(before);
    expect(await bob.texts("inbox")).toHaveLength(1);
  });

  test("loses an event to another owner's calendar only where that owner has no other event with the UID", async () => {
    const { ada, bob, scheduling } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [own] = await ada.items();
    const move = async () =>
      scheduling.moveToOther(ada.writer, own!.number, bob.writer, {
        collection: await otherCalendar(bob),
        segment: "moved.ics",
        overwrite: true,
      });
    await expect(move()).rejects.toMatchObject({
      details: { reason: "unique-scheduling-object-resource" },
    });
    expect(await ada.texts()).toHaveLength(1);
    await bob.delete((await bob.items())[0]!.number, { messages: "none" });
    await move();
    expect(await ada.texts()).toEqual([]);
  });
});

describe("a scheduling inbox", () => {
  test("is emptied without a message to anybody", async () => {
    const { ada, bob, collections } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [copy] = await bob.items();
    await bob.put(plain(copy!.bytes).replace("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED"), {
      item: copy!.number,
    });
    const [asked, answered] = [await ada.texts(), await bob.texts()];
    for (const person of [ada, bob]) {
      const { agent } = person.owner;
      const inbox = (await collections.findCollectionOfRole(agent, "calendar", "inbox"))!.number;
      for await (const page of collections.listItems(agent, inbox))
        for (const { number } of page) await person.delete(number);
      expect(await person.texts("inbox")).toEqual([]);
    }
    expect([await ada.texts(), await bob.texts()]).toEqual([asked, answered]);
  });

  test("that nobody reads keeps the newest messages", async () => {
    const { ada, bob, collections } = house;
    const inbox = (await collections.findCollectionOfRole(bob.owner.agent, "calendar", "inbox"))!.number;
    const old = (at: number) =>
      Buffer.from(calendarText(eventText("ada* bob", "", `old-${at}`)).replaceAll("\n", "\r\n"));
    await collections.changeItems(nobody, [
      {
        agent: bob.owner.agent,
        actor: bob.writer.actor,
        actions: Array.from({ length: schedulingInboxItemsMax }, (_, at) => ({
          kind: "put" as const,
          collection: inbox,
          bytes: old(at),
          provenance: { source: "dav" as const },
          isAuthenticated: true,
        })),
      },
    ]);
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const texts = await bob.texts("inbox");
    expect(texts).toHaveLength(schedulingInboxItemsMax);
    expect(texts[0]).toContain("UID:old-1\n");
    expect(texts.at(-1)).toContain("UID:meeting-1\n");
  });
});

describe("a calendar", () => {
  test("stores an event without an organizer unchanged", async () => {
    const { ada } = house;
    const text = calendarText(eventText("ada*").replace(/ORGANIZER.*\n/, ""));
    const written = await ada.put(text);
    expect(written).toMatchObject({ isRewritten: false, scheduling: "none" });
    expect(plain((await ada.items())[0]!.bytes)).toBe(text);
  });

  test("refuses a second event with the same UID and an organizer", async () => {
    const { ada } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const { collection } = await house.collections.createCollection(nobody, ada.owner.agent, {
      kind: "calendar",
      properties: { displayName: "Other" },
    });
    await expect(ada.put(invitation("ada* ada=ACCEPTED bob"), { collection })).rejects.toMatchObject({
      code: "policy_refused",
      details: { reason: "unique-scheduling-object-resource" },
    });
  });

  test("refuses a change that an attendee may not make, with its precondition", async () => {
    const { ada, bob } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [copy] = await bob.items();
    const moved = plain(copy!.bytes).replace("DTEND:20261005T110000Z", "DTEND:20261005T120000Z");
    await expect(bob.put(moved, { item: copy!.number })).rejects.toMatchObject({
      details: { reason: "allowed-attendee-scheduling-object-change" },
    });
  });

  test("refuses an old version and another Schedule-Tag, and sends nothing", async () => {
    const { ada, bob } = house;
    const { item, modseq } = await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [before] = await bob.items();
    const changed = invitation("ada* ada=ACCEPTED bob", "SUMMARY:Evil\n");
    await expect(ada.put(changed, { item, expected: { version: "1" } })).rejects.toMatchObject({
      code: "precondition_failed",
      details: { version: String(modseq) },
    });
    await expect(ada.put(changed, { item, expected: { scheduleTag: "1" } })).rejects.toMatchObject({
      details: { reason: "schedule-tag-match" },
    });
    expect((await bob.items())[0]!.modseq).toBe(before!.modseq);
  });

  test("a client that uses the Schedule-Tag keeps answers that came meanwhile", async () => {
    const { ada, bob } = house;
    await ada.put(invitation("ada* ada=ACCEPTED bob"));
    const [own] = await ada.items();
    const [copy] = await bob.items();
    await bob.put(plain(copy!.bytes).replace(/NEEDS-ACTION(;RSVP=TRUE:mailto:bob)/, "ACCEPTED$1"), {
      item: copy!.number,
    });
    await ada.put(invitation("ada* ada=ACCEPTED bob", "SUMMARY:New\n"), {
      item: own!.number,
      expected: { scheduleTag: own!.scheduleTag },
    });
    expect((await ada.texts())[0]).toMatch(
      /PARTSTAT=ACCEPTED;SCHEDULE-STATUS=1\.2[^\n]*bob[^\n]*\nSUMMARY:New\n/,
    );
  });

  test("the answers of two attendees at the same time are both stored", async () => {
    const { ada, bob, server } = house;
    const { token } = (await server.administer("agent.create", { address: "cleo@first.example" })) as {
      token: string;
    };
    const principal = await server.accounts.authenticateToken(token, "127.0.0.1");
    await ada.put(invitation("ada* ada=ACCEPTED bob cleo"));
    const writers = [
      bob.writer,
      { agent: principal.agent, principal, actor: { ...nobody, agent: principal.agent, canApprove: false } },
    ];
    await Promise.all(
      writers.map(async (writer, at) => {
        const name = ["bob", "cleo"][at]!;
        const [found] = await house.collections.findItemsByUid(writer.agent, "meeting-1", {
          kind: "calendar",
        });
        const [copy] = await house.collections.readItems(writer.agent, [found!.number]);
        const text = plain(copy!.bytes).replace(
          `NEEDS-ACTION;RSVP=TRUE:mailto:${name}`,
          `ACCEPTED:mailto:${name}`,
        );
        await house.scheduling.putItem(writer, {
          collection: found!.collection,
          item: found!.number,
          bytes: Buffer.from(text.replaceAll("\n", "\r\n")),
          provenance: { source: "dav" },
          isAuthenticated: true,
        });
      }),
    );
    expect((await ada.texts())[0]!.match(/PARTSTAT=ACCEPTED;SCHEDULE-STATUS=2\.0/g)).toHaveLength(2);
  });
});
