/** Decisions on the interface that no other test covers. sections.md names the tests of each section. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { converse } from "../support/clients/conversation.ts";
import { postJson } from "../support/clients/events.ts";
import { startInProcessDaemon } from "../support/daemon.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const dayMs = 86_400_000;

describe("names, marks and versions", () => {
  it("are the same over IMAP: messages, conversations, folders, drafts", async () => {
    await using daemon = await startInProcessDaemon();
    const { address, token } = daemon.agents[0]!;
    // biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
    const call = (operation: string, input: object): Promise<any> =>
      postJson(daemon.http.url, operation, token, input);
    const { cursor } = await call("wait", {});
    await call("send", { body: { to: [address], subject: "Hello", text: "Hello" } });
    const { events } = await call("wait", { cursor, types: ["mail.received"] });
    const id: string = events[0].message;
    const { content } = await call("part.describe", { id });
    await call("message.update", { id, unread: false, labels: ["urgent"] });
    const { version } = await call("part.describe", { id });
    const draft = await call("draft.create", { body: { text: "Hello" } });
    const seen = await converse(
      String.raw`S: * OK {{*}}
      C: a LOGIN ${address} ${token}
      S*: a OK {{*}}
      C: b STATUS INBOX (MAILBOXID)
      S*: * STATUS {{*}} (MAILBOXID ({{folder:[^)]+}}))
      S*: b OK {{*}}
      C: c SELECT INBOX
      S*: c OK {{*}}
      C: d FETCH 1 (EMAILID THREADID FLAGS MODSEQ)
      S*: * 1 FETCH (EMAILID ({{message:[^)]+}}) THREADID ({{thread:[^)]+}}) FLAGS ({{flags:[^)]*}}) MODSEQ ({{modseq:\d+}}))
      S*: d OK {{*}}
      C: e SELECT Drafts
      S*: e OK {{*}}
      C: f FETCH 1 (EMAILID FLAGS)
      S*: * 1 FETCH (EMAILID ({{draft:[^)]+}}) FLAGS ({{draftFlags:[^)]*}}))
      S*: f OK {{*}}
      C: z LOGOUT
      S*: z OK {{*}}`,
      { port: daemon.imap.port },
    );
    const { folder, thread } = content;
    expect(seen).toMatchObject({ message: id, folder, thread, draft: draft.message, modseq: version });
    expect(
      seen
        .flags!.split(" ")
        .filter((flag) => flag !== "\\Recent")
        .toSorted(),
    ).toEqual(["\\Seen", "urgent"]);
    expect(seen.draftFlags).toMatch(/\\Draft/);
  });

  it("come from one counter", async () => {
    const { client, id } = server.ada;
    const message = await server.deliver(server.ada, plainMessage());
    const versionOf = async (one: string): Promise<number> =>
      Number((await client.ok("part.describe", { id: one })).version);
    // The first look makes the default calendar and addressbook.
    await versionOf(id);
    const steps = [await versionOf(message)];
    for (const write of [
      () => client.ok("message.update", { id: message, flagged: true }),
      () => client.ok("folder.create", { path: "Counted" }),
      () => client.ok("draft.create", { body: { text: "x" } }),
      () => client.ok("blob.create", { data: "" }),
    ]) {
      const { version } = await write();
      // Nothing else is going on: each write is the mailbox's latest.
      expect(await versionOf(id)).toBe(Number(version));
      steps.push(Number(version));
    }
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(new Set(steps).size).toBe(steps.length);
  });

  it("are read and set without operations of their own: conversations and labels", async () => {
    const { client } = server.ada;
    for (const name of ["thread.update", "thread.describe", "label.create", "label.delete"])
      expect((await client.call(name)).status).toBe(404);
    const message = await server.deliver(server.ada, plainMessage("alone"));
    const { thread } = (await client.ok("part.describe", { id: message })).content;
    for (const read of [{ id: thread }, {}])
      expect(
        (await client.ok("id" in read ? "part.describe" : "search", "id" in read ? read : { thread })).content
          .items,
      ).toEqual([expect.objectContaining({ id: message })]);
    await client.ok("message.update", { id: message, labels: ["a"] });
    expect((await client.ok("part.describe", { id: message })).content.labels).toEqual(["a"]);
  });
});

describe("cursors", () => {
  it("is refused for another caller, and with another reach", async () => {
    await using other = await openJsonServer();
    const { ada, bob } = other;
    const id = await other.deliver(bob, plainMessage("long", "Lorem ipsum. ".repeat(100)));
    await other.deliver(bob, plainMessage("second"));
    const grant = { holder: ada.address, target: bob.address, scopes: ["mail:read"] };
    const { number } = (await other.administer("grant.create", grant)) as { number: number };
    const searched = { in: bob.id, limit: 1 };
    const read = { id, max_chars: 200 };
    const listing = (await ada.client.ok("search", searched)).cursor;
    const part = (await ada.client.ok("part.describe", read)).cursor;
    await ada.client.ok("search", { ...searched, cursor: listing });
    await ada.client.ok("part.describe", { ...read, cursor: part });
    for (const [operation, request] of [
      ["search", { ...searched, cursor: listing }],
      ["part.describe", { ...read, cursor: part }],
    ] as const) {
      const { status, body } = await bob.client.call(operation, request);
      expect([operation, status, body.error.field]).toEqual([operation, 400, "/cursor"]);
    }
    await other.administer("grant.revoke", { number });
    await other.administer("grant.create", { ...grant, mailboxes: ["INBOX"] });
    const { status, body } = await ada.client.call("search", { ...searched, cursor: listing });
    expect([status, body.error.field]).toEqual([400, "/cursor"]);
  });

  it("older than the retention are refused, with a hint", async () => {
    await using other = await openJsonServer();
    const { cursor } = await other.ada.client.ok("wait");
    await other.deliver(other.ada, plainMessage());
    other.clock.advance(91 * dayMs);
    await other.store.maintain({ changesMs: 90 * dayMs });
    for (const operation of ["wait", "watch"]) {
      const { status, body } = await other.ada.client.call(operation, { cursor });
      expect([operation, status, body.error.code, body.error.field]).toEqual([
        operation,
        400,
        "invalid",
        "/cursor",
      ]);
      expect(body.error.hint).toMatch(/Start without a cursor/);
    }
  });
});

describe("proof of the sender", () => {
  it("is not given to mail that a mail client stores", async () => {
    const { agent, client, address } = server.ada;
    const { number } = (await server.mail.findMailbox(agent, "INBOX"))!;
    const bytes = Buffer.from(`From: ${address}\r\nSubject: Mine\r\n\r\nHello\r\n`);
    const { messages } = await server.mail.appendMessages(
      nobody,
      agent,
      number,
      [{ bytes, flags: 0, keywords: [] }],
      { source: "imap" },
    );
    const id = server.store.ids.encode("message", agent, messages[0]!);
    const { provenance } = await client.ok("part.describe", { id });
    expect(provenance).toMatchObject({ authenticated: false, source: "imap" });
  });
});

describe("the machine-readable part", () => {
  it("needs text for people beside it, and is limited in size", async () => {
    const { client, address } = server.ada;
    const type = "urn:example:ask";
    const send = (body: object) => client.call("send", { body: { to: [address], ...body } });
    const alone = await send({ agent: { type, data: {} } });
    expect([alone.status, alone.body.error.field]).toEqual([400, "/body/text"]);
    const large = await send({ text: "See the part.", agent: { type, data: "x".repeat(256 * 1024) } });
    expect([large.status, large.body.error.field]).toEqual([400, "/body/agent/data"]);
    const sent = await client.ok("draft.create", {
      body: { text: "See the part.", agent: { type, data: { n: 1 } } },
    });
    const read = await client.ok("part.describe", { id: sent.ref, part: "agent" });
    expect(read.kind).toBe("agent_part");
    expect(JSON.stringify(read.content)).toContain(type);
    const { parts } = (await client.ok("part.describe", { id: sent.ref })).content;
    expect(parts).toContainEqual(
      expect.objectContaining({
        type: "application/vnd.waypost.agent+json",
        name: "agent.json",
        disposition: "attachment",
      }),
    );
  });

  it("is known by its type, and by its name", async () => {
    const { client } = server.ada;
    const mail = (type: string, name: string): string =>
      `From: bot@elsewhere.example\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nSee.\n--x\nContent-Type: ${type}; name="${name}"\n\n{"type":"urn:x","data":1}\n--x--\n`;
    for (const [type, name, isPart] of [
      ["application/vnd.waypost.agent+json", "other", true],
      ["application/json", "agent.json", true],
      ["application/ld+json", "agent.json", true],
      ["application/json", "data.json", false],
      ["text/plain", "agent.json", false],
    ] as const) {
      const id = await server.deliver(server.ada, mail(type, name));
      const { content } = await client.ok("part.describe", { id });
      expect([type, name, content.agent_part]).toEqual([type, name, isPart]);
    }
  });
});
