import { describe, expect, it } from "vitest";
import { graceMs, openHoldHouse } from "./hold-house.ts";

const kimReads = `
  S: * OK {{*}}
  C: a0 LOGIN {{=kim}}
  S: a0 OK {{*}}
  C: a1 SELECT "{{=holds}}/Waiting"
  S*: a1 OK {{*}}
`;

/** Ways in which a mail client approves; after each the mail is in Approved. */
const approvals = {
  MOVE: `
    C: a2 UID MOVE 1 "{{=holds}}/Approved"
    S: * OK [COPYUID {{*}} 1 1] {{*}}
    S: * 1 EXPUNGE
    S: a2 OK {{*}}`,
  "COPY and EXPUNGE": `
    C: a2 UID COPY 1 "{{=holds}}/Approved"
    S: * 1 EXPUNGE
    S: a2 OK [COPYUID {{*}} 1 1] {{*}}
    C: a3 UID STORE 1 +FLAGS (\\Deleted)
    S: a3 OK {{*}}
    C: a4 EXPUNGE
    S: a4 OK {{*}}`,
  "the keyword $Approved": `
    C: a2 UID STORE 1 +FLAGS.SILENT ($Approved)
    S*: * 1 EXPUNGE
    S: a2 OK {{*}}`,
};

describe.each(Object.entries(approvals))("approved by %s", (_, script) => {
  it("one mail leaves after the grace time, and is in Sent under the same id", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    expect(held.state).toBe("held");
    await house.converse(kimReads + script);
    expect(await house.folder("Holds/Approved")).toEqual([held.ref]);
    await house.advance(graceMs - 1);
    expect(await house.left()).toEqual([]);
    await house.advance(1);
    expect(await house.left()).toEqual(["Offer"]);
    await house.advance(10 * graceMs);
    expect(await house.left()).toEqual([]);
    expect(await house.folder("sent")).toEqual([held.ref]);
    expect(await house.folder("Holds/Approved")).toEqual([]);
    expect(await house.hold(held.hold)).toMatchObject({ state: "sent", decided_by: house.kim.id });
  });
});

/** Ways in which a mail client takes it back. */
const undoings = {
  "a MOVE back": `
    C: b2 UID MOVE 1 "{{=holds}}/Waiting"
    S*: b2 OK {{*}}`,
  "a COPY back": `
    C: b2 UID COPY 1 "{{=holds}}/Waiting"
    S*: b2 OK {{*}}`,
};

describe.each(Object.entries(undoings))("taken back by %s in the grace time", (_, script) => {
  it("it waits again, and nothing leaves until it is approved again", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    await house.converse(kimReads + approvals.MOVE);
    await house.advance(graceMs - 1);
    await house.converse(`
      S: * OK {{*}}
      C: b0 LOGIN {{=kim}}
      S: b0 OK {{*}}
      C: b1 SELECT "{{=holds}}/Approved"
      S*: b1 OK {{*}}
      ${script}
    `);
    await house.advance(10 * graceMs);
    expect(await house.left()).toEqual([]);
    expect(await house.folder("Holds/Waiting")).toEqual([held.ref]);
    expect(await house.hold(held.hold)).toMatchObject({ state: "waiting" });
    await house.converse(`
      ${kimReads}
      C: a2 UID MOVE 1:* "{{=holds}}/Approved"
      S*: a2 OK {{*}}
    `);
    await house.advance(graceMs);
    expect(await house.left()).toEqual(["Offer"]);
  });
});

it("removing the keyword undoes the approval, and the mail that waits does not have it", async () => {
  await using house = await openHoldHouse();
  const held = await house.send();
  await house
    .converse(`
    ${kimReads}
    ${approvals["the keyword $Approved"]}
    C: c1 SELECT "{{=holds}}/Approved"
    S*: c1 OK {{*}}
    C: c2 UID STORE 1 -FLAGS.SILENT ($Approved)
    S*: c2 OK {{*}}
    C: c3 SELECT "{{=holds}}/Waiting"
    S*: c3 OK {{*}}
    C: c4 UID FETCH 1:* (FLAGS)
    S: * 1 FETCH (UID 2 FLAGS ({{flags:.*}}))
    S*: c4 OK {{*}}
  `)
    .then(({ flags }) => expect(flags).not.toContain("$Approved"));
  await house.advance(10 * graceMs);
  expect(await house.left()).toEqual([]);
  expect(await house.hold(held.hold)).toMatchObject({ state: "waiting" });
});

describe("declined", () => {
  const declines = {
    "a MOVE to Declined": `
      C: a2 UID MOVE 1 "{{=holds}}/Declined"
      S*: a2 OK {{*}}`,
    "a MOVE to one's own Trash": `
      C: a2 UID MOVE 1 Trash
      S*: a2 OK {{*}}`,
    EXPUNGE: `
      C: a2 UID STORE 1 +FLAGS.SILENT (\\Deleted)
      S*: a2 OK {{*}}
      C: a3 UID EXPUNGE 1
      S*: a3 OK {{*}}`,
  };
  it.each(Object.entries(declines))(
    "by %s it never leaves, and the agent gets an event",
    async (_, script) => {
      await using house = await openHoldHouse();
      const held = await house.send();
      await house.converse(kimReads + script);
      await house.advance(100 * graceMs);
      expect(await house.left()).toEqual([]);
      expect(await house.folder("Holds/Declined")).toEqual([held.ref]);
      expect(await house.hold(held.hold)).toMatchObject({ state: "declined" });
      const told = (await house.events()).filter(({ type }) => type !== "mail.received");
      expect(told).toMatchObject([
        { type: "mail.held", hold: held.hold, message: held.ref, reason: "first_contact" },
        { type: "mail.declined", hold: held.hold, message: held.ref, reason: "declined" },
      ]);
    },
  );

  it("it stays declined, and no later move sends it", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    await house.converse(kimReads + declines["a MOVE to Declined"]);
    await house.converse(`
      S: * OK {{*}}
      C: b0 LOGIN {{=kim}}
      S: b0 OK {{*}}
      C: b1 SELECT "{{=holds}}/Declined"
      S*: b1 OK {{*}}
      C: b2 UID MOVE 1 "{{=holds}}/Approved"
      S: b2 NO {{*}}
      C: b3 UID COPY 1 "{{=holds}}/Waiting"
      S: b3 NO {{*}}
    `);
    expect(await house.hold(held.hold)).toMatchObject({ state: "declined" });
  });
});

it("mail without a decision is declined when the hold expires", async () => {
  await using house = await openHoldHouse();
  const held = await house.send();
  await house.advance(7 * 86_400_000 - 1);
  expect(await house.hold(held.hold)).toMatchObject({ state: "waiting" });
  await house.advance(1);
  expect(await house.hold(held.hold)).toMatchObject({ state: "expired" });
  expect(await house.folder("Holds/Declined")).toEqual([held.ref]);
  expect((await house.events()).at(-1)).toMatchObject({ type: "mail.declined", reason: "expired" });
  expect(await house.left()).toEqual([]);
});

it("mail that waits cannot be moved to another mailbox", async () => {
  await using house = await openHoldHouse();
  await house.send();
  await house.converse(`
    ${kimReads}
    C: a2 UID MOVE 1 INBOX
    S: a2 NO {{*}}
    C: a3 UID COPY 1 INBOX
    S: a3 OK {{*}}
  `);
  expect(await house.folder("Holds/Waiting")).toHaveLength(1);
});

it("an approver cannot add other mail to the mailboxes of holds, or create mailboxes beside them", async () => {
  await using house = await openHoldHouse();
  await house.send();
  const text = "Subject: Mine\\r\\n\\r\\nx";
  await house.converse(`
    S: * OK {{*}}
    C: a0 LOGIN {{=kim}}
    S: a0 OK {{*}}
    C: a1 APPEND INBOX {18+}
    C: ${text}
    S*: a1 OK {{*}}
    C: a2 SELECT INBOX
    S*: a2 OK {{*}}
    C: a3 UID COPY 1 "{{=holds}}/Approved"
    S: a3 NO [NOPERM] {{*}}
    C: a4 UID MOVE 1 "{{=holds}}/Waiting"
    S: a4 NO [NOPERM] {{*}}
    C: a5 APPEND "{{=holds}}/Declined" {18+}
    C: ${text}
    S: a5 NO [NOPERM] {{*}}
    C: a6 APPEND "{{=holds}}/Waiting" {18+}
    C: ${text}
    S: a6 NO [NOPERM] {{*}}
    C: a7 CREATE "{{=holds}}/Waiting/Mine"
    S: a7 NO {{*}}
    C: a8 DELETE "{{=holds}}/Waiting"
    S: a8 NO {{*}}
    C: a9 SELECT "Other Users/robin@ours.example/INBOX"
    S*: a9 NO {{*}}
  `);
  expect(await house.folder("Holds/Approved")).toEqual([]);
  expect(await house.folder("Holds/Waiting")).toHaveLength(1);
});

it("several mails are approved by one MOVE, each of them once", async () => {
  await using house = await openHoldHouse();
  for (const subject of ["One", "Two", "Three"]) await house.send({ subject });
  await house.converse(`
    ${kimReads}
    C: a2 MOVE 1:* "{{=holds}}/Approved"
    S*: a2 OK {{*}}
  `);
  await house.advance(graceMs);
  expect((await house.left()).sort()).toEqual(["One", "Three", "Two"]);
});

it("an approved mail leaves also when the clock was set back after its approval", async () => {
  await using house = await openHoldHouse();
  const held = await house.send();
  await house.administer("hold.approve", { hold: held.hold });
  // By the grace time, and as much as clocks of several daemons differ, it is waited for.
  await house.advance(-graceMs - 60_000);
  expect(await house.left()).toEqual([]);
  await house.advance(-86_400_000);
  expect(await house.left()).toEqual(["Offer"]);
});

it("scheduled mail leaves at its time, not at its approval", async () => {
  await using house = await openHoldHouse();
  const sendAt = house.clock.now() + 3_600_000;
  const held = await house.send({}, { send_at: new Date(sendAt).toISOString() });
  await house.administer("hold.approve", { hold: held.hold });
  await house.advance(graceMs);
  expect(await house.left()).toEqual(["Offer"]);
  expect(await house.outbound.nextDueAt()).toBe(sendAt);
});
