import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const create = (path: string, more: object = {}) => server.ada.client.ok("folder.create", { path, ...more });
const paths = async (): Promise<string[]> =>
  (await server.ada.client.ok("part.describe", { id: server.ada.id })).content.folders.map(
    (one: { path: string }) => one.path,
  );

describe("folder.create", () => {
  it("makes a folder and those above it, as mail clients see them", async () => {
    const made = await create("Projects/2026/May");
    expect(made).toEqual({
      ref: expect.stringMatching(/^folder_/),
      created: true,
      version: expect.any(String),
      path: "Projects/2026/May",
    });
    expect(await paths()).toEqual(expect.arrayContaining(["Projects", "Projects/2026", "Projects/2026/May"]));
    expect(await server.mail.listSubscriptions(server.ada.agent)).toEqual(
      expect.arrayContaining(["Projects", "Projects/2026", "Projects/2026/May"]),
    );
    const read = await server.ada.client.ok("part.describe", { id: made.ref });
    expect([read.version, read.content.path]).toEqual([made.version, made.path]);
  });

  it("makes it below a parent: an id, a role or a path", async () => {
    const { ref } = await create("Parents");
    expect((await create("one", { parent: ref })).path).toBe("Parents/one");
    expect((await create("two", { parent: "Parents" })).path).toBe("Parents/two");
    expect((await create("three", { parent: "archive" })).path).toBe("Archive/three");
    const { status } = await server.ada.client.call("folder.create", { path: "x", parent: "Nowhere" });
    expect(status).toBe(404);
  });

  it.each([
    ["an empty level", { path: "a//b" }],
    ["a backslash", { path: "a\\b" }],
    ["a control character", { path: "a\u0007" }],
    ["half of a character", { path: "a\ud800" }],
    ["too many levels", { path: Array(30).fill("a").join("/") }],
    ["the place of others' folders", { path: "Other Users/bob" }],
    ["nothing", {}],
  ])("refuses %s", async (_, request) => {
    const { status, body } = await server.ada.client.call("folder.create", request);
    expect([status, body.error.code, body.error.field]).toEqual([400, "invalid", "/path"]);
  });

  it("answers a folder that exists already, unchanged", async () => {
    const { ref, version } = await create("There/already");
    const again = await server.ada.client.ok("folder.create", {
      path: "There/already",
      idempotency_key: "t",
    });
    expect(again).toEqual({ ref, created: false, version, path: "There/already" });
    const inbox = await server.ada.client.ok("folder.create", { path: "inbox" });
    expect(inbox).toMatchObject({ created: false, path: "INBOX" });
    // Nothing was made, so the key is good for another request.
    expect((await create("There/now", { idempotency_key: "t" })).created).toBe(true);
  });

  it("takes a name with % and *", async () => {
    const { ref, version } = await create("50% off/*");
    expect((await server.ada.client.ok("folder.update", { id: ref, version, path: "50% off/%" })).path).toBe(
      "50% off/%",
    );
  });

  it("answers a repeat under its key like the first time", async () => {
    const request = { path: "Once", idempotency_key: "folder-1" };
    const first = await server.ada.client.ok("folder.create", request);
    expect(await server.ada.client.ok("folder.create", request)).toEqual(first);
    const other = await server.ada.client.call("folder.create", { ...request, path: "Twice" });
    expect([other.status, other.body.error.field]).toEqual([400, "/idempotency_key"]);
  });
});

describe("folder.update", () => {
  it("renames with everything below it, subscriptions too, and gives a new version", async () => {
    const { ref: id, version } = await create("Old");
    const child = await create("Old/inner");
    const renamed = await server.ada.client.ok("folder.update", { id, version, path: "New" });
    expect(renamed).toMatchObject({ ref: id, created: false, path: "New" });
    expect(renamed.version).not.toBe(version);
    expect(await paths()).toEqual(expect.arrayContaining(["New", "New/inner"]));
    expect(await server.mail.listSubscriptions(server.ada.agent)).toEqual(
      expect.arrayContaining(["New", "New/inner"]),
    );
    const read = await server.ada.client.ok("part.describe", { id: child.ref });
    expect([read.content.path, read.version]).toEqual(["New/inner", renamed.version]);
    const moved = { id, version: renamed.version, path: "New", parent: "archive" };
    expect((await server.ada.client.ok("folder.update", moved)).path).toBe("Archive/New");
  });

  it("changes nothing without the version that is there, and says which that is", async () => {
    const { ref: id, version } = await create("Guarded");
    for (const sent of [{}, { version: "1" }]) {
      const { status, body } = await server.ada.client.call("folder.update", { id, path: "Taken", ...sent });
      expect([status, body.error.code, body.error.version]).toEqual([409, "precondition_failed", version]);
      expect(body.error.current).toMatchObject({ id, path: "Guarded" });
    }
    const mail = await server.deliver(server.ada, plainMessage());
    await server.ada.client.ok("message.update", { id: mail, folder: id });
    await server.ada.client.ok("folder.update", { id, version, path: "Guarded 2" });
  });

  it("leaves folders with a role alone, and refuses names that are taken", async () => {
    const { client } = server.ada;
    const { content } = await client.ok("part.describe", { id: server.ada.id });
    for (const folder of content.folders.filter((one: { role?: string }) => one.role !== undefined)) {
      const { version } = await client.ok("part.describe", { id: folder.id });
      for (const operation of ["folder.update", "folder.delete"]) {
        const request = { id: folder.id, version, ...(operation === "folder.update" ? { path: "Z" } : {}) };
        const { status, body } = await client.call(operation, request);
        expect([folder.path, status, body.error.code]).toEqual([folder.path, 422, "policy_refused"]);
      }
    }
    const { ref: id, version } = await create("Mine");
    expect((await client.call("folder.update", { id, version, path: "INBOX" })).body.error.field).toBe(
      "/path",
    );
    expect((await client.call("folder.update", { id, version, path: "Mine/below" })).body.error.field).toBe(
      "/path",
    );
  });
});

describe("folder.delete", () => {
  it("puts its mail into Trash", async () => {
    const { client } = server.ada;
    const { ref: id, version } = await create("Going");
    const message = await server.deliver(server.ada, plainMessage());
    await client.ok("message.update", { id: message, folder: id });
    const request = { id, version, idempotency_key: "folder-2" };
    const done = await client.ok("folder.delete", request);
    expect(await client.ok("folder.delete", request)).toEqual(done);
    expect((await client.call("part.describe", { id })).status).toBe(404);
    const { content } = await client.ok("search", { folder: "trash" });
    expect(content.items.map((one: { id: string }) => one.id)).toContain(message);
    expect(await server.mail.listSubscriptions(server.ada.agent)).not.toContain("Going");
  });

  it("refuses one that has others below it, and an old version", async () => {
    const { client } = server.ada;
    const { ref: id, version } = await create("Above");
    await create("Above/below");
    expect((await client.call("folder.delete", { id, version })).status).toBe(422);
    const { status, body } = await client.call("folder.delete", { id, version: "1" });
    expect([status, body.error.version, body.error.current.path]).toEqual([409, version, "Above"]);
  });
});

it("changes to folders need a grant on all folders of the mailbox", async () => {
  await using other = await openJsonServer();
  const { ada, bob, eve } = other;
  const { ref: id, version } = await bob.client.ok("folder.create", { path: "Bobs" });
  const attempts = async () => [
    (await ada.client.call("folder.create", { in: bob.id, path: "New" })).status,
    (await ada.client.call("folder.update", { id, version, path: "Adas" })).status,
    (await ada.client.call("folder.delete", { id, version })).status,
  ];
  expect(await attempts()).toEqual([403, 403, 403]);
  const grant = { holder: ada.address, target: bob.address, scopes: ["mail"] };
  await other.administer("grant.create", { ...grant, mailboxes: ["Bobs"] });
  expect(await attempts()).toEqual([403, 403, 403]);
  expect((await eve.client.call("folder.delete", { id, version })).status).toBe(404);
  await other.administer("grant.create", grant);
  await ada.client.ok("folder.create", { in: bob.id, path: "New" });
  await ada.client.ok("folder.delete", { id, version });
});
