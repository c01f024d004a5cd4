/** Mail from this server to its own mailboxes: from the queue into the mailboxes. */

import { beforeEach, describe, expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { planLocalDelivery } from "#/src/arrival/deliver-locally.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import { schedulingOf } from "../support/scheduling.ts";
import { type JsonServer, type Owner, openJsonServer } from "../support/servers/json-server.ts";
import { envelopeTo } from "../support/submission.ts";

const hourMs = 3_600_000;
let server: JsonServer;

beforeEach(async () => {
  server = await openJsonServer();
  return () => server[Symbol.asyncDispose]();
});

const send = (from: Owner, ...to: string[]) =>
  from.client.ok("send", { body: { to, subject: "local", text: "hi" } });

const inboxOf = async (owner: Owner) =>
  (await owner.client.ok("search", { folder: "inbox" })).content.items as { id: string; subject: string }[];

async function outcomesOf(owner: Owner) {
  const rows = await server.store.all<{ event: string; data: string }>(
    "select event, data from change where agent_id = ? and event like 'mail.%' order by modseq, ordinal",
    owner.agent,
  );
  return rows.flatMap(({ event, data }) => {
    const { recipient, outcome } = JSON.parse(data);
    return recipient === undefined ? [] : [`${event} ${recipient} ${outcome.code}`];
  });
}

const rooms = () => ({
  store: server.store,
  recipients: server.accounts,
  settings: server.settings,
  scheduling: schedulingOf(server),
  preparation: { prepare: async (bytes: Uint8Array) => ({ facts: await prepareMessage(bytes) }) },
});

const takeOne = async () => {
  const options = { now: server.store.clock.now(), limit: 1, skipDomains: new Set<string>() };
  return (await server.outbound.takeDue(options))[0]!;
};

describe("mail to mailboxes here", () => {
  it("shares its bytes with the copy in Sent, and not with another account", async () => {
    await server.administer("agent.update", { owner: server.ada.address, holdPolicy: "open" });
    await send(server.ada, server.bob.address, server.eve.address);
    await server.deliverQueued();
    const blobs = await server.store.all<{ account: number; references: number }>(
      `select account_id as account, reference_count as "references" from blob order by account_id`,
    );
    expect(blobs).toEqual([
      { account: 1, references: 2 },
      { account: 2, references: 1 },
    ]);
    expect(await inboxOf(server.bob)).toHaveLength(1);
    expect(await inboxOf(server.eve)).toHaveLength(1);
  });

  it("arrives once in the sender's own mailbox, and once in a mailbox that has several of the recipients", async () => {
    await server.administer("agent.alias", { owner: server.bob.address, address: "team@first.example" });
    await send(
      server.ada,
      server.ada.address,
      "team@first.example",
      "bob+x@first.example",
      server.bob.address,
    );
    await server.deliverQueued();
    expect(await inboxOf(server.ada)).toHaveLength(1);
    const [copy] = await inboxOf(server.bob);
    expect(await inboxOf(server.bob)).toHaveLength(1);
    const { agent, object } = server.store.ids.decode(copy!.id)!;
    const message = (await server.mail.findMessage(agent, object as never))!;
    expect(Buffer.from(message.trace).toString()).toBe(
      "Return-Path: <ada@first.example>\r\nDelivered-To: team@first.example\r\nDelivered-To: bob+x@first.example\r\nDelivered-To: bob@first.example\r\n",
    );
    expect(await outcomesOf(server.ada)).toHaveLength(4 + 4);
  });

  it("fails for a mailbox that was deleted meanwhile, and arrives in the others", async () => {
    await server.administer("agent.create", { address: "gone@first.example" });
    await send(server.ada, "gone@first.example", server.bob.address);
    await server.administer("agent.delete", { owner: "gone@first.example" });
    await server.deliverQueued();
    expect(await outcomesOf(server.ada)).toEqual([
      "mail.bounced gone@first.example 5.1.1",
      "mail.sent bob@first.example 2.1.5",
      "mail.delivered bob@first.example 2.1.5",
    ]);
    expect(await inboxOf(server.bob)).toHaveLength(1);
  });

  it("is tried again for a full mailbox, until the mail expires", async () => {
    const fill = (quotaBytes: number) =>
      server.store.write(nobody, "updateAgent", { agent: server.bob.agent, quotaBytes });
    await fill(1);
    await send(server.ada, server.bob.address);
    await server.deliverQueued();
    expect(await inboxOf(server.bob)).toEqual([]);
    expect(await outcomesOf(server.ada)).toEqual([]);
    await fill(1_000_000);
    await server.deliverQueued();
    expect(await inboxOf(server.bob)).toEqual([]);
    server.clock.advance(60_000);
    await server.deliverQueued();
    expect(await inboxOf(server.bob)).toHaveLength(1);

    await fill(1);
    await send(server.ada, server.bob.address);
    for (let hours = 0; hours <= 122; hours += 2) {
      await server.deliverQueued();
      server.clock.advance(2 * hourMs);
    }
    expect((await outcomesOf(server.ada)).slice(2)).toEqual([
      "mail.delayed bob@first.example 4.2.2",
      "mail.bounced bob@first.example 5.2.2",
    ]);
  });

  it("is never stored twice, because the copy and the outcome are one write", async () => {
    await send(server.ada, server.bob.address);
    const due = await takeOne();
    const plan = async () => planLocalDelivery(rooms(), due, await server.outbound.readMessage(due));
    const [first, second] = [await plan(), await plan()];
    await server.outbound.report(due, first.outcomes, first.letters);
    await expect(server.outbound.report(due, second.outcomes, second.letters)).rejects.toMatchObject({
      code: "precondition_failed",
    });
    expect(await inboxOf(server.bob)).toHaveLength(1);
    expect(await takeOne()).toBeUndefined();
  });
});

describe("the queue", () => {
  it("gives each delivery to one caller until it is reported or released", async () => {
    await send(server.ada, server.bob.address);
    const due = await takeOne();
    expect(await takeOne()).toBeUndefined();
    server.outbound.release(due);
    expect((await takeOne()).submission).toBe(due.submission);
  });

  it("gives a delivery again after a restart if it was not reported", async () => {
    await send(server.ada, server.bob.address);
    await takeOne();
    await server.restart();
    await server.deliverQueued();
    expect(await inboxOf(server.bob)).toHaveLength(1);
  });

  it("calls its listeners when mail is added, reported or released", async () => {
    let rings = 0;
    const stop = server.outbound.onDue(() => void rings++);
    await send(server.ada, server.bob.address);
    expect(rings).toBe(1);
    server.outbound.release(await takeOne());
    expect(rings).toBe(2);
    await server.deliverQueued();
    expect(rings).toBe(3);
    stop();
    await send(server.ada, server.bob.address);
    expect(rings).toBe(3);
  });

  it("is tried again when the clock was set back after an attempt", async () => {
    await send(server.ada, server.bob.address);
    const delivery = await takeOne();
    const outcome = { number: delivery.recipients[0]!.number, state: "deferred", status: "4.2.1" } as const;
    await server.outbound.report(delivery, [outcome]);
    const nextAt = (await server.outbound.nextDueAt())!;
    expect(nextAt).toBeGreaterThan(server.clock.now());
    server.clock.advance(-24 * hourMs);
    expect(await takeOne()).toBeUndefined();
    expect(await server.outbound.nextDueAt()).toBe(server.clock.now());
    expect(await takeOne()).toMatchObject({ submission: delivery.submission });
  });

  it("answers when the next mail is due, without paused mailboxes and skipped domains", async () => {
    const sendAt = new Date(server.clock.now() + hourMs).toISOString();
    const body = { to: [server.bob.address], subject: "x", text: "x" };
    await server.ada.client.ok("send", { body, send_at: sendAt });
    expect(await server.outbound.nextDueAt()).toBe(server.clock.now() + hourMs);
    server.clock.advance(hourMs);
    await server.store.write(nobody, "setAgentState", {
      agent: server.ada.agent,
      state: "paused",
      by: "operator",
      at: 0,
    });
    expect(await takeOne()).toBeUndefined();
    await server.store.write(nobody, "setAgentState", {
      agent: server.ada.agent,
      state: "active",
      by: "operator",
      at: 0,
    });
    const options = { now: server.clock.now(), limit: 10 };
    expect(await server.outbound.takeDue({ ...options, skipDomains: new Set([""]) })).toEqual([]);
    expect(await server.outbound.takeDue({ ...options, skipDomains: new Set() })).toHaveLength(1);
  });

  it("calls its listeners when a paused mailbox is resumed", async () => {
    await send(server.ada, server.bob.address);
    const { store, settings, outbound } = server;
    const owner = { owner: server.ada.address };
    await administer(atCommandLine, { store, settings, outbound }, "agent.pause", owner);
    await server.deliverQueued();
    expect(await inboxOf(server.bob)).toEqual([]);
    let isRung = false;
    outbound.onDue(() => {
      isRung = true;
    });
    await administer(atCommandLine, { store, settings, outbound }, "agent.resume", owner);
    expect(isRung).toBe(true);
    await server.deliverQueued();
    expect(await inboxOf(server.bob)).toHaveLength(1);
  });

  it("is read in order over many pages, one for each submission and domain", async () => {
    await server.administer("agent.update", { owner: server.ada.address, holdPolicy: "open" });
    const at = server.clock.now();
    for (let index = 0; index < 20; index++)
      await server.store.write(nobody, "submitMessage", {
        agent: server.ada.agent,
        requestedBy: server.ada.agent,
        facts: await prepareMessage(Buffer.from("Subject: x\r\n\r\nx\r\n")),
        trace: new Uint8Array(),
        provenance: "{}",
        isAuthenticated: true,
        envelope: {
          ...envelopeTo(...Array.from({ length: 40 }, (_, number) => `r${number}@d${number % 2}.example`)),
          from: server.ada.address,
        },
        hasCopy: false,
        sendAt: at,
        expiresAt: at + hourMs,
        draft: null,
        decision: { kind: "queue", basis: { addresses: [], domains: [], senders: [] } },
        limits: { perHour: 0, perDay: 0 },
        at,
      });
    const taken = await server.outbound.takeDue({ now: at, limit: 100, skipDomains: new Set() });
    expect(taken).toHaveLength(40);
    expect(taken.every(({ recipients }) => recipients.length === 20)).toBe(true);
    expect(new Set(taken.map(({ submission, domain }) => `${submission} ${domain}`)).size).toBe(40);
  });
});
