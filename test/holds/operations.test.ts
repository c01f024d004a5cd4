import { describe, expect, it } from "vitest";
import { graceMs, openHoldHouse } from "./hold-house.ts";

describe("hold.update", () => {
  it("approves, takes back and declines for whom the operator granted it", async () => {
    await using house = await openHoldHouse();
    const wren = await house.create("agent", "wren@ours.example", { scopes: ["mail", "approve"] });
    const client = house.clientOf(wren.token!);
    await house.administer("grant.create", {
      holder: wren.address,
      target: house.robin.address,
      scopes: ["mail", "approve"],
    });
    const held = await house.send();
    const approved = await client.ok("hold.update", {
      id: held.hold,
      version: held.version,
      state: "approved",
    });
    expect(approved).toMatchObject({ ref: held.hold, created: false, state: "approved", message: held.ref });
    const back = await client.ok("hold.update", {
      id: held.hold,
      version: approved.version,
      state: "waiting",
    });
    expect(back.state).toBe("waiting");
    await house.advance(10 * graceMs);
    expect(await house.left()).toEqual([]);
    const again = await client.ok("hold.update", {
      id: held.hold,
      version: back.version,
      state: "approved",
      idempotency_key: "k1",
    });
    await house.advance(graceMs);
    expect(await house.left()).toEqual(["Offer"]);
    // The key answers what it answered first, whatever has become of the hold.
    const repeat = { id: held.hold, version: back.version, state: "approved", idempotency_key: "k1" };
    expect(await client.ok("hold.update", repeat)).toEqual(again);
    const late = await client.call("hold.update", {
      id: held.hold,
      version: (await house.hold(held.hold)).version,
      state: "declined",
    });
    expect([late.status, late.body.error.code]).toEqual([422, "policy_refused"]);
  });

  it("without a version changes nothing, and answers the current version", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const answer = await house.client.call("hold.update", {
      id: held.hold,
      body: { to: ["lee@elsewhere.example"], subject: "Other", text: "Nine." },
    });
    expect([answer.status, answer.body.error.version]).toEqual([409, held.version]);
  });

  it("with a body makes another mail under the same id, which waits", async () => {
    await using house = await openHoldHouse();
    const held = await house.send({ bcc: ["spy@elsewhere.example"] });
    const edited = await house.client.ok("hold.update", {
      id: held.hold,
      version: held.version,
      body: { to: ["max@elsewhere.example"], subject: "Better offer", text: "Twelve pieces." },
    });
    expect(edited).toMatchObject({ ref: held.hold, state: "waiting" });
    expect(edited.message).not.toBe(held.ref);
    const { content, text } = await house.client.ok("part.describe", { id: held.hold });
    expect(content).toMatchObject({
      id: held.hold,
      message: edited.message,
      subject: "Better offer",
      recipients: ["max@elsewhere.example"],
      requested_by: house.robin.id,
    });
    expect(text).toContain("Twelve pieces.");
    const gone = await house.client.call("part.describe", { id: held.ref });
    expect(gone.status).toBe(404);
  });

  it("requires one of state and body", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const answer = await house.client.call("hold.update", { id: held.hold, version: held.version });
    expect(answer.body.error).toMatchObject({ code: "invalid", field: "/state" });
  });
});

describe("hold.create", () => {
  it("requests approval whatever the policy says, also for a draft", async () => {
    await using house = await openHoldHouse();
    await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
    const asked = await house.client.ok("hold.create", {
      body: { to: ["kim@ours.example"], subject: "May I?", text: "Yes?" },
      idempotency_key: "once",
    });
    expect(asked).toMatchObject({ created: true, state: "waiting" });
    expect(await house.hold(asked.ref)).toMatchObject({ state: "waiting", reason: "requested" });
    const other = await house.client.call("hold.create", {
      body: { to: ["kim@ours.example"], subject: "Another", text: "Yes?" },
      idempotency_key: "once",
    });
    expect(other.body.error.code).toBe("invalid");
    const draft = await house.client.ok("draft.create", {
      body: { to: ["kim@ours.example"], subject: "Draft", text: "Yes?" },
    });
    const { ref } = await house.client.ok("hold.create", { draft: draft.ref, version: draft.version });
    expect(await house.hold(ref)).toMatchObject({ subject: "Draft", state: "waiting" });
    expect(await house.folder("drafts")).toEqual([]);
  });
});

describe("hold.delete", () => {
  it("withdraws a mail for its sender, and puts it into Trash", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const answer = await house.client.ok("hold.delete", { id: held.hold, version: held.version });
    expect(answer).toMatchObject({ ref: held.hold, state: "withdrawn" });
    expect(await house.folder("trash")).toEqual([held.ref]);
    await house.converse(`
      S: * OK {{*}}
      C: a0 LOGIN {{=kim}}
      S: a0 OK {{*}}
      C: a1 SELECT "{{=holds}}/Waiting"
      S*: * 0 EXISTS
      S*: a1 OK {{*}}
    `);
    expect((await house.events()).map(({ type }) => type)).toEqual(["mail.held"]);
  });

  it("message.delete does the same", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const { version } = await house.client.ok("part.describe", { id: held.ref });
    await house.client.ok("message.delete", { id: held.ref, version });
    expect(await house.hold(held.hold)).toMatchObject({ state: "withdrawn" });
    expect(await house.folder("trash")).toEqual([held.ref]);
  });
});

describe("the operator", () => {
  it("lists mail that waits, and decides about it", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const { holds } = await house.administer("hold.list", {});
    expect(holds).toMatchObject([
      {
        id: held.hold,
        state: "waiting",
        from: "robin@ours.example",
        to: ["lee@elsewhere.example"],
        subject: "Offer",
        reason: "first_contact",
      },
    ]);
    await house.administer("hold.approve", { hold: held.hold });
    await house.administer("hold.wait", { hold: held.hold });
    await house.administer("hold.approve", { hold: held.hold });
    await house.advance(graceMs);
    expect(await house.left()).toEqual(["Offer"]);
    expect(await house.hold(held.hold)).toMatchObject({ state: "sent", decided_by: "operator" });
    await expect(house.administer("hold.decline", { hold: held.hold })).rejects.toMatchObject({
      details: { reason: "hold_is_decided" },
    });
  });

  it("can name only a person of the account as approver", async () => {
    await using house = await openHoldHouse();
    const wren = await house.create("agent", "wren@ours.example");
    const update = (approver: string) => house.administer("agent.update", { owner: wren.address, approver });
    await expect(update("robin@ours.example")).rejects.toMatchObject({ code: "invalid" });
    await house.administer("account.create", { name: "theirs" });
    await house.administer("domain.add", { name: "theirs.example", account: "theirs" });
    await house.create("person", "pat@theirs.example");
    await expect(update("pat@theirs.example")).rejects.toMatchObject({ code: "invalid" });
    expect(await update("kim@ours.example")).toMatchObject({ approver: "kim@ours.example" });
    expect(await update("none")).toMatchObject({ approver: null, holdPolicy: "first_contact" });
  });
});

it("a new approver is subscribed to the mailboxes of holds", async () => {
  await using house = await openHoldHouse();
  await house.converse(`
    S: * OK {{*}}
    C: a0 LOGIN {{=kim}}
    S: a0 OK {{*}}
    C: a1 LIST (SUBSCRIBED) "" "Other Users/*"
    S: * LIST (\\HasNoChildren \\Subscribed) "/" "{{=holds}}/Approved"
    S: * LIST (\\HasNoChildren \\Subscribed) "/" "{{=holds}}/Declined"
    S: * LIST (\\HasNoChildren \\Subscribed) "/" "{{=holds}}/Waiting"
    S: a1 OK {{*}}
  `);
});

it("a former approver does not reach the mailboxes of holds", async () => {
  await using house = await openHoldHouse();
  await house.send();
  await house.converse(
    `S: * OK {{*}}
    C: a0 LOGIN {{=kim}}
    S: a0 OK {{*}}
    C: a1 LIST "" "Other Users/*"
    S: * LIST (\\HasNoChildren) "/" "Other Users/robin@ours.example/Holds/Approved"
    S: * LIST (\\HasNoChildren) "/" "Other Users/robin@ours.example/Holds/Declined"
    S: * LIST (\\HasNoChildren) "/" "Other Users/robin@ours.example/Holds/Waiting"
    S*: a1 OK {{*}}
    C: a2 MYRIGHTS "{{=holds}}/Waiting"
    S: * MYRIGHTS {{*}} lrswited
    S: a2 OK {{*}}
    C: a3 SELECT "{{=holds}}/Waiting"
    S*: a3 OK {{*}}
    DO dismiss
    C: a4 UID MOVE 1 "{{=holds}}/Approved"
    S*: * BYE {{*}}
    `,
    {
      actions: {
        dismiss: () => house.administer("agent.update", { owner: house.robin.address, approver: "none" }),
      },
    },
  );
  expect((await house.administer("hold.list", {})).holds).toMatchObject([{ state: "waiting" }]);
});

it("MYRIGHTS of the mailboxes of holds has only rights that can be used", async () => {
  await using house = await openHoldHouse();
  await house.send();
  await house.converse(`
    S: * OK {{*}}
    C: a0 LOGIN {{=robin}}
    S: a0 OK {{*}}
    C: a1 LIST "" "Holds*" RETURN (MYRIGHTS)
    S: * LIST {{*}}
    S: * MYRIGHTS "Holds" lrswited
    S: * LIST {{*}}
    S: * MYRIGHTS "Holds/Approved" lrswted
    S: * LIST {{*}}
    S: * MYRIGHTS "Holds/Declined" lrswted
    S: * LIST {{*}}
    S: * MYRIGHTS "Holds/Waiting" lrswited
    S: a1 OK {{*}}
    C: a2 GETACL Holds/Approved
    S: * ACL "Holds/Approved" robin@ours.example lrswted kim@ours.example lrswited
    S: a2 OK {{*}}
    C: a3 LISTRIGHTS Holds/Approved kim@ours.example
    S: * LISTRIGHTS "Holds/Approved" kim@ours.example "" lr swited
    S: a3 OK {{*}}
    C: a4 LISTRIGHTS Holds/Waiting robin@ours.example
    S: * LISTRIGHTS "Holds/Waiting" robin@ours.example lrswited
    S: a4 OK {{*}}
    C: a5 CREATE Holds/Mine
    S: a5 NO [CANNOT] {{*}}approval{{*}}
    C: a6 DELETE Holds/Waiting
    S: a6 NO [CANNOT] {{*}}
    C: a7 RENAME Holds Other
    S: a7 NO [CANNOT] {{*}}approval{{*}}
    C: a8 MYRIGHTS Archive
    S: * MYRIGHTS "Archive" lrswikxtecd
    S: a8 OK {{*}}
  `);
});

it("a person may create mailboxes with the same names, and has all rights on them", async () => {
  await using house = await openHoldHouse();
  await house.converse(`
    S: * OK {{*}}
    C: a0 LOGIN {{=kim}}
    S: a0 OK {{*}}
    C: a1 CREATE Holds/Approved
    S: a1 OK {{*}}
    C: a2 MYRIGHTS Holds/Approved
    S: * MYRIGHTS "Holds/Approved" lrswikxtecd
    S: a2 OK {{*}}
  `);
});

it("a hold that was decided long ago is deleted; its mail stays", async () => {
  await using house = await openHoldHouse();
  const held = await house.send();
  const other = await house.send({ subject: "Waits" });
  await house.administer("hold.decline", { hold: held.hold });
  house.clock.advance(90 * 86_400_000);
  await house.store.maintain({ changesMs: 90 * 86_400_000 });
  expect((await house.client.call("part.describe", { id: held.hold })).status).toBe(404);
  expect(await house.folder("Holds/Declined")).toEqual([held.ref]);
  expect(await house.hold(other.hold)).toMatchObject({ state: "waiting" });
});
