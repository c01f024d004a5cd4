/** Sentences of the interface that no other test covers. sections.md names the tests of each section. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { asRefusal, errorObject } from "#/protocols/json/errors.ts";
import { type AnyOperation, operations } from "#/protocols/json/registry.ts";
import { eventTypes } from "#/src/model/changes.ts";
import { httpClient } from "../support/clients/http.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const post = { method: "POST", headers: { "Content-Type": "application/json" } };
const dayMs = 86_400_000;
/** What is refused without a version. */
type Versioned = Extract<AnyOperation, { readonly version?: "required" }>["name"];

const fieldsOf = (operation: string): string[] => {
  const { input } = operations.find(({ name }) => name === operation)!;
  return Object.keys((z.toJSONSchema(input, { io: "input" }) as { properties?: object }).properties ?? {});
};

describe("requests and answers", () => {
  it("are JSON, also those that refuse, and say so", async () => {
    for (const [operation, body, status] of [
      ["health", "{}", 200],
      ["health", "{", 400],
      ["nonsense", "{}", 404],
      ["calendarMonth.list", "{}", 400],
    ] as const) {
      const answer = await server.ada.client.request(`/v1/${operation}`, { ...post, body });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    }
  });

  it("ignore the query string", async () => {
    await server.deliver(server.ada, plainMessage());
    const init = { ...post, body: "{}" };
    const { body } = await server.ada.client.request("/v1/search?unread=false&limit=0", init);
    expect(body.content.items).not.toEqual([]);
  });

  it("show only the request id of an internal fault", () => {
    const fault = errorObject(asRefusal(new TypeError("secret")), "req_1");
    expect(fault).toMatchObject({ code: "internal", request_id: "req_1" });
    expect(JSON.stringify(fault)).not.toMatch(/secret|TypeError/);
  });
});

describe("operations", () => {
  it("are of four verbs, and named as their paths are", async () => {
    const { content } = await server.ada.client.ok("catalog.describe");
    for (const { name, verb } of content.operations) {
      expect(["wait", "read", "put", "send"]).toContain(verb);
      expect(name).toMatch(/^[a-zA-Z]+(?:\.[a-z]+)?$/);
    }
    expect((await server.ada.client.ok("help.describe")).content.verbs).toEqual([
      "wait",
      "read",
      "put",
      "send",
    ]);
  });

  it("explain themselves to any credential", async () => {
    const { client } = await server.token(server.ada, ["raw"]);
    const { text } = await client.ok("help.describe");
    expect(text).toMatch(/POST \/v1\/<operation>/);
    // Of every kind of object, and of each family of operations that an agent cannot guess.
    for (const kind of [
      "folder",
      "message",
      "draft",
      "hold",
      "blob",
      "calendar",
      "event",
      "addressbook",
      "contact",
    ])
      expect(text, kind).toContain(kind);
    for (const named of text.matchAll(/\b([a-z]+[A-Za-z]*\.(?:create|update|delete|describe|list))\b/g))
      expect(operations.map(({ name }) => name)).toContain(named[1]);
    expect((await client.ok("catalog.describe")).content.operations.length).toBeGreaterThan(10);
  });

  it("create no account, agent or token", async () => {
    const all = operations.map(({ name }) => name);
    for (const kind of ["account", "agent", "token", "grant", "domain", "address", "password", "webhook"]) {
      expect(all.filter((name) => name.startsWith(`${kind}.`))).toEqual([]);
      expect((await server.ada.client.call(`${kind}.create`, { name: "x" })).status).toBe(404);
    }
  });

  it("that change a stored object take its version, and those that create, change or send take a key", () => {
    for (const { name, verb, effect, version } of operations) {
      const fields = fieldsOf(name);
      const isWrite = verb === "put" || verb === "send";
      expect([name, effect === "writes"]).toEqual([name, isWrite]);
      expect([name, fields.includes("idempotency_key")]).toEqual([name, isWrite]);
      // What is changed is named by id; a draft that is sent is a stored object, too.
      const isChange = isWrite && (fields.includes("id") || fields.includes("draft"));
      expect([name, version !== undefined && version !== "none"]).toEqual([name, isChange]);
    }
  });
});

describe("an identifier", () => {
  it("names its kind by its prefix, and is refused where another kind is meant", async () => {
    const { client } = server.ada;
    const { ids } = server.store;
    const message = await server.deliver(server.ada, plainMessage());
    const { content } = await client.ok("part.describe", { id: message });
    expect([server.ada.id, message, content.thread, content.folder].map((id) => id.split("_")[0])).toEqual([
      "ag",
      "message",
      "thread",
      "folder",
    ]);
    const folder = ids.encode("folder", server.ada.agent, ids.decode(content.folder)!.object);
    for (const [operation, field, input] of [
      ["message.update", "/id", { id: folder }],
      ["message.update", "/ids/1", { ids: [message, folder] }],
      ["message.delete", "/id", { id: folder }],
      ["folder.update", "/id", { id: message, path: "x" }],
      ["folder.delete", "/id", { id: message }],
      ["folder.create", "/in", { in: message, path: "x" }],
      ["draft.create", "/in", { in: message, body: {} }],
      ["draft.update", "/id", { id: message, body: {} }],
      ["draft.delete", "/id", { id: message }],
      ["blob.delete", "/id", { id: message }],
      ["search", "/in", { in: message }],
      ["search", "/thread", { thread: message }],
      ["wait", "/mailbox", { mailbox: message }],
      ["send", "/in", { in: message, body: {} }],
      ["send", "/draft", { draft: message }],
      ["draft.create", "/body/in_reply_to", { body: { in_reply_to: folder } }],
    ] as const) {
      const { status, body } = await client.call(operation, input);
      expect([operation, status, body.error.code, body.error.field]).toEqual([
        operation,
        400,
        "invalid",
        field,
      ]);
    }
  });
});

describe("a version", () => {
  it("is on every stored object", async () => {
    const { client, id } = server.ada;
    const message = await server.deliver(server.ada, plainMessage());
    const { content } = await client.ok("part.describe", { id: message });
    const { ref: draft } = await client.ok("draft.create", { body: { text: "x" } });
    const { ref: blob } = await client.ok("blob.create", { data: "" });
    for (const one of [id, message, content.thread, content.folder, draft, blob]) {
      const { version } = await client.ok("part.describe", { id: one });
      expect([one, typeof version]).toEqual([one, "string"]);
    }
  });

  it("lets one of two writers succeed, and answers the other with the current version", async () => {
    const { client } = server.ada;
    const { ref: id, version } = await client.ok("folder.create", { path: "Contested" });
    const answers = await Promise.all(
      ["Left", "Right"].map((path) => client.call("folder.update", { id, version, path })),
    );
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
    expect([won!.status, lost!.status]).toEqual([200, 409]);
    expect(lost!.body.error).toMatchObject({
      code: "precondition_failed",
      version: won!.body.version,
      current: { id, path: won!.body.path },
    });
    await client.ok("folder.update", { id, version: lost!.body.error.version, path: "Retried" });
  });

  it("is required by every change of a stored object, except message.update", async () => {
    const { client } = server.ada;
    const made = async (operation: string, input: object): Promise<string> =>
      (await client.ok(operation, input)).ref;
    const message = await server.deliver(server.ada, plainMessage());
    const folder = await made("folder.create", { path: "Unversioned" });
    const draft = await made("draft.create", { body: { text: "x" } });
    const blob = await made("blob.create", { data: "" });
    const hold = await made("hold.create", { body: { to: [server.bob.address], text: "x" } });
    const calendar = await made("calendar.create", { name: "Unversioned" });
    const event = await made("event.create", { body: { start: "2026-03-02T10:00:00" } });
    const addressbook = await made("addressbook.create", { name: "Unversioned" });
    const contact = await made("contact.create", { body: { name: "Mel" } });
    const required: Readonly<Record<Versioned, { readonly id: string }>> = {
      "message.delete": { id: message },
      "folder.update": { id: folder, ...{ path: "x" } },
      "folder.delete": { id: folder },
      "draft.update": { id: draft, ...{ body: {} } },
      "draft.delete": { id: draft },
      "blob.delete": { id: blob },
      "hold.update": { id: hold, ...{ body: { to: [server.bob.address], text: "y" } } },
      "hold.delete": { id: hold },
      "calendar.update": { id: calendar, ...{ name: "x" } },
      "calendar.delete": { id: calendar },
      "event.update": { id: event, ...{ patch: { title: "x" } } },
      "event.delete": { id: event },
      "addressbook.update": { id: addressbook, ...{ name: "x" } },
      "addressbook.delete": { id: addressbook },
      "contact.update": { id: contact, ...{ patch: { "name/full": "x" } } },
      "contact.delete": { id: contact },
    };
    for (const [operation, input] of [...Object.entries(required), ["send", { draft }] as const]) {
      const { version } = await client.ok("part.describe", { id: "id" in input ? input.id : draft });
      const { status, body } = await client.call(operation, input);
      expect([operation, status, body.error.version]).toEqual([operation, 409, version]);
    }
  });

  it("is not needed where the operation says that it is optional, as help.describe says", async () => {
    const { client } = server.ada;
    const id = await server.deliver(server.ada, plainMessage());
    await client.ok("message.update", { id, labels: ["a"] });
    await client.ok("message.update", { id, labels: ["b"] });
    expect((await client.ok("part.describe", { id })).content.labels).toEqual(["b"]);
    const unversioned = operations.filter(
      (one) => one.version === "optional" && fieldsOf(one.name).includes("id"),
    );
    const { text } = await client.ok("help.describe");
    expect(text).toContain(`put: ${unversioned.map(({ name }) => name).join(", ")} needs no version`);
  });
});

describe("an idempotency key", () => {
  it("is valid for one request, whatever the operation", async () => {
    const { client } = server.ada;
    const made = await client.ok("folder.create", { path: "Keyed", idempotency_key: "one" });
    for (const [operation, input] of [
      ["blob.create", { data: "" }],
      ["draft.create", { body: { text: "x" } }],
      ["folder.delete", { id: made.ref, version: made.version }],
    ] as const) {
      const { status, body } = await client.call(operation, { ...input, idempotency_key: "one" });
      expect([operation, status, body.error.code, body.error.field]).toEqual([
        operation,
        400,
        "invalid",
        "/idempotency_key",
      ]);
    }
  });

  it("is forgotten after an hour by all operations but send, and the work is then done again", async () => {
    await using other = await openJsonServer();
    const request = { data: "QQ==", idempotency_key: "hour" };
    const first = await other.ada.client.ok("blob.create", request);
    other.clock.advance(3_599_999);
    expect(await other.ada.client.ok("blob.create", request)).toEqual(first);
    other.clock.advance(1);
    expect((await other.ada.client.ok("blob.create", { ...request, data: "Qg==" })).ref).not.toBe(first.ref);
  });

  it("of send is kept for seven days, also after restarts, whatever a repeat contains", async () => {
    await using other = await openJsonServer();
    const body = { to: [other.bob.address], subject: "Once", text: "First" };
    const request = { body, idempotency_key: "week" };
    const first = await other.ada.client.ok("send", request);
    expect(first).toMatchObject({ created: true, state: expect.any(String) });
    other.clock.advance(6 * dayMs);
    await other.restart();
    await other.store.maintain({ changesMs: 1e12 });
    const rephrased = { ...request, body: { ...body, text: "Second" } };
    for (const one of [request, rephrased])
      expect(await other.ada.client.ok("send", one)).toEqual({ ...first, replayed: true });
    expect(await other.store.get("select count(*) as sent from submission")).toEqual({ sent: 1 });
    other.clock.advance(dayMs);
    const { ref, replayed } = await other.ada.client.ok("send", rephrased);
    expect([ref === first.ref, replayed]).toEqual([false, undefined]);
  });

  it("of a refused or failed request can be used again", async () => {
    const { client } = server.ada;
    const failing = await client.call("folder.create", { path: "a//b", idempotency_key: "again" });
    expect(failing.status).toBe(400);
    await client.ok("folder.create", { path: "Again", idempotency_key: "again" });
  });
});

describe("events", () => {
  it("are about mail, and about no other change", async () => {
    // Beside them: that events of mail are lost, as a backup was put back, and that no mail is sent for a while.
    const others = ["mailbox.restored", "agent.paused", "agent.resumed"];
    expect(eventTypes.filter((type) => !type.startsWith("mail."))).toEqual(expect.arrayContaining(others));
    for (const type of eventTypes) if (!others.includes(type)) expect(type).toMatch(/^mail\./);
    const { client } = server.ada;
    const { cursor } = await client.ok("wait");
    await client.ok("folder.create", { path: "Quiet" });
    await client.ok("blob.create", { data: "" });
    await client.ok("draft.create", { body: { text: "x" } });
    const message = await server.deliver(server.ada, plainMessage());
    await client.ok("message.update", { id: message, unread: false });
    const { events } = await client.ok("wait", { cursor });
    expect(events.map(({ type }: { type: string }) => type)).toEqual(["mail.received"]);
  });

  it("are all explained on the page for who calls the interface", () => {
    const page = readFileSync(path.join(import.meta.dirname, "../../docs/interface.md"), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    expect(eventTypes.filter((type) => !rows.some((row) => row.includes(`\`${type}\``)))).toEqual([]);
  });

  it("report the delivery of sent mail, with the recipient", async () => {
    await using other = await openJsonServer();
    const { ada, bob } = other;
    const { cursor } = await ada.client.ok("wait");
    const sent = await ada.client.ok("send", { body: { to: [bob.address], text: "Hello" } });
    const due = await other.outbound.takeDue({
      now: other.clock.now(),
      limit: 10,
      skipDomains: new Set(),
    });
    expect(due).toHaveLength(1);
    for (const delivery of due)
      await other.outbound.report(
        delivery,
        delivery.recipients.map(({ number }) => ({ number, state: "delivered", status: "2.0.0" })),
      );
    const { events } = await ada.client.ok("wait", { cursor });
    expect(events.map(({ type }: { type: string }) => type)).toEqual(["mail.sent", "mail.delivered"]);
    for (const [index, status] of ["sent", "delivered"].entries())
      expect(events[index]).toMatchObject({
        mailbox: ada.id,
        message: sent.ref,
        recipient: bob.address,
        outcome: { status, code: "2.0.0" },
      });
  });

  it("report a mail that waits for approval, with the reason", async () => {
    const { client } = server.ada;
    const { cursor } = await client.ok("wait");
    const held = await client.ok("send", {
      body: { to: [server.bob.address], text: "Hello" },
      hold: "always",
    });
    expect(held.state).toBe("held");
    const { events } = await client.ok("wait", { cursor });
    expect(events).toEqual([
      expect.objectContaining({ type: "mail.held", message: held.ref, hold: held.hold, reason: "requested" }),
    ]);
  });

  it("count as one request, however long the stream stays open", async () => {
    await using small = await openJsonServer({ limits: { requestsPerSecond: 0.001, requestsBurst: 2 } });
    await using stream = await small.ada.client.watch({ timeout_s: 1 });
    expect(await stream.next()).toMatchObject({ event: "open" });
    expect(await stream.next()).toEqual({ comment: "keepalive" });
    await small.ada.client.ok("health");
    expect((await small.ada.client.call("health")).status).toBe(429);
    expect(await stream.next()).toEqual({ comment: "keepalive" });
  });
});

describe("refusals that are not about the credential", () => {
  it("carry no WWW-Authenticate, whatever their status", async () => {
    await using server = await openJsonServer({ json: { unservedOperations: ["watch"] } });
    const { client } = await server.token(server.ada, ["calendar"]);
    const paths = ["search", "nonsense", "watch", "part.describe"];
    const statuses = [];
    // The client itself looks for the header at every answer.
    for (const path of paths) statuses.push((await client.call(path)).status);
    expect(statuses).toEqual([403, 404, 501, 400]);
    expect((await httpClient(server.url).request("/v1/health", { method: "POST" })).status).toBe(401);
  });

  it("say which policy declined", async () => {
    const { client } = server.ada;
    const { content } = await client.ok("part.describe", { id: server.ada.id });
    const inbox = content.folders.find(({ role }: { role?: string }) => role === "inbox").id;
    const { version } = await client.ok("part.describe", { id: inbox });
    const { status, body } = await client.call("folder.delete", { id: inbox, version });
    expect([status, body.error.code]).toEqual([422, "policy_refused"]);
    expect(body.error.message).toMatch(/INBOX is needed/);
  });
});

describe("a token", () => {
  it("is shown once, and kept as a hash alone", async () => {
    const { token } = await server.token(server.ada, ["mail"]);
    const listed = await server.administer("token.list", { agent: server.ada.address });
    const kept = await server.store.all("select * from token");
    expect(JSON.stringify([listed, kept])).not.toContain(token);
    expect(JSON.stringify(kept.map((row) => Object.values(row as object).map(String)))).not.toContain(token);
  });
});
