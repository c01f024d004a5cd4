import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
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

it("first_contact: a domain that mail was handed over to is known, for this agent", async () => {
  await using house = await openHoldHouse();
  const held = await house.send();
  await house.administer("hold.approve", { hold: held.hold });
  await house.advance(20_000);
  expect(await outcome(house, { to: [outside] })).toBe("first_contact");
  await handOver(house);
  expect(await outcome(house, { to: ["max@Elsewhere.example"] })).toBe("queued");
  expect(await outcome(house, { to: [outside, "ann@third.example"] })).toBe("first_contact");
});

it("lists: what is allowed leaves, what is blocked never does", async () => {
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

it("answers: to whom a proven mail came from it leaves, to whom an unproven one names it waits", async () => {
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

it("bulk: more recipients than the operator lets pass", async () => {
  await using house = await openHoldHouse({ holds: { bulkRecipients: 2 } });
  const allowed = (count: number) => Array.from({ length: count }, (_, n) => `n${n}@elsewhere.example`);
  await house.administer("agent.update", { owner: house.robin.address, allow: ["elsewhere.example"] });
  expect(await outcome(house, { to: allowed(2) })).toBe("queued");
  expect(await outcome(house, { to: allowed(3) })).toBe("bulk");
});

describe("approved mail", () => {
  it("does not leave to whom was blocked meanwhile, and the agent is told", async () => {
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

  it("does not leave when it is not what was approved, whoever has changed it", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    await house.administer("hold.approve", { hold: held.hold });
    new Database(`${house.store.folder}/waypost.db`)
      .exec("update hold set envelope = replace(envelope, 'lee@', 'eve@')")
      .close();
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

it("five failed mails of the last twenty pause an agent, until the operator resumes it", async () => {
  await using house = await openHoldHouse();
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
  const failOne = async (): Promise<string> => {
    const state = await outcome(house, { to: [`x${house.clock.now()}@elsewhere.example`] });
    const due = await house.outbound.takeDue({ now: house.clock.now(), limit: 9, skipDomains: new Set() });
    for (const delivery of due)
      await house.outbound.report(delivery, [{ number: 1, state: "failed", status: "5.1.1" }]);
    house.clock.advance(1000);
    return state;
  };
  for (let n = 0; n < 5; n++) expect(await failOne()).toBe("queued");
  const answer = await house.client.call("send", { body: { to: [inside], subject: "Hi", text: "Hi" } });
  expect([answer.status, answer.body.error.code]).toEqual([503, "paused"]);
  await house.administer("agent.resume", { owner: house.robin.address });
  for (let n = 0; n < 5; n++) expect(await failOne()).toBe("queued");
  expect(await failOne()).toBe("paused");
});

it("mail to others does not leave from a domain that they cannot know", async () => {
  await using house = await openHoldHouse({ outbound: { smarthostHost: "" } });
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
  const answer = await house.client.call("send", { body: { to: [outside], subject: "Hi", text: "Hi" } });
  expect(answer.body.error).toMatchObject({
    code: "policy_refused",
    hint: expect.stringContaining("smarthost"),
  });
  expect(await outcome(house, { to: [inside] })).toBe("queued");
});
