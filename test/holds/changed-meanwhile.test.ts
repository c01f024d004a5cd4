/** When something changes between the decision about a mail and its write, the mail is decided again. */
import { expect, it } from "vitest";
import { type HoldHouse, openHoldHouse } from "./hold-house.ts";

const outside = "lee@elsewhere.example";

async function outcome(house: HoldHouse): Promise<string> {
  const answer = await house.client.call("send", {
    body: { to: [outside], subject: "Hello", text: "How are you?" },
  });
  return answer.status === 200 ? answer.body.state : answer.body.error.code;
}

const policy = (house: HoldHouse, change: Record<string, unknown>) =>
  house.administer("agent.update", { owner: house.robin.address, ...change });

/** All that is in the queue comes to that. */
async function report(house: HoldHouse, state: "relayed" | "failed", status: string): Promise<void> {
  const due = await house.outbound.takeDue({ now: house.clock.now(), limit: 100, skipDomains: new Set() });
  for (const delivery of due)
    await house.outbound.report(
      delivery,
      delivery.recipients.map(({ number }) => ({ number, state, status })),
    );
}

const open = (house: HoldHouse) => policy(house, { holdPolicy: "open" });

type Action = (house: HoldHouse) => Promise<unknown>;

/** Title, what is before, what changes, what becomes of the mail. */
const changes: readonly [string, Action, Action, string][] = [
  ["a policy that is tightened holds it", open, (house) => policy(house, { holdPolicy: "always" }), "held"],
  ["a policy that is opened lets it go", async () => {}, open, "queued"],
  ["a block refuses it", open, (house) => policy(house, { block: ["elsewhere.example"] }), "policy_refused"],
  [
    "an allowance that is withdrawn holds it",
    (house) => policy(house, { allow: ["elsewhere.example"] }),
    (house) => policy(house, { allow: [""] }),
    "held",
  ],
  [
    "a domain that becomes the account's own is no stranger",
    async () => {},
    (house) => house.administer("domain.add", { name: "elsewhere.example" }),
    "queued",
  ],
  [
    "an address that fails for good gets no more mail",
    async (house) => {
      await open(house);
      await outcome(house);
    },
    (house) => report(house, "failed", "5.1.1"),
    "policy_refused",
  ],
  [
    "a first contact that was made is none any more",
    async (house) => {
      await open(house);
      await outcome(house);
      await policy(house, { holdPolicy: "first_contact" });
    },
    (house) => report(house, "relayed", "2.0.0"),
    "queued",
  ],
  [
    "a pause stops it",
    open,
    (house) => house.administer("agent.pause", { owner: house.robin.address }),
    "paused",
  ],
  [
    "the breaker stops it",
    async (house) => {
      await open(house);
      for (let sent = 0; sent < 5; sent++) await outcome(house);
    },
    (house) => report(house, "failed", "5.7.1"),
    "paused",
  ],
];

it.each(changes)("between decision and write: %s", async (_title, before, change, expected) => {
  await using house = await openHoldHouse();
  await before(house);
  let writes = 0;
  house.beforeWrite("submitMessage", async () => {
    if (++writes === 1) await change(house);
  });
  expect(await outcome(house)).toBe(expected);
  expect(writes).toBeGreaterThan(0);
});

it("when an approver is named between decision and write, the mail is decided about again", async () => {
  await using house = await openHoldHouse();
  const sam = await house.create("person", "sam@ours.example");
  let writes = 0;
  house.beforeWrite("submitMessage", async () => {
    if (++writes === 1) await policy(house, { approver: sam.address });
  });
  expect(await outcome(house)).toBe("held");
  expect(writes).toBe(2);
});

it("a large mail is sent whole when its sending was decided twice", async () => {
  await using house = await openHoldHouse();
  await policy(house, { holdPolicy: "open" });
  house.beforeWrite("submitMessage", async () => {
    house.beforeWrite("submitMessage", undefined);
    await policy(house, { allow: ["elsewhere.example"] });
  });
  const text = "All of it, to the end. ".repeat(40_000);
  const { ref } = await house.client.ok("send", { body: { to: [outside], subject: "Large", text } });
  const [delivery] = await house.outbound.takeDue({
    now: house.clock.now(),
    limit: 1,
    skipDomains: new Set(),
  });
  const octets = (await house.outbound.readMessage(delivery!)).toString().replace(/=\r\n|\r\n/g, "");
  expect(octets.split("to the end.")).toHaveLength(40_001);
  expect(ref).toMatch(/^message_/);
});

it("a mail is refused as temporary when the rules change at every attempt, and nothing is sent or held", async () => {
  await using house = await openHoldHouse();
  await open(house);
  let writes = 0;
  house.beforeWrite("submitMessage", async () => {
    await policy(house, { allow: [`n${++writes}.example`] });
  });
  expect(await outcome(house)).toBe("upstream_unavailable");
  expect(writes).toBe(5);
  house.beforeWrite("submitMessage", undefined);
  expect(await house.left()).toEqual([]);
  expect(await house.folder("Holds/Waiting")).toEqual([]);
});

it("an approved mail does not leave to a recipient who is blocked between the last look and the release", async () => {
  await using house = await openHoldHouse();
  const held = await house.send();
  await house.administer("hold.approve", { hold: held.hold });
  house.beforeWrite("releaseHold", async () => {
    house.beforeWrite("releaseHold", undefined);
    await policy(house, { block: ["elsewhere.example"] });
  });
  await house.advance(20_000);
  await house.advance(0);
  expect(await house.left()).toEqual([]);
  expect(await house.hold(held.hold)).toMatchObject({ state: "failed" });
});

it("no approved mail leaves when its mailbox is paused during the release of another one", async () => {
  await using house = await openHoldHouse();
  for (const held of [await house.send(), await house.send()])
    await house.administer("hold.approve", { hold: held.hold });
  let writes = 0;
  house.beforeWrite("releaseHold", async () => {
    if (++writes === 1) await house.administer("agent.pause", { owner: house.robin.address });
  });
  await house.advance(20_000);
  expect(writes).toBe(2);
  expect(await house.left()).toEqual([]);
});

it("an approved mail does not leave to a recipient who was blocked meanwhile for the agent that requested it", async () => {
  await using house = await openHoldHouse();
  const max = await house.create("agent", "max@ours.example");
  await house.administer("grant.create", {
    holder: max.address,
    target: house.robin.address,
    scopes: ["mail", "send"],
  });
  const held = await house.clientOf(max.token!).ok("send", {
    in: house.robin.id,
    body: { to: [outside], subject: "Hello", text: "How are you?" },
  });
  await house.administer("hold.approve", { hold: held.hold });
  await house.administer("agent.update", { owner: max.address, block: ["elsewhere.example"] });
  await house.advance(20_000);
  expect(await house.left()).toEqual([]);
  expect(await house.hold(held.hold)).toMatchObject({ state: "failed" });
});

it("an approved mail does not leave when a mailbox of this server that it is for was deleted meanwhile", async () => {
  await using house = await openHoldHouse();
  const sam = await house.create("person", "sam@ours.example");
  const held = await house.send({ to: [sam.address, outside] });
  await house.administer("hold.approve", { hold: held.hold });
  await house.administer("person.delete", { owner: sam.address });
  await house.advance(20_000);
  expect(await house.left()).toEqual([]);
  expect((await house.events()).at(-1)).toMatchObject({ type: "mail.declined", reason: "refused" });
});

it("a repeat while the first attempt runs is told when to try again, and a later repeat gets its result", async () => {
  await using house = await openHoldHouse();
  await open(house);
  const request = {
    body: { to: [outside], subject: "Once", text: "How are you?" },
    idempotency_key: "once",
  };
  const meanwhile: { status: number; body: Record<string, unknown> }[] = [];
  house.beforeWrite("submitMessage", async () => {
    meanwhile.push(await house.client.call("send", request));
  });
  const first = await house.client.ok("send", request);
  expect(meanwhile).toMatchObject([
    { status: 429, body: { error: { code: "rate_limited", retry_after_ms: 250 } } },
  ]);
  expect((await house.client.ok("send", request)).ref).toBe(first.ref);
  expect(await house.left()).toEqual(["Once"]);
});

it("an agent that is paused does not send from another mailbox either", async () => {
  await using house = await openHoldHouse();
  const max = await house.create("agent", "max@ours.example");
  await house.administer("grant.create", {
    holder: max.address,
    target: house.robin.address,
    scopes: ["mail", "send"],
  });
  await open(house);
  await house.administer("agent.update", { owner: max.address, holdPolicy: "open" });
  await house.administer("agent.pause", { owner: max.address });
  const answer = await house.clientOf(max.token!).call("send", {
    in: house.robin.id,
    body: { to: [outside], subject: "Hello", text: "How are you?" },
  });
  expect(answer.body.error?.code).toBe("paused");
});
