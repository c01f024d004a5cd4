import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { resendWebhook, startWebhooks, testWebhook } from "#/protocols/webhooks/send-events.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createEventReader } from "#/src/feed/events.ts";
import { createFeed } from "#/src/feed/feed.ts";
import { createWebhooks } from "#/src/feed/webhooks.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import type { EventType } from "#/src/model/changes.ts";
import { deliver } from "../support/delivery.ts";
import { openWebhookReceiver } from "../support/servers/webhook-receiver.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

const hourMs = 3_600_000;

/** A store with one agent, a receiver, and the runner between them. */
async function openSender(fairness = createFairness()) {
  const opened = await openTestStore();
  const { store, clock } = opened;
  const defaults = defaultSettings();
  const settings = { ...defaults, webhooks: { allowPrivateAddresses: true } };
  const logged: { level: number; msg: string }[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const webhooks = createWebhooks(store, createFeed(store));
  const rooms = { webhooks, settings, log, fairness };
  const agent = await seedAgent(store);
  const receiver = await openWebhookReceiver();
  let runner = await startWebhooks(rooms);
  const operate = (operation: string, input: Record<string, unknown>) =>
    administer(
      atCommandLine,
      {
        store,
        settings,
        webhooks: {
          ...webhooks,
          test: (number) => testWebhook(rooms, number),
          resend: (message) => resendWebhook(rooms, message),
        },
      },
      `webhook.${operation}`,
      input,
    );
  return {
    store,
    clock,
    agent,
    receiver,
    logged,
    operate,
    add: async (types?: readonly EventType[]) =>
      (await operate("add", { owner: agent.address, url: receiver.url, ...(types && { types }) })) as {
        number: number;
        secret: string;
      },
    deliver: async (count = 1): Promise<string[]> => {
      const ids = [];
      for (let index = 0; index < count; index++)
        for (const { message } of await deliver(store, [agent]))
          ids.push(store.ids.encode("message", agent.agent, message));
      return ids;
    },
    /** Time passes, and what is due then is looked for. */
    pass(ms: number) {
      clock.advance(ms);
      webhooks.changed();
    },
    async restart() {
      await runner[Symbol.asyncDispose]();
      runner = await startWebhooks(rooms);
    },
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

const fail = (_: unknown, response: { statusCode: number; end(): void }): void => {
  response.statusCode = 503;
  response.end();
};

describe("webhooks of several mailboxes", () => {
  it("share the requests: a receiver that never answers delays only its own mailbox", async () => {
    const fairness = createFairness();
    fairness.gate("webhooks", { total: 2, share: 1 });
    await using sender = await openSender(fairness);
    const eve = await seedAgent(sender.store, "eve", { account: "hers" });
    await using silent = await openWebhookReceiver();
    const held: (() => void)[] = [];
    silent.onRequest = (_, response) => {
      response.statusCode = 204;
      held.push(() => void response.end());
    };
    for (let count = 0; count < 2; count++)
      await sender.operate("add", { owner: eve.address, url: silent.url });
    await sender.add();
    await deliver(sender.store, [eve]);
    await expect.poll(() => silent.requests.length).toBe(1);
    const ids = await sender.deliver(3);
    await expect.poll(() => sender.receiver.messages()).toEqual(ids);
    expect(silent.requests.length).toBe(1);
    held.shift()!();
    await expect.poll(() => silent.requests.length).toBe(2);
    held.shift()!();
  });
});

describe("a webhook", () => {
  it("gets the events since its creation, in order, with a cursor for wait and watch", async () => {
    await using sender = await openSender();
    await sender.deliver();
    await sender.add();
    const ids = await sender.deliver(60);
    await expect.poll(() => sender.receiver.messages()).toEqual(ids);
    const { type, data } = JSON.parse(sender.receiver.requests.at(-1)!.body);
    expect([type, data.cursor]).toEqual(["mail.events", data.events.at(-1).cursor]);
    expect(data.events[0]).toMatchObject({
      type: "mail.received",
      message: expect.stringMatching(/^message_/),
    });
    // What became of a request is stored after it was taken.
    const newest = async () =>
      ((await sender.operate("history", { number: 1 })) as { attempts: object[] }).attempts[0];
    await expect.poll(newest).toMatchObject({ status: 204, error: null });
  });

  it("is sent again when the clock was set back after a failure", async () => {
    await using sender = await openSender();
    sender.receiver.onRequest = fail;
    await sender.add();
    const ids = await sender.deliver();
    const newest = async () =>
      ((await sender.operate("history", { number: 1 })) as { attempts: object[] }).attempts[0];
    await expect.poll(newest).toMatchObject({ status: 503 });
    sender.receiver.onRequest = () => {};
    sender.pass(-24 * hourMs);
    await expect.poll(() => sender.receiver.messages()).toEqual(ids);
  });

  it("has nothing of what its receiver answers in its history or in the log", async () => {
    await using sender = await openSender();
    sender.receiver.onRequest = (_, response) =>
      void response.writeHead(500, "Quincunx", { "x-quincunx": "quincunx" }).end("quincunx");
    await sender.add();
    await sender.deliver();
    const history = () => sender.operate("history", { number: 1 }) as Promise<{ attempts: object[] }>;
    await expect
      .poll(async () => (await history()).attempts[0])
      .toMatchObject({ status: 500, error: "it answers 500" });
    expect(JSON.stringify([await history(), sender.logged])).not.toMatch(/quincunx/i);
  });

  it("gets only the types of its filter", async () => {
    await using sender = await openSender();
    await sender.add(["mail.bounced"]);
    await sender.add(["mail.received"]);
    const ids = await sender.deliver(3);
    await expect.poll(() => sender.receiver.messages()).toEqual(ids);
  });

  it("gets a type that was added only if it names it, unless the declaration says that it is sent unasked", async () => {
    await using test = await openTestStore();
    const { store } = test;
    const ada = await seedAgent(store);
    for (const types of [[], ["mail.received"] as const])
      await store.write(nobody, "createWebhook", {
        ...{ agent: ada.agent, url: "https://hooks.example/", secret: "s", limit: 9, at: 0 },
        types,
      });
    await deliver(store, [ada]);
    const feed = createFeed(store);
    const typesGiven = async (unasked: readonly EventType[]) => {
      const events = createEventReader(store.ids, feed, new Set(unasked));
      const webhooks = createWebhooks(store, { ...feed, events });
      const all = (await webhooks.list()).map((one) => webhooks.next(one));
      return (await Promise.all(all)).map(({ batch }) => batch?.events.map(({ type }) => type) ?? []);
    };
    expect(await typesGiven(["mail.sent"])).toEqual([[], ["mail.received"]]);
    expect(await typesGiven(["mail.received"])).toEqual([["mail.received"], ["mail.received"]]);
  });

  it("is told what kind of author caused an event, and nothing else of the author", async () => {
    await using sender = await openSender();
    await sender.add();
    const [id] = await sender.deliver();
    await expect.poll(() => sender.receiver.messages()).toEqual([id]);
    const [event] = JSON.parse(sender.receiver.requests[0]!.body).data.events;
    expect(event.by).toEqual({ kind: "server" });
  });

  it("gets the same request again until it accepts it, and no other before, also after a restart", async () => {
    await using sender = await openSender();
    sender.receiver.onRequest = fail;
    await sender.add();
    const first = await sender.deliver(2);
    await expect.poll(() => sender.receiver.requests.length).toBe(1);
    const id = sender.receiver.requests[0]!.headers["webhook-id"];
    const later = await sender.deliver(3);
    await sender.restart();
    sender.pass(hourMs);
    await expect.poll(() => sender.receiver.requests.length).toBe(2);
    expect(sender.receiver.requests[1]!.headers["webhook-id"]).toBe(id);
    expect(sender.receiver.requests[1]!.body).toBe(sender.receiver.requests[0]!.body);
    sender.receiver.onRequest = () => {};
    await expect
      .poll(async () => (await sender.operate("list", {})).webhooks)
      .toMatchObject([{ failures: 2 }]);
    sender.pass(hourMs);
    await expect.poll(() => sender.receiver.messages()).toEqual([...first, ...later]);
    await expect
      .poll(async () => (await sender.operate("list", {})).webhooks)
      .toMatchObject([{ failures: 0, state: "active" }]);
  });

  it("gets mailbox.restored after a restored backup, whatever its types, before later events", async () => {
    await using test = await openTestStore();
    const ada = await seedAgent(test.store);
    const webhook = { agent: ada.agent, url: "https://hooks.example/", secret: "s", limit: 9, at: 0 };
    await test.store.write(nobody, "createWebhook", { ...webhook, types: ["mail.received"] });
    await deliver(test.store, [ada]);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-store-"));
    await test.store.backup(path.join(folder, "waypost.db"));
    await using copy = await openTestStore({ folder });
    const webhooks = createWebhooks(copy.store, createFeed(copy.store));
    const [later] = await deliver(copy.store, [ada]);
    const { batch } = await webhooks.next((await webhooks.list())[0]!);
    const mailbox = copy.store.ids.encode("agent", ada.agent);
    const message = copy.store.ids.encode("message", ada.agent, later!.message);
    expect(batch!.events).toMatchObject([
      { type: "mailbox.restored", mailbox },
      { type: "mail.received", mailbox, message },
    ]);
    expect(batch!.events[0]).not.toHaveProperty("message");
  });

  it("is disabled after three days without an answer, which the log says, and can be resumed", async () => {
    await using sender = await openSender();
    sender.receiver.onRequest = fail;
    const { number } = await sender.add();
    const ids = await sender.deliver(2);
    const stateOf = async () =>
      ((await sender.operate("list", {})).webhooks as { state: string; failures: number }[])[0]!;
    for (let attempt = 1; (await stateOf()).state === "active"; attempt++) {
      await expect.poll(async () => (await stateOf()).failures).toBe(attempt);
      sender.pass(12 * hourMs);
    }
    expect((await stateOf()).failures).toBe(7);
    // It is logged after it is stored.
    await expect.poll(() => sender.logged.map(({ level }) => level)).toEqual([40, 50]);
    sender.receiver.onRequest = () => {};
    await sender.operate("resume", { number });
    await expect.poll(() => sender.receiver.messages()).toEqual(ids);
  });

  it("is disabled at once by an answer 410, and deleted when it is removed", async () => {
    await using sender = await openSender();
    sender.receiver.onRequest = (_, response) => void response.writeHead(410).end();
    const { number } = await sender.add();
    await sender.deliver();
    await expect
      .poll(async () => (await sender.operate("list", {})).webhooks)
      .toMatchObject([{ state: "disabled" }]);
    await sender.operate("remove", { number });
    expect((await sender.operate("list", {})).webhooks).toEqual([]);
    await expect(sender.operate("history", { number })).rejects.toMatchObject({ code: "not_found" });
  });

  it("does not delay others when it is slow or silent", async () => {
    await using sender = await openSender();
    await using other = await openWebhookReceiver();
    await sender.operate("add", { owner: sender.agent.address, url: other.url });
    await sender.add();
    let release = (): void => {};
    other.onRequest = (_, response) => {
      release = () => void response.writeHead(204).end();
      response.statusCode = 204;
    };
    const ids = await sender.deliver(3);
    await expect.poll(() => sender.receiver.messages()).toEqual(ids);
    await expect.poll(() => other.requests.length).toBe(1);
    release();
  });

  it("can be tested, which changes nothing for the events", async () => {
    await using sender = await openSender();
    const { number } = await sender.add();
    expect(await sender.operate("test", { number })).toMatchObject({ delivered: true, status: 204 });
    expect(JSON.parse(sender.receiver.requests[0]!.body)).toMatchObject({
      type: "webhook.test",
      data: { webhook: number },
    });
    sender.receiver.onRequest = fail;
    expect(await sender.operate("test", { number })).toMatchObject({ delivered: false, status: 503 });
    expect((await sender.operate("list", {})).webhooks).toMatchObject([{ failures: 0 }]);
  });

  it("is refused for an address that events may not go to", async () => {
    await using opened = await openTestStore();
    const { address: owner } = await seedAgent(opened.store);
    const settings = defaultSettings();
    for (const url of [
      "http://example.org/",
      "https://127.0.0.1/",
      "https://[fe80::1]/",
      "https://localhost/",
      "https://0x7f000001/",
      "https://user:secret@example.org/",
      "ftp://example.org/",
      "example.org",
    ])
      await expect(
        administer(atCommandLine, { store: opened.store, settings }, "webhook.add", { owner, url }),
      ).rejects.toMatchObject({ code: "invalid", details: { field: "/url" } });
  });

  it("is deleted with its owner", async () => {
    await using sender = await openSender();
    await sender.add();
    await sender.store.write(nobody, "deleteAgent", { agent: sender.agent.agent });
    expect((await sender.operate("list", {})).webhooks).toEqual([]);
  });
});

it("sends a request of the history once more, with the same id and events, and stands where it stood", async () => {
  await using sender = await openSender();
  const { number } = await sender.add();
  await sender.deliver(1);
  await expect.poll(() => sender.receiver.messages().length).toBe(1);
  await sender.deliver(3);
  await expect.poll(() => sender.receiver.messages().length).toBe(4);
  const { attempts } = (await sender.operate("history", { number })) as { attempts: { message: string }[] };
  for (const { message } of attempts) {
    const first = sender.receiver.requests.find(({ headers }) => headers["webhook-id"] === message)!;
    const { length } = sender.receiver.requests;
    expect(await sender.operate("resend", { message })).toMatchObject({ delivered: true, status: 204 });
    expect(sender.receiver.requests.slice(length)).toMatchObject([
      { body: first.body, headers: { "webhook-id": message } },
    ]);
  }
  await expect(sender.operate("resend", { message: "msg_unknown" })).rejects.toMatchObject({
    code: "not_found",
  });
  await sender.deliver(1);
  await expect.poll(() => sender.receiver.messages().length).toBeGreaterThan(4 + attempts.length);
});
