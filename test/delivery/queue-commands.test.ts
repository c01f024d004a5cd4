/** The operator's commands for the queue. */

import { describe, expect, test } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { type DeliveryHouse, openDeliveryHouse } from "./delivery-house.ts";

const zone = { "theirs.net": [["A", "127.0.0.1"]] } as const;

function run(house: DeliveryHouse, name: string, input: object = {}): Promise<Record<string, unknown>> {
  const { store } = house.test;
  return administer(atCommandLine, { store, settings: {} as never, outbound: house.outbound }, name, input);
}

async function openBusy() {
  let isBusy = true;
  await using stack = new AsyncDisposableStack();
  const sink = stack.use(
    await startSink({ onRecipient: () => (isBusy ? { code: 450, text: "4.2.1 busy" } : undefined) }),
  );
  const house = stack.use(await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] }));
  const relent = (): void => {
    isBusy = false;
  };
  const opened = stack.move();
  return { house, sink, relent, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describe("the queue", () => {
  test("lists mail that waits, and shows the state of each recipient", async () => {
    await using open = await openBusy();
    const { house } = open;
    const submission = await house.send({ to: ["bob@theirs.net"] });
    const id = house.dispatch.tokenOf({ agent: house.agent.agent, submission });
    expect(await run(house, "queue.list")).toMatchObject({
      mails: [{ id, from: "ada@ours.org", to: ["bob@theirs.net"], attempts: 1, status: "4.2.1" }],
    });
    expect(await run(house, "queue.list", { agent: "pat@ours.org" })).toEqual({ mails: [] });
    expect(await run(house, "queue.show", { id })).toMatchObject({
      message: expect.stringMatching(/^message_/),
      recipients: [{ address: "bob@theirs.net", state: "queued", reply: expect.stringContaining("busy") }],
    });
  });

  test("tries a mail again at once with queue retry", async () => {
    await using open = await openBusy();
    const { house, sink, relent } = open;
    const submission = await house.send({ to: ["bob@theirs.net"] });
    const id = house.dispatch.tokenOf({ agent: house.agent.agent, submission });
    relent();
    expect(await run(house, "queue.retry", { id })).toEqual({ id, recipients: 1 });
    await house.delivery.whenIdle();
    expect(sink.mails).toHaveLength(1);
    await expect(run(house, "queue.retry", { id })).rejects.toMatchObject({ code: "precondition_failed" });
  });

  test("does not try a mail again to an address that is blocked meanwhile", async () => {
    await using open = await openBusy();
    const { house, sink, relent } = open;
    const submission = await house.send({ to: ["bob@theirs.net"] });
    const id = house.dispatch.tokenOf({ agent: house.agent.agent, submission });
    await run(house, "agent.update", { owner: house.agent.address, block: ["theirs.net"] });
    relent();
    await expect(run(house, "queue.retry", { id })).rejects.toMatchObject({
      code: "policy_refused",
      details: { reason: "recipient_blocked" },
    });
    await house.delivery.whenIdle();
    expect(sink.mails).toHaveLength(0);
  });

  test("removes a cancelled mail, and reports it", async () => {
    await using open = await openBusy();
    const { house, sink, relent } = open;
    const submission = await house.send({ to: ["bob@theirs.net"] });
    const id = house.dispatch.tokenOf({ agent: house.agent.agent, submission });
    expect(await run(house, "queue.cancel", { id })).toMatchObject({
      closedAt: expect.any(String),
      recipients: [{ state: "cancelled", status: "5.7.1" }],
    });
    relent();
    await house.advance(3_600_000);
    expect(sink.mails).toHaveLength(0);
    expect(await house.events()).toEqual(["mail.bounced bob@theirs.net cancelled 5.7.1"]);
    expect(await run(house, "queue.list")).toEqual({ mails: [] });
  });

  test("answers not_found for an unknown id", async () => {
    await using open = await openBusy();
    await expect(run(open.house, "queue.show", { id: "0".repeat(26) })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

test("an address is suppressed by a bounce, and the operator removes the suppression", async () => {
  let isGone = true;
  await using sink = await startSink({
    onRecipient: () => (isGone ? { code: 550, text: "5.1.1 gone" } : undefined),
  });
  await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
  await house.send({ to: ["Bob@theirs.net"] });
  expect(await run(house, "suppression.list")).toMatchObject({
    suppressions: [{ address: "bob@theirs.net", reason: "bounced" }],
  });
  await expect(house.send({ by: "person", to: ["bob@theirs.net"] })).rejects.toMatchObject({
    code: "policy_refused",
  });
  isGone = false;
  await run(house, "suppression.remove", { address: "BOB@theirs.net" });
  await house.send({ to: ["bob@theirs.net"] });
  expect(sink.mails).toHaveLength(1);
  await expect(run(house, "suppression.remove", { address: "bob@theirs.net" })).rejects.toMatchObject({
    code: "not_found",
  });
});
