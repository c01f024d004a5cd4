import { describe, expect, it } from "vitest";
import { changeRows } from "../support/engine.ts";
import { deliver, type HoldHouse, openHoldHouse } from "./hold-house.ts";

/** The state of a mail of robin, or why it waits, or why it is refused. */
async function outcome(house: HoldHouse, body: Record<string, unknown>): Promise<string> {
  const answer = await house.client.call("send", {
    body: { subject: "Hello", text: "How are you?", ...body },
  });
  if (answer.status !== 200) return answer.body.error.code;
  return answer.body.hold === undefined
    ? answer.body.state
    : ((await house.hold(answer.body.hold)).reason as string);
}

/** Everything that is in the queue has been handed over. */
async function handOver(house: HoldHouse): Promise<void> {
  const due = await house.outbound.takeDue({ now: house.clock.now(), limit: 100, skipDomains: new Set() });
  for (const delivery of due)
    await house.outbound.report(
      delivery,
      delivery.recipients.map(({ number }) => ({ number, state: "relayed", status: "2.0.0" })),
    );
}

const inside = "kim@ours.example";
const outside = "lee@elsewhere.example";

it.each([
  ["open", "queued", "queued"],
  ["first_contact", "queued", "first_contact"],
  ["external", "queued", "external"],
  ["always", "always", "always"],
])("%s: mail inside the account is %s, a first mail to others %s", async (holdPolicy, own, other) => {
  await using house = await openHoldHouse();
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy });
  expect(await outcome(house, { to: [inside] })).toBe(own);
  expect(await outcome(house, { to: [outside] })).toBe(other);
  expect(await outcome(house, { to: [inside], cc: [outside] })).toBe(other);
});

it("first_contact: a domain whose server has accepted mail is known, for this agent", async () => {
  await using house = await openHoldHouse();
  const held = await house.send();
  await house.administer("hold.approve", { hold: held.hold });
  await house.advance(20_000);
  expect(await outcome(house, { to: [outside] })).toBe("first_contact");
  await handOver(house);
  expect(await outcome(house, { to: ["max@Elsewhere.example"] })).toBe("queued");
  expect(await outcome(house, { to: [outside, "ann@third.example"] })).toBe("first_contact");
});

it("first_contact: at a public mail provider each address is known by itself", async () => {
  await using house = await openHoldHouse();
  const held = await house.send({ to: ["lee@gmail.com"] });
  await house.administer("hold.approve", { hold: held.hold });
  await house.advance(20_000);
  await handOver(house);
  expect(await outcome(house, { to: ["Lee@Gmail.com"] })).toBe("queued");
  expect(await outcome(house, { to: ["max@gmail.com"] })).toBe("first_contact");
  expect(await outcome(house, { to: ["lee@gmail.com", "max@gmail.com"] })).toBe("first_contact");
});

it("lists: mail to allowed addresses leaves, and mail to blocked ones is refused", async () => {
  await using house = await openHoldHouse();
  await house.administer("agent.update", {
    owner: house.robin.address,
    allow: ["elsewhere.example", "Ann@Third.example"],
    block: ["spam@elsewhere.example", "bad.example"],
  });
  expect(await outcome(house, { to: [outside] })).toBe("queued");
  expect(await outcome(house, { to: ["ann@third.example"] })).toBe("queued");
  expect(await outcome(house, { to: ["bob@third.example"] })).toBe("first_contact");
  expect(await outcome(house, { to: ["bob@sub.elsewhere.example"] })).toBe("first_contact");
  for (const to of [
    "spam@elsewhere.example",
    "SPAM+x@elsewhere.example",
    "a@bad.example",
    "a@sub.bad.example",
  ])
    expect(await outcome(house, { to: [inside], bcc: [to] })).toBe("policy_refused");
});

it("answers: an answer to authenticated mail leaves, and one to unauthenticated mail waits", async () => {
  await using house = await openHoldHouse();
  const proven = await deliver(house, "Proven", { isAuthenticated: true });
  const unproven = await deliver(house, "Unproven", {});
  const automatic = await deliver(house, "Automatic", {
    isAuthenticated: true,
    fields: "Auto-Submitted: auto-replied\r\n",
  });
  expect(await outcome(house, { in_reply_to: proven })).toBe("queued");
  expect(await outcome(house, { in_reply_to: unproven })).toBe("answering_unauthenticated");
  expect(await outcome(house, { in_reply_to: automatic })).toBe("automated");
  // Whom it names beside them is a stranger.
  expect(await outcome(house, { in_reply_to: proven, cc: ["ann@third.example"] })).toBe("first_contact");
  await house.administer("agent.update", { owner: house.robin.address, allow: ["elsewhere.example"] });
  expect(await outcome(house, { in_reply_to: unproven })).toBe("queued");
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
  expect(await outcome(house, { in_reply_to: automatic })).toBe("automated");
});

it("answers: a Reply-To that nobody has signed waits for a person, whatever the policy", async () => {
  await using house = await openHoldHouse();
  const mail = (subject: string, covered: boolean) =>
    deliver(house, subject, {
      isAuthenticated: true,
      fields: "Reply-To: Lee <eve@elsewhere.example>, lee@elsewhere.example\r\n",
      checks: { reply_to: { covered } },
    });
  const open = await mail("Open", false);
  const signed = await mail("Signed", true);
  await house.administer("agent.update", {
    owner: house.robin.address,
    holdPolicy: "open",
    allow: ["elsewhere.example"],
  });
  expect(await outcome(house, { in_reply_to: signed })).toBe("queued");
  expect(await outcome(house, { in_reply_to: open })).toBe("answering_unauthenticated");
  expect(await outcome(house, { in_reply_to: open, reply_all: true })).toBe("answering_unauthenticated");
  expect(await outcome(house, { in_reply_to: open, to: ["EVE@Elsewhere.example"] })).toBe(
    "answering_unauthenticated",
  );
  // The author's own address is signed.
  expect(await outcome(house, { in_reply_to: open, to: ["lee@elsewhere.example"] })).toBe("queued");
});

it("answers: an agent in a person's mailbox may not write to an unsigned Reply-To", async () => {
  await using house = await openHoldHouse();
  const { kim, robin } = house;
  await house.administer("grant.create", {
    holder: robin.address,
    target: kim.address,
    scopes: ["mail", "send"],
  });
  await house.administer("agent.update", { owner: robin.address, holdPolicy: "open" });
  const mail = (subject: string, covered: boolean) =>
    deliver({ ...house, robin: kim }, subject, {
      isAuthenticated: true,
      fields: "Reply-To: eve@elsewhere.example\r\n",
      checks: { reply_to: { covered } },
    });
  const answer = async (in_reply_to: string) =>
    (await house.client.call("send", { in: kim.id, body: { in_reply_to, text: "Yes." } })).body;
  expect(await answer(await mail("Open", false))).toMatchObject({ error: { code: "policy_refused" } });
  expect(await answer(await mail("Signed", true))).toMatchObject({ state: "queued" });
});

it("bulk: a mail with more recipients than the limit waits, also with the policy open", async () => {
  await using house = await openHoldHouse({ holds: { bulkRecipients: 2 } });
  const allowed = (count: number) => Array.from({ length: count }, (_, n) => `n${n}@elsewhere.example`);
  await house.administer("agent.update", { owner: house.robin.address, allow: ["elsewhere.example"] });
  expect(await outcome(house, { to: allowed(2) })).toBe("queued");
  expect(await outcome(house, { to: allowed(3) })).toBe("bulk");
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
  expect(await outcome(house, { to: allowed(2) })).toBe("queued");
  expect(await outcome(house, { to: allowed(3) })).toBe("bulk");
});

describe("approved mail", () => {
  it("does not leave to a recipient who was blocked meanwhile, and the agent gets an event", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    await house.administer("hold.approve", { hold: held.hold });
    await house.administer("agent.update", { owner: house.robin.address, block: ["elsewhere.example"] });
    await house.advance(20_000);
    expect(await house.left()).toEqual([]);
    expect(await house.hold(held.hold)).toMatchObject({ state: "failed" });
    expect(await house.folder("Holds/Declined")).toEqual([held.ref]);
    expect((await house.events()).at(-1)).toMatchObject({ type: "mail.declined", reason: "blocked" });
  });

  it("does not leave when it differs from the approved version, whoever has changed it", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    await house.administer("hold.approve", { hold: held.hold });
    await changeRows(house.store.place, "update hold set envelope = replace(envelope, 'lee@', 'eve@')");
    await house.advance(20_000);
    expect(await house.left()).toEqual([]);
    expect((await house.events()).at(-1)).toMatchObject({ type: "mail.declined", reason: "changed" });
  });

  it("waits while its mailbox is paused, and leaves once it is resumed", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    await house.administer("hold.approve", { hold: held.hold });
    await house.administer("agent.pause", { owner: house.robin.address });
    await house.advance(60_000);
    expect(await house.left()).toEqual([]);
    expect(await house.holds.nextDueAt()).toBeUndefined();
    await house.administer("agent.resume", { owner: house.robin.address });
    await house.advance(0);
    expect(await house.left()).toEqual(["Offer"]);
  });
});

it("mail to other servers is refused from a domain that they cannot know", async () => {
  await using house = await openHoldHouse({ outbound: { smarthostHost: "" } });
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
  const answer = await house.client.call("send", { body: { to: [outside], subject: "Hi", text: "Hi" } });
  expect(answer.body.error).toMatchObject({
    code: "policy_refused",
    hint: expect.stringContaining("smarthost"),
  });
  expect(await outcome(house, { to: [inside] })).toBe("queued");
});
