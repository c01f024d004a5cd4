/** Several works on files at once: none takes another one's file or place, and none fails in silence. */
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createJobs } from "#/src/accounts/administration/jobs.ts";
import { plainCall, type Watcher } from "#/src/accounts/administration/operation-call.ts";
import { type Author, atCommandLine } from "#/src/model/author.ts";
import { failureCount, onFailure } from "#/src/model/background.ts";
import { callerOwner, forCaller } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { houseOwner, type Owner } from "#/src/model/owner.ts";
import { newSession } from "#/src/sign-in/new-session.ts";
import { createOwnExports } from "#/src/sign-in/own-export.ts";
import type { PageSession } from "#/src/sign-in/page-session.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import type { AgentRow } from "#/storage/rows.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { engine } from "../support/engine.ts";

let server: InProcessDaemon;
let owner: AgentRow;
const person: Author = { kind: "session", agent: 0, credential: 1, door: "pages", request: "" };
const program: Author = { kind: "operator", agent: 0, credential: 1, door: "operator", request: "" };
const watcher = { signal: new AbortController().signal, onProgress() {} };
const place = (name: string) => path.join(server.daemon.house.store.folder, name);

beforeAll(async () => {
  server = await startInProcessDaemon({ people: 1 });
  const { store } = server.daemon.house;
  owner = (await findAgent(store, store.ids.decode(server.people[0]!.id)!.agent))!;
});
afterAll(() => server[Symbol.asyncDispose]());

it("writes a file once at a time, whatever is written into it", async () => {
  const { works } = server.daemon.house;
  const file = place("twice.tar.gz");
  const write = () => works.exportMail({ owner, file, isMbox: false }, program, watcher);
  const folder = place("twice");
  const calendar = place("twice.ics");
  const database = place("twice.db");
  for (const [name, work] of [
    [file, write],
    [folder, () => works.exportMail({ owner, file: folder, isMbox: false }, program, watcher)],
    [
      calendar,
      () =>
        works.transferItems(
          { action: "export", owner, file: calendar, collection: undefined },
          program,
          watcher,
        ),
    ],
    ...(engine === "sqlite" ? ([[database, () => works.backup(database, watcher)]] as const) : []),
  ] as const) {
    const outcomes = await Promise.allSettled([work(), work()]);
    expect([name, outcomes.map(({ status }) => status)]).toEqual([name, ["fulfilled", "rejected"]]);
    expect(outcomes[1]).toMatchObject({
      reason: { code: "invalid", message: `${name} is being written now.` },
    });
    expect(fs.existsSync(name)).toBe(true);
    expect(fs.existsSync(`${name}.partial`)).toBe(false);
  }
  expect(gunzipSync(fs.readFileSync(file)).subarray(0, 13).toString()).toBe("manifest.json");
  // Afterwards the name is taken: to ask again is of no use.
  const taken = { code: "invalid", details: { field: "/file" } };
  await expect(write()).rejects.toMatchObject(taken);
  await expect(works.backup(file, watcher)).rejects.toMatchObject(taken);
  await expect(works.backup(file, watcher)).rejects.toThrow("never overwrites");
});

it("keeps places for the command line and for programs while people get archives, and the other way round", async () => {
  const { works, fairness } = server.daemon.house;
  let files = 0;
  const write = (by: Author) =>
    works.exportMail({ owner, file: place(`places-${++files}.tar`), isMbox: false }, by, watcher);
  const gate = fairness.gate("transfers");
  for (const [busy, others] of [
    ["people", [atCommandLine, program]],
    ["programs", [atCommandLine, person]],
  ] as const) {
    using held = new DisposableStack();
    for (let at = 0; at < 4; at++) held.use(await gate.enter({ key: `transfers of ${busy}` }));
    for (const by of others) expect(await write(by)).toMatchObject({ messages: expect.any(Number) });
    await expect(write(busy === "people" ? person : program)).rejects.toMatchObject({ code: "rate_limited" });
  }
});

async function signIn(): Promise<PageSession> {
  const { store } = server.daemon.house;
  const at = store.clock.now();
  const { session } = newSession({ remoteAddress: "127.0.0.1", device: "a browser" }, "passkey");
  const { session: number } = await store.write(person, "createPageSession", {
    agent: owner.agent,
    session,
    at,
  });
  return { number, principal: { agent: owner.agent, author: person } } as unknown as PageSession;
}

it("ends a person's archive with the session that asked for it", async () => {
  const { store, settings, works } = server.daemon.house;
  await using jobs = createJobs(store.clock, 1, 5);
  // Everything of a large mailbox.
  const exportMail = (_: unknown, __: Author, { signal }: Watcher) =>
    once(signal, "abort").then(() => Promise.reject(signal.reason as Error));
  const exports = createOwnExports({ store, settings, jobs, works: { ...works, exportMail } });
  const session = await signIn();
  await exports.beginExport(session);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(exports.findExport(session)?.state).toBe("running");
  await store.write(person, "endPageSessions", {
    ...{ agent: owner.agent, session: session.number, at: store.clock.now() },
  });
  await expect.poll(() => exports.findExport(session)?.state).toBe("failed");
  expect(jobs.list(atCommandLine)).toMatchObject([{ state: "cancelled", error: { code: "unauthorized" } }]);
});

it("makes one archive for a person who asks twice at once", async () => {
  const { store, settings, works } = server.daemon.house;
  await using jobs = createJobs(store.clock);
  const exports = createOwnExports({ store, settings, jobs, works });
  const session = await signIn();
  const outcomes = await Promise.allSettled([exports.beginExport(session), exports.beginExport(session)]);
  expect(outcomes).toEqual([
    { status: "fulfilled", value: undefined },
    { status: "rejected", reason: expect.objectContaining({ code: "rate_limited" }) },
  ]);
  await expect.poll(() => exports.findExport(session)?.state, { timeout: 60_000 }).toBe("done");
  expect(jobs.list(atCommandLine)).toHaveLength(1);
});

it("leaves no archive of a person of a former start, also where no page is asked for", async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-archives-"));
  const left = path.join(data, "archives", "left.tar.gz");
  fs.mkdirSync(path.dirname(left));
  fs.writeFileSync(left, "all of it");
  {
    await using _ = await startInProcessDaemon({ data });
    expect(fs.existsSync(left)).toBe(false);
  }
  fs.rmSync(data, { recursive: true, force: true });
});

it("looks at the rights of a job once at a time, on behalf of nobody, and again after a look that failed", async () => {
  await using jobs = createJobs(server.daemon.house.store.clock, 0, 5);
  const before = failureCount();
  const owner: Owner = { ...houseOwner, key: "a client" };
  const owners: Owner[] = [];
  const slow = Promise.withResolvers<boolean>();
  const call = {
    ...plainCall,
    mayGoOn() {
      owners.push(callerOwner());
      if (owners.length > 3) return Promise.resolve(false);
      return owners.length < 3
        ? Promise.reject(new WaypostError("upstream_unavailable", "The store is away."))
        : slow.promise;
    },
  };
  const work = ({ signal }: Watcher) =>
    once(signal, "abort").then(() => Promise.reject(signal.reason as Error));
  await forCaller(
    new AbortController().signal,
    () => jobs.run("store.check", program, call, work),
    () => owner,
  );
  await expect.poll(() => owners.length).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(owners).toEqual([houseOwner, houseOwner, houseOwner]);
  slow.resolve(true);
  await expect.poll(() => jobs.list(program)).toMatchObject([{ state: "cancelled" }]);
  expect(failureCount()).toBe(before);
});

it("looks no more at the rights of a job whose work failed before it began", async () => {
  await using jobs = createJobs(server.daemon.house.store.clock, 1000, 5);
  let looks = 0;
  const call = { ...plainCall, mayGoOn: async () => ++looks > 0 };
  const work = (): never => {
    throw new WaypostError("invalid", "No such file.");
  };
  await expect(jobs.run("store.check", program, call, work)).rejects.toThrow("No such file.");
  expect(jobs.list(program)).toMatchObject([{ state: "failed", error: { code: "invalid" } }]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(looks).toBe(0);
});

it("counts jobs of people and of operators apart", async () => {
  await using jobs = createJobs(server.daemon.house.store.clock, 0);
  const gate = Promise.withResolvers<Record<string, unknown>>();
  const begin = (by: Author) => jobs.run("mail.export", by, plainCall, () => gate.promise);
  for (let at = 0; at < 8; at++) await begin(person);
  await expect(begin(person)).rejects.toMatchObject({ code: "policy_refused" });
  expect(await begin(program)).toMatchObject({ state: "running" });
  gate.resolve({});
});

it("tells the log of a job that fails by a fault after its caller has left", async () => {
  const told: unknown[] = [];
  const former = onFailure((error) => told.push(error));
  try {
    await using jobs = createJobs(server.daemon.house.store.clock, 0);
    const faults = [
      new TypeError("a fault"),
      new WaypostError("internal", "the process ended"),
      new WaypostError("invalid", "the caller's"),
    ];
    for (const fault of faults) {
      const gate = Promise.withResolvers<Record<string, unknown>>();
      const { job } = await jobs.run("mail.export", program, plainCall, () => gate.promise);
      gate.reject(fault);
      await expect.poll(() => jobs.show(program, job as number).state).toBe("failed");
    }
    // Whoever waits has it.
    await expect(
      jobs.run("mail.export", program, plainCall, () => Promise.reject(faults[0])),
    ).rejects.toThrow();
    expect(told).toEqual(faults.slice(0, 2));
  } finally {
    onFailure(former);
  }
});
