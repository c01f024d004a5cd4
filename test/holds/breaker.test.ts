/** An agent whose mail keeps failing is paused, and everybody concerned learns the reason. */
import { expect, it } from "vitest";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type HoldHouse, openHoldHouse } from "./hold-house.ts";

/** One mail of robin, which fails; the code of the refusal if it is not taken. */
async function failOne(house: HoldHouse): Promise<string> {
  const { status, body } = await house.client.call("send", {
    body: { to: [`x${house.clock.now()}@elsewhere.example`], subject: "Hello", text: "Hello" },
  });
  if (status !== 200) return body.error.code;
  const due = await house.outbound.takeDue({ now: house.clock.now(), limit: 9, skipDomains: new Set() });
  for (const delivery of due)
    await house.outbound.report(delivery, [{ number: 1, state: "failed", status: "5.1.1" }]);
  house.clock.advance(1000);
  return body.state;
}

async function openHouse(breaker: Parameters<typeof openHoldHouse>[0] = {}): Promise<HoldHouse> {
  const house = await openHoldHouse(breaker);
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
  return house;
}

const lettersOfKim = (house: HoldHouse) => lettersOf(house, house.kim.agent);

async function lettersOf(house: HoldHouse, agent: AgentNumber): Promise<string[]> {
  const inbox = (await house.mail.findMailbox(agent, "INBOX"))!;
  const texts: string[] = [];
  for await (const page of house.mail.messagePages(agent, inbox.number, [[1, 1000]]))
    for (const message of page)
      texts.push((await house.mail.readBytes(message)).toString().replaceAll("=\r\n", ""));
  return texts;
}

const about = (events: readonly Record<string, unknown>[]) =>
  events.filter(({ type }) => String(type).startsWith("agent."));

it("five failed mails of the last twenty pause an agent, until the operator resumes it", async () => {
  await using house = await openHouse();
  for (let n = 0; n < 5; n++) expect(await failOne(house)).toBe("queued");
  expect(await failOne(house)).toBe("paused");
  await house.administer("agent.resume", { owner: house.robin.address });
  for (let n = 0; n < 5; n++) expect(await failOne(house)).toBe("queued");
  expect(await failOne(house)).toBe("paused");
});

it("an agent that the breaker has paused sees the reason, the time and what to do, and so do operator and approver", async () => {
  await using house = await openHouse();
  const { robin, client } = house;
  for (let n = 0; n < 5; n++) await failOne(house);
  const since = new Date(house.clock.now() - 1000).toISOString();
  const paused = { reason: "breaker", since };
  expect(await client.ok("health")).toMatchObject({ state: "paused", paused });
  expect((await client.ok("part.describe", { id: robin.id })).content).toMatchObject({
    state: "paused",
    paused,
  });
  expect(await house.administer("agent.show", { owner: robin.address })).toMatchObject({
    state: "paused",
    paused,
  });
  expect(about(await house.events())).toMatchObject([
    { type: "agent.paused", mailbox: robin.id, cursor: expect.any(String), at: since, reason: "breaker" },
  ]);
  const { status, body } = await client.call("send", { body: { to: [house.kim.address], text: "Hi" } });
  expect(status).toBe(503);
  expect(body.error).toMatchObject({ code: "paused", message: expect.stringContaining("by the breaker") });
  expect(body.error.hint).toContain("ask the operator to resume it (waypost agent resume)");

  for (let n = 0; n < 3; n++) await house.advance(1000);
  const letters = await lettersOfKim(house);
  expect(letters).toHaveLength(1);
  expect(letters[0]).toContain(`Subject: ${robin.address} is paused`);
  expect(letters[0]).toContain("At least 5 of its last 20 mails failed for a recipient");
  expect(letters[0]).toContain(`waypost agent resume ${robin.address}`);

  await house.administer("agent.resume", { owner: robin.address });
  expect(await client.ok("health")).not.toHaveProperty("paused");
  expect(about(await house.events()).map(({ type }) => type)).toEqual(["agent.paused", "agent.resumed"]);
});

it("an agent that the operator has paused gets one event, and its approver one notice", async () => {
  await using house = await openHouse();
  const { robin, client } = house;
  for (let n = 0; n < 2; n++) await house.administer("agent.pause", { owner: robin.address });
  const since = new Date(house.clock.now()).toISOString();
  expect(await client.ok("health")).toMatchObject({ state: "paused", paused: { reason: "operator", since } });
  const { body } = await client.call("send", { body: { to: [house.kim.address], text: "Hi" } });
  expect(body.error.hint).toContain("Only the operator can resume it");
  await house.advance(0);
  expect(await lettersOfKim(house)).toHaveLength(1);
  for (let n = 0; n < 2; n++) await house.administer("agent.resume", { owner: robin.address });
  expect(about(await house.events()).map(({ type, reason }) => [type, reason])).toEqual([
    ["agent.paused", "operator"],
    ["agent.resumed", undefined],
  ]);
});

it("an agent whose approvers have grants: they get the notice of its pause", async () => {
  await using house = await openHouse();
  const { robin, kim } = house;
  await house.administer("agent.update", { owner: robin.address, approver: "none" });
  await house.administer("agent.pause", { owner: robin.address });
  await house.advance(0);
  expect(await lettersOfKim(house)).toEqual([]);
  await house.administer("grant.create", { holder: kim.address, target: robin.address, scopes: ["approve"] });
  await house.advance(0);
  const letters = await lettersOfKim(house);
  expect(letters.map((letter) => letter.includes(`Subject: ${robin.address} is paused`))).toEqual([true]);
  await house.advance(6_000_000);
  expect(await lettersOfKim(house)).toHaveLength(1);
});

it("a notice of a pause that fails does not stop that of another pause, and is sent later", async () => {
  await using house = await openHouse();
  const noa = await house.create("person", "noa@ours.example");
  const casey = await house.create("agent", "casey@ours.example", { approver: noa.address });
  for (const owner of [house.robin.address, casey.address]) await house.administer("agent.pause", { owner });
  let count = 0;
  house.beforeWrite("tellApprover", async () => {
    if (++count === 1) throw new Error("full");
  });
  await expect(house.advance(0)).rejects.toThrow("could not be told of a pause");
  expect([(await lettersOfKim(house)).length, (await lettersOf(house, noa.agent)).length]).toEqual([0, 1]);
  await house.advance(0);
  expect([(await lettersOfKim(house)).length, (await lettersOf(house, noa.agent)).length]).toEqual([1, 1]);
});

it("the operator says how many mails may fail, or that none pause an agent", async () => {
  await using strict = await openHouse({ breaker: { bounces: 2, sends: 3 } });
  expect([await failOne(strict), await failOne(strict), await failOne(strict)]).toEqual([
    "queued",
    "queued",
    "paused",
  ]);
  await using off = await openHouse({ breaker: { enabled: false } });
  for (let n = 0; n < 8; n++) expect(await failOne(off)).toBe("queued");
});
