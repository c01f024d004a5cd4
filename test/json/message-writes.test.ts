import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const state = async (id: string) =>
  (await server.ada.client.ok("part.describe", { id, render: "json" })).content;
const arrive = (subject = "Hello") => server.deliver(server.ada, plainMessage(subject));

describe("message.update", () => {
  it("sets read state, flag and folder, and answers the version that a reader sees", async () => {
    const { client } = server.ada;
    const id = await arrive();
    const before = await state(id);
    const { ref, created, version } = await client.ok("message.update", {
      id,
      unread: false,
      flagged: true,
      folder: "archive",
    });
    expect({ ref, created }).toEqual({ ref: id, created: false });
    const read = await client.ok("part.describe", { id });
    expect(read.version).toBe(version);
    expect(read.content).toMatchObject({ unread: false, flagged: true });
    expect(read.content.folder).not.toBe(before.folder);
    for (const folder of ["Archive", read.content.folder, "archive"])
      expect((await client.ok("message.update", { id, folder })).version).toBe(version);
    await client.ok("message.update", { id, folder: "INBOX" });
    expect((await state(id)).folder).toBe(before.folder);
  });

  it("replaces labels whole, adds to them and removes from them", async () => {
    const { client } = server.ada;
    const id = await arrive();
    const labels = async (): Promise<string[]> => (await state(id)).labels.toSorted();
    await client.ok("message.update", { id, labels: ["Work", "urgent"] });
    expect(await labels()).toEqual(["Work", "urgent"]);
    await client.ok("message.update", { id, add_labels: ["later"], remove_labels: ["work"] });
    expect(await labels()).toEqual(["later", "urgent"]);
    await client.ok("message.update", { id, labels: ["only"] });
    expect(await labels()).toEqual(["only"]);
    await client.ok("message.update", { id, labels: [] });
    expect(await labels()).toEqual([]);
  });

  it("changes up to 100 messages at once, and answers a result for each", async () => {
    const { client } = server.ada;
    const ids = [await arrive("one"), await arrive("two"), await arrive("three")];
    const gone = ids[1]!;
    const { version } = await client.ok("part.describe", { id: gone });
    const trashed = await client.ok("message.delete", { id: gone, version });
    await client.ok("message.delete", { id: gone, version: trashed.version });
    const { results } = await client.ok("message.update", { ids, unread: false });
    expect(results).toEqual([
      { ref: ids[0], created: false, version: expect.any(String) },
      { ref: gone, created: false, error: expect.objectContaining({ code: "not_found" }) },
      { ref: ids[2], created: false, version: expect.any(String) },
    ]);
    const single = await client.call("message.update", { id: gone, unread: true });
    expect([single.status, single.body.error.code]).toEqual([404, "not_found"]);
  });

  it.each([
    ["/id", "nothing named", {}],
    ["/ids", "none", { ids: [] }],
    ["/ids", "more than 100", { ids: Array(101).fill("message_x") }],
    ["/id", "a folder", { id: "folder_00000000000000000000000000" }],
    ["/ids/0", "a thread", { ids: ["thread_00000000000000000000000000"] }],
    ["/labels/0", "a label with a space", { labels: ["a b"] }],
    ["/labels/0", "a system flag", { labels: ["\\Seen"] }],
    ["/add_labels/0", "a line end", { add_labels: ["a\r\nb"] }],
    ["/labels", "labels replaced and added", { labels: ["a"], add_labels: ["b"] }],
    ["/unread", "a word for a truth", { unread: "false" }],
    ["/folder", "no folder", { folder: "" }],
  ])("is refused with %s: %s", async (field, _, request: Record<string, unknown>) => {
    const id = await arrive();
    const named = "id" in request || "ids" in request || field === "/id" ? request : { id, ...request };
    const { status, body } = await server.ada.client.call("message.update", named);
    expect([status, body.error.code, body.error.field]).toEqual([400, "invalid", field]);
  });

  it("does not reach folders and messages of others", async () => {
    const { client } = server.ada;
    const id = await arrive();
    expect((await client.call("message.update", { id, folder: "Nowhere" })).status).toBe(404);
    const foreign = (await server.bob.client.ok("part.describe", { id: server.bob.id })).content.folders[0]
      .id;
    expect((await client.call("message.update", { id, folder: foreign })).status).toBe(403);
    const bobs = await server.deliver(server.bob, plainMessage());
    expect((await client.call("message.update", { id: bobs, unread: false })).status).toBe(403);
    const eves = await server.deliver(server.eve, plainMessage());
    expect((await client.call("message.update", { id: eves, unread: false })).status).toBe(404);
  });

  it("answers each id of a batch at its place, also when its key is repeated", async () => {
    const { client } = server.ada;
    const id = await arrive();
    const ids = [
      await server.deliver(server.bob, plainMessage()),
      id,
      "message_00000000000000000000000000",
      await server.deliver(server.eve, plainMessage()),
    ];
    const request = { ids, unread: false, idempotency_key: "batch" };
    const { results } = await client.ok("message.update", request);
    const codes = results.map((one: { error?: { code: string } }) => one.error?.code);
    expect(codes).toEqual(["forbidden_scope", undefined, "not_found", "not_found"]);
    expect(results[2].error).toEqual(results[3].error);
    expect(results.map(({ ref }: { ref: string }) => ref)).toEqual(ids);
    expect((await state(id)).unread).toBe(false);
    expect((await client.ok("message.update", request)).results).toEqual(results);
  });

  it("of messages of two mailboxes is refused, and the error names the first message of the second mailbox", async () => {
    await using other = await openJsonServer();
    const { ada, bob } = other;
    await other.administer("grant.create", { holder: ada.address, target: bob.address, scopes: ["mail"] });
    const ids = [await other.deliver(ada, plainMessage()), await other.deliver(bob, plainMessage())];
    const { status, body } = await ada.client.call("message.update", { ids, unread: false });
    expect([status, body.error.field]).toEqual([400, "/ids/1"]);
  });

  it("that is refused because of one message names it, and changes none", async () => {
    const { client } = server.ada;
    const id = await arrive();
    const held = await client.ok("send", { body: { to: [server.bob.address], text: "x" }, hold: "always" });
    const { status, body } = await client.call("message.update", { ids: [id, held.ref], folder: "archive" });
    expect([status, body.error.code]).toEqual([422, "policy_refused"]);
    expect(body.error.hint).toContain(held.ref);
    expect(body.error.hint).not.toContain(id);
    expect((await client.ok("part.describe", { id })).content.folder).not.toBe(undefined);
    expect((await client.ok("search", { folder: "archive" })).content.items).toEqual([]);
  });

  it("does the work once under one key, and refuses the key for another request", async () => {
    const { client } = server.ada;
    const id = await arrive();
    const request = { id, flagged: true, idempotency_key: "key-1" };
    await client.ok("message.update", request);
    await client.ok("message.update", { id, flagged: false });
    await client.ok("message.update", request);
    expect((await state(id)).flagged).toBe(false);
    const reused = await client.call("message.update", { ...request, flagged: false });
    expect([reused.status, reused.body.error.field]).toEqual([400, "/idempotency_key"]);
    const { version } = await client.ok("part.describe", { id });
    const trashed = await client.ok("message.delete", { id, version });
    await client.ok("message.delete", { id, version: trashed.version });
    await client.ok("message.update", request);
    // A key belongs to the agent that sent it.
    const bobs = await server.deliver(server.bob, plainMessage());
    await server.bob.client.ok("message.update", { ...request, id: bobs });
    // A failed attempt does not spend its key.
    const failing = { id: await arrive(), folder: "Nowhere", idempotency_key: "key-2" };
    expect((await client.call("message.update", failing)).status).toBe(404);
    await client.ok("message.update", { ...failing, folder: "archive" });
  });
});

describe("message.delete", () => {
  it("moves to Trash, and from Trash for good", async () => {
    const { client } = server.ada;
    const id = await arrive();
    const { version } = await client.ok("part.describe", { id });
    const trashed = await client.ok("message.delete", { id, version });
    expect(trashed).toMatchObject({ ref: id, created: false, state: "trashed" });
    const { content, version: now } = await client.ok("part.describe", { id });
    expect(now).toBe(trashed.version);
    const folders = (await client.ok("part.describe", { id: server.ada.id })).content.folders;
    expect(folders.find((one: { id: string }) => one.id === content.folder).role).toBe("trash");
    expect(await client.ok("message.delete", { id, version: now })).toMatchObject({ state: "removed" });
    expect((await client.call("part.describe", { id })).status).toBe(404);
    expect((await client.call("message.delete", { id, version: now })).status).toBe(404);
  });

  it("answers 409 with the version to retry with, without a version and with an old one", async () => {
    const { client } = server.ada;
    const id = await arrive();
    const { version: old } = await client.ok("part.describe", { id });
    const { version } = await client.ok("message.update", { id, unread: false });
    for (const sent of [{}, { version: old }, { version: "abc" }]) {
      const { status, body } = await client.call("message.delete", { id, ...sent });
      expect([status, body.error.code, body.error.version]).toEqual([409, "precondition_failed", version]);
    }
    await client.ok("message.delete", { id, version });
  });

  it("answers a repeat under the same key like the first time, also when the message has gone", async () => {
    const { client } = server.ada;
    const id = await arrive();
    const { version } = await client.ok("part.describe", { id });
    const trashed = await client.ok("message.delete", { id, version });
    const request = { id, version: trashed.version, idempotency_key: "gone" };
    const removed = await client.ok("message.delete", request);
    expect(removed.state).toBe("removed");
    expect(await client.ok("message.delete", request)).toEqual(removed);
  });

  it("does not reach beyond the folders of a grant, with a key or without", async () => {
    await using other = await openJsonServer();
    const { ada, bob } = other;
    await other.administer("grant.create", {
      holder: ada.address,
      target: bob.address,
      scopes: ["mail"],
      mailboxes: ["INBOX"],
    });
    const id = await other.deliver(bob, plainMessage(), { role: "junk" });
    const { version } = await bob.client.ok("part.describe", { id });
    for (const key of [{}, { idempotency_key: "k" }]) {
      expect((await ada.client.call("message.delete", { id, version, ...key })).status).toBe(403);
      expect((await ada.client.call("message.update", { id, unread: false, ...key })).status).toBe(403);
      const { results } = await ada.client.ok("message.update", { ids: [id], unread: false, ...key });
      expect(results).toEqual([
        { ref: id, created: false, error: expect.objectContaining({ code: "forbidden_scope" }) },
      ]);
    }
    const inbox = await other.deliver(bob, plainMessage());
    expect((await ada.client.call("message.update", { id: inbox, folder: "archive" })).status).toBe(403);
    await ada.client.ok("message.update", { id: inbox, unread: false });
    expect((await bob.client.ok("part.describe", { id })).version).toBe(version);
  });
});
