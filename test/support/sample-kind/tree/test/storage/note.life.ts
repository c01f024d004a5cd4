/** The life of a note, the sample kind: what every kind of objects can do, it can. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { openStore } from "#/storage/open-store.ts";
import { run } from "../daemon/archive-scene.ts";
import { httpClient } from "../support/clients/http.ts";
import { fakeClock } from "../support/clock.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { changeRows, makeTestDatabase } from "../support/engine.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";
import { seedAgent } from "../support/store.ts";

describe("over /v1", () => {
  let server: JsonServer;
  beforeAll(async () => {
    server = await openJsonServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (title: string, more: object = {}) =>
    server.ada.client.ok("note.create", { title, body: "Under the mat.", ...more });
  const titles = async (client = server.ada.client, more: object = {}) =>
    (await client.ok("note.list", more)).notes.map((one: { title: string }) => one.title);

  it("is created, described, listed, updated and deleted", async () => {
    const { client } = server.ada;
    const { ref, version } = await create("Keys");
    expect(ref).toMatch(/^note_[0-9a-z]{26}$/);
    const described = await client.ok("part.describe", { id: ref, detail: "full" });
    expect(described).toMatchObject({ kind: "note", version, content: { id: ref, title: "Keys" } });
    const changed = await client.ok("note.update", { id: ref, version, title: "Car", body: "" });
    expect(await titles()).toContain("Car");
    await client.ok("note.delete", { id: ref, version: changed.version });
    expect(await titles()).not.toContain("Car");
    expect((await client.call("part.describe", { id: ref })).status).toBe(404);
  });

  it("is changed and removed only by who has read it", async () => {
    const { client } = server.ada;
    const { ref, version } = await create("Compared");
    await client.ok("note.update", { id: ref, version, title: "Newer", body: "" });
    for (const read of [{}, { version }])
      for (const [operation, more] of [
        ["note.update", { title: "Lost", body: "" }],
        ["note.delete", {}],
      ] as const) {
        const { status, body } = await client.call(operation, { id: ref, ...read, ...more });
        expect([status, body.error.current.title]).toEqual([409, "Newer"]);
      }
    expect(await titles()).toContain("Newer");
  });

  it("is written once for a key, also when it has gone since", async () => {
    const once = { idempotency_key: "once" };
    const first = await create("Once", once);
    expect(await create("Once", once)).toEqual(first);
    const { ref: id, version } = first;
    const removal = { id, version, idempotency_key: "gone" };
    const gone = await server.ada.client.ok("note.delete", removal);
    expect(await server.ada.client.ok("note.delete", removal)).toEqual(gone);
    expect(await create("Once", once)).toEqual(first);
    expect(await titles()).not.toContain("Once");
  });

  it("is not written, changed or removed by a dry run", async () => {
    const { client } = server.ada;
    expect(await create("Dry", { dry_run: true })).toEqual({ created: true, dry_run: true });
    const { ref: id, version } = await create("Wet");
    for (const [operation, more] of [
      ["note.update", { title: "Dry", body: "" }],
      ["note.delete", {}],
    ] as const)
      expect(await client.ok(operation, { id, version, ...more, dry_run: true })).toMatchObject({ ref: id });
    expect(await titles()).toContain("Wet");
    expect(await titles()).not.toContain("Dry");
  });

  it("is reached by a grant that names it, until it is deleted", async () => {
    const { ref: shared, version } = await create("Shared");
    const { ref: own } = await create("Own");
    const parties = { holder: server.bob.address, target: server.ada.address };
    const grant = { ...parties, scopes: ["mail"] };
    expect((await server.bob.client.call("part.describe", { id: shared })).status).toBe(403);
    expect((await server.eve.client.call("part.describe", { id: shared })).status).toBe(404);
    const made = await server.administer("grant.create", { ...grant, notes: ["Shared"] });
    expect(made.notes).toEqual([`Shared (${shared})`]);
    await server.bob.client.ok("part.describe", { id: shared });
    expect((await server.bob.client.call("part.describe", { id: own })).status).toBe(403);
    expect(await titles(server.bob.client, { in: server.ada.id })).toEqual(["Shared"]);
    const refused = await server.bob.client.call("note.create", { in: server.ada.id, title: "x", body: "" });
    expect(refused.status).toBe(403);
    await server.bob.client.ok("note.delete", { id: shared, version });
    const { grants } = await server.administer("grant.list", { holder: server.bob.address });
    expect(grants).toMatchObject([{ notes: [] }]);
  });
});

it("is in the archive of its owner, and taken back once", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-notes-"));
  const settings = { agents: 1, people: 0, set: ["dns.servers=none", "log.level=silent"] };
  const list = async ({ http, agents }: InProcessDaemon) =>
    (await httpClient(http.url, agents[0]!.token).ok("note.list")).notes;
  const move = (server: InProcessDaemon, operation: string) =>
    run(server, operation, { owner: server.agents[0]!.address, file: path.join(folder, "ada.tar") });
  try {
    await using from = await startInProcessDaemon(settings);
    const client = httpClient(from.http.url, from.agents[0]!.token);
    for (const title of ["One", "Two"]) await client.ok("note.create", { title, body: `${title}\nmore` });
    await move(from, "mail.export");
    await using to = await startInProcessDaemon(settings);
    expect(await move(to, "mail.import")).toMatchObject({ items: 2, refused: 0 });
    expect(await move(to, "mail.import")).toMatchObject({ items: 0, known: 2 });
    const without = (notes: readonly object[]) => notes.map((one) => ({ ...one, id: "" }));
    expect(without(await list(to))).toEqual(without(await list(from)));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

it("is verified by check, and goes with its owner", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-notes-"));
  const database = await makeTestDatabase();
  const place = { folder, database };
  const store = await openStore({ clock: fakeClock(), ...place });
  const count = async () => (await store.get<{ notes: number }>("select count(*) as notes from note"))?.notes;
  try {
    const { agent } = await seedAgent(store, "ada");
    const bob = await seedAgent(store, "bob");
    const { note } = await store.write(nobody, "createNote", { agent, title: "Keys", body: "", at: 0 });
    const objects = { mailbox: [], calendar: [], addressbook: [], note: [note] };
    const grant = { agent: bob.agent, targetAgent: agent, scopes: ["mail"], objects, expiresAt: null, at: 0 };
    await store.write(nobody, "createGrant", grant);
    expect(await checkStore(store)).toEqual([]);
    for (const [wrong, right, sentence] of [
      ["size = size + 1", "size = size - 1", "its objects count"],
      ["modseq = 1", `modseq = ${note}`, "which the log lacks"],
      ["modseq = 999", `modseq = ${note}`, "a MODSEQ above its agent's"],
      ["note_id = 999", `note_id = ${note}`, `is on note ${note} of agent ${agent}, which is not there`],
      ["agent_id = 999", `agent_id = ${agent}`, "a row of note belongs to agent 999"],
    ] as const) {
      await changeRows(place, `update note set ${wrong}`);
      expect((await checkStore(store)).join("\n")).toContain(sentence);
      await changeRows(place, `update note set ${right}`);
    }
    expect(await checkStore(store)).toEqual([]);
    await store.write(nobody, "deleteAgent", { agent });
    await expect.poll(count).toBe(0);
    expect(await checkStore(store)).toEqual([]);
  } finally {
    await store.close();
    await database?.[Symbol.asyncDispose]();
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
