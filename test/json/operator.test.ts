/** The operator's interface over real sockets: who may call it, which calls are done once, and what is recorded. */
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createJobs } from "#/src/accounts/administration/jobs.ts";
import { plainCall, type Watcher } from "#/src/accounts/administration/operation-call.ts";
import { administrationOperations } from "#/src/accounts/administration/operations.ts";
import { createOperatorDoor } from "#/src/accounts/administration/operator-door.ts";
import { settingOperations } from "#/src/accounts/administration/transfers.ts";
import {
  allowsOperation,
  type OperatorKind,
  type OperatorNeed,
  operatorKinds,
} from "#/src/accounts/operator-scopes.ts";
import { transferRooms } from "#/src/daemon/moving/run-transfer.ts";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { type Author, atCommandLine, nobody } from "#/src/model/author.ts";
import type { Progress } from "#/storage/store.ts";
import { httpClient } from "../support/clients/http.ts";
import { runCommand } from "../support/command.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { itOnSqlite } from "../support/store.ts";

let server: InProcessDaemon;
let operator: string;
let reader: string;
beforeAll(async () => {
  server = await startInProcessDaemon({
    set: ["webhooks.allow_private_addresses=true", "dns.servers=none", "log.level=silent"],
  });
  operator = (await create({ name: "platform" })).token;
  reader = (await create({ name: "dashboard", scopes: ["read"] })).token;
});
afterAll(() => server[Symbol.asyncDispose]());

interface Made {
  readonly token: string;
  readonly number: number;
}

const create = (input: Record<string, unknown>) => locally("operator.create", input) as Promise<Made>;

/** As the command line does it. */
function locally(operation: string, input: Record<string, unknown>): Promise<unknown> {
  const { house } = server.daemon;
  const signal = new AbortController().signal;
  return runPrivateOperation(house, { operation, input, signal, onProgress() {}, onFrame() {} });
}

function call(operation: string, input: object = {}, token: string | undefined = operator) {
  return httpClient(server.http.url, token).request(`/operator/v1/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(input),
  });
}

async function audit() {
  const { body } = await call("audit.list", { limit: 1000 });
  // The newest is the question itself.
  return body.calls.slice(1) as {
    by: string;
    operation: string;
    input: object;
    outcome: string;
    requestId: string;
  }[];
}

describe("who gets in", () => {
  it("takes only an operator's credential, and answers every other one alike", async () => {
    const agent = server.agents[0]!;
    const { number, token } = await create({ name: "gone" });
    await locally("operator.revoke", { number });
    const answers = [];
    for (const wrong of [undefined, agent.token, agent.password, token, `wpo_${"0".repeat(32)}`, "wpo_"]) {
      const { status, body } = await httpClient(server.http.url, wrong).request("/operator/v1/agent.list", {
        method: "POST",
        body: "{}",
      });
      answers.push([status, body.error.message]);
    }
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]![0]).toBe(401);
  });

  it("is taken nowhere else: an operator token is no credential at /v1, /mcp and /dav/", async () => {
    const client = httpClient(server.http.url, operator);
    expect((await client.call("health")).status).toBe(401);
    for (const path of ["/mcp", "/dav/"]) {
      const { status } = await fetch(server.http.url + path, {
        method: "POST",
        headers: { Authorization: `Bearer ${operator}` },
      });
      expect([path, status]).toEqual([path, 401]);
    }
  });

  it("lets a token of the scope read call what changes nothing, and nothing else", async () => {
    expect((await call("agent.list", {}, reader)).status).toBe(200);
    for (const { name, access, kind, isLocal } of administrationOperations) {
      if (access === "read" || kind === "any" || isLocal) continue;
      const { status, body } = await call(name, {}, reader);
      expect([name, status, body.error.code]).toEqual([name, 403, "forbidden_scope"]);
    }
  });

  it.each(Object.keys(operatorKinds) as OperatorKind[])(
    "lets a token of the kind %s call what belongs to it, and nothing of another kind",
    async (kind) => {
      for (const access of ["read", "write"] as const) {
        const scopes = [access === "read" ? `${kind}:read` : kind];
        const { token } = await create({ name: scopes[0]!, scopes });
        const ours = (operation: OperatorNeed): boolean =>
          operation.kind === "any" ||
          (operation.kind === kind && (access === "write" || operation.access === "read"));
        for (const operation of administrationOperations)
          expect([operation.name, allowsOperation(scopes, operation)]).toEqual([
            operation.name,
            ours(operation),
          ]);
        for (const isAllowed of [true, false]) {
          const one = administrationOperations.find((it) => !it.isLocal && ours(it) === isAllowed)!;
          // The input is wrong, so nothing is done.
          const { body } = await call(one.name, { "": 0 }, token);
          expect([one.name, body.error.code]).toEqual([one.name, isAllowed ? "invalid" : "forbidden_scope"]);
        }
      }
    },
  );

  it("names the scope that is missing", async () => {
    const { token } = await create({ name: "queue", scopes: ["mail:read"] });
    const { body } = await call("token.create", { agent: server.agents[0]!.address }, token);
    expect(body.error.message).toContain("access");
    expect(body.error.hint).toContain("--scopes access");
  });

  it("is refused after its expiry", async () => {
    const { token } = await create({ name: "short", expiresInDays: 1e-8 });
    // It is a matter of a millisecond.
    await expect.poll(async () => (await call("agent.list", {}, token)).status).toBe(401);
  });

  it("always expires: after a year where nothing is said, after ten at the latest, and not never", async () => {
    const before = server.daemon.house.store.clock.now();
    const { expiresAt } = (await create({ name: "plain" })) as Made & { readonly expiresAt: string };
    const after = server.daemon.house.store.clock.now();
    const yearMs = 365 * 86_400_000;
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + yearMs);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(after + yearMs);
    for (const expiresInDays of [0, -1, 3661, null, "never"])
      await expect(create({ name: "for ever", expiresInDays })).rejects.toMatchObject({ code: "invalid" });
  });

  it("has no operation that makes operators or calls in an agent's place", async () => {
    for (const name of ["operator.create", "operator.list", "person.invite", "call"])
      expect([name, (await call(name)).status]).toEqual([name, 404]);
  });
});

describe("what it does", () => {
  it("creates an agent with a token and a webhook by one call", async () => {
    const { status, body } = await call("agent.create", {
      address: "robin@waypost.test",
      webhookUrl: "http://127.0.0.1:9/hook",
      webhookTypes: ["mail.received"],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      address: "robin@waypost.test",
      token: expect.stringMatching(/^wp_/),
      webhook: { url: "http://127.0.0.1:9/hook", types: ["mail.received"], secret: expect.any(String) },
    });
    expect((await httpClient(server.http.url, body.token).call("health")).status).toBe(200);
    const { webhooks } = (await call("webhook.list", { owner: "robin@waypost.test" })).body;
    expect(webhooks).toMatchObject([{ number: body.webhook.number, owner: "robin@waypost.test" }]);
  });

  it("leaves no agent when its webhook is refused", async () => {
    const input = { address: "lost@waypost.test", webhookUrl: "ftp://x" };
    const { status, body } = await call("agent.create", input);
    expect([status, body.error.field]).toEqual([400, "/webhookUrl"]);
    expect((await call("agent.show", { owner: "lost@waypost.test" })).status).toBe(404);
  });

  it("points at the field that is wrong, and names what is missing", async () => {
    const wrong = await call("agent.create", { adress: "x@waypost.test" });
    expect([wrong.status, wrong.body.error.field]).toEqual([400, "/adress"]);
    expect(wrong.body.error.hint).toContain("/address was meant?");
    const missing = await call("agent.show", { owner: "nobody@waypost.test" });
    expect(missing.status).toBe(404);
    expect(missing.body.error.message).toBe("There is no agent nobody@waypost.test.");
  });

  it("does a request under one key once, and gives every repeat the first answer, its secrets too", async () => {
    const input = { agent: server.agents[0]!.address, name: "once", idempotency_key: "k1" };
    const first = await call("token.create", input);
    const again = await call("token.create", input);
    expect(again.body).toEqual(first.body);
    const { tokens } = (await call("token.list", { agent: server.agents[0]!.address })).body;
    expect(tokens.filter(({ name }: { name: string }) => name === "once")).toHaveLength(1);
    const other = await call("token.create", { ...input, name: "other" });
    expect([other.status, other.body.error.field]).toEqual([400, "/idempotency_key"]);
    // The store has the answer, and cannot read it.
    const rows = await server.daemon.house.store.all<{ answer: Uint8Array }>(
      "select answer from operator_call where answer is not null",
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { answer } of rows) expect(Buffer.from(answer).includes(first.body.token)).toBe(false);
  });

  it("does one of several identical requests at the same time, and answers or refuses the others", async () => {
    const input = { owner: server.people[0]!.address, name: "burst", idempotency_key: "k2" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => call("password.create", input)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const { passwords } = (await call("password.list", { owner: input.owner })).body;
    expect(passwords.filter(({ name }: { name: string }) => name === "burst")).toHaveLength(1);
  });

  it("lets the key of a refused request be used again", async () => {
    const input = { name: "later.example.org", idempotency_key: "k3" };
    expect((await call("domain.show", { name: input.name })).status).toBe(404);
    expect((await call("agent.pause", { owner: "late@waypost.test", idempotency_key: "k3" })).status).toBe(
      404,
    );
    await call("agent.create", { address: "late@waypost.test" });
    expect((await call("agent.pause", { owner: "late@waypost.test", idempotency_key: "k3" })).status).toBe(
      200,
    );
  });

  it("does not repeat a request that was cut off by the end of the process", async () => {
    const { store } = server.daemon.house;
    const input = { agent: server.agents[0]!.address, name: "cut", idempotency_key: "k4" };
    await call("token.create", input);
    await store.write(nobody, "endOperatorCall", {
      call: await lastCall(),
      outcome: "done",
      answer: null,
      at: 1,
    });
    const { status, body } = await call("token.create", input);
    expect([status, body.error.code]).toEqual([409, "precondition_failed"]);

    async function lastCall(): Promise<number> {
      const row = await store.get<{ call: number }>(
        "select max(operator_call_id) as call from operator_call",
      );
      return row!.call;
    }
  });

  it("keeps to the rate of requests", async () => {
    const { token } = await create({ name: "greedy" });
    // No time passes, however slow the machine is.
    using _ = vi.spyOn(server.daemon.house.store.clock, "now").mockReturnValue(Date.now());
    const answers = await Promise.all(Array.from({ length: 80 }, () => call("agent.list", {}, token)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.body.error.retry_after_ms).toBeGreaterThan(0);
  });
});

describe("the audit log", () => {
  it("lists every call with its caller and outcome, also refusals and calls of the command line", async () => {
    await locally("agent.list", {});
    await locally("agent.show", { owner: "nobody@waypost.test" }).catch(() => {});
    const { headers } = await call("person.show", { owner: server.people[0]!.address });
    await call("agent.pause", { owner: "x@waypost.test" }, reader);
    await call("agent.show", { owner: 1 });
    const calls = await audit();
    expect(calls.slice(0, 5).map(({ by, operation, outcome }) => [by, operation, outcome])).toEqual([
      [expect.stringMatching(/^platform/), "agent.show", "invalid"],
      [expect.stringMatching(/^dashboard/), "agent.pause", "forbidden_scope"],
      [expect.stringMatching(/^platform/), "person.show", "done"],
      ["command line", "agent.show", "not_found"],
      ["command line", "agent.list", "done"],
    ]);
    expect(calls[2]).toMatchObject({
      requestId: headers.get("x-request-id"),
      input: { owner: server.people[0]!.address },
    });
  });

  it("contains no secret: neither new tokens nor the token of the caller", async () => {
    const made = await call("token.create", { agent: server.agents[0]!.address });
    await locally("call", {
      operation: "health",
      token: server.agents[0]!.token,
      json: { secret: "confidential" },
    }).catch(() => {});
    const text = JSON.stringify(await audit());
    for (const secret of [made.body.token, operator, server.agents[0]!.token, "confidential"])
      expect(text).not.toContain(secret);
    expect(text).toContain('"operation":"call"');
  });

  it("forgets after its time, and keys after an hour", async () => {
    const { store } = server.daemon.house;
    const count = async () =>
      (await store.get<{ count: number; keys: number }>(
        "select count(*) as count, count(key) as keys from operator_call",
      ))!;
    const before = await count();
    const later = store.clock.now() + 3_600_001;
    while (!(await store.write(nobody, "pruneOperatorCalls", { before: 0, now: later, limit: 10 })).isDone);
    expect(await count()).toEqual({ count: before.count, keys: 0 });
    while (
      !(await store.write(nobody, "pruneOperatorCalls", { before: later, now: later, limit: 10 })).isDone
    );
    expect(await count()).toEqual({ count: 0, keys: 0 });
  });

  it("is read at the command line", async () => {
    const data = server.daemon.settings.storage.folder;
    const { stdout } = await runCommand(data, ["audit", "list", "--limit", "3", "--json", "--data", data]);
    expect(JSON.parse(stdout).calls[0]).toMatchObject({ by: "command line", operation: "audit.list" });
  });
});

describe("large works", () => {
  const exchange = () => path.join(server.daemon.settings.storage.folder, "exchange");
  beforeAll(() => void fs.mkdirSync(exchange(), { recursive: true }));

  itOnSqlite("are a backup that is verified, and a check", async () => {
    const { status, body } = await call("store.backup", { file: "nightly", keep: 2, verify: true });
    expect([status, body]).toMatchObject([200, { verified: true, deleted: [] }]);
    expect(path.dirname(body.file)).toBe(path.join(exchange(), "nightly"));
    expect(fs.existsSync(body.file)).toBe(true);
    expect((await call("store.check")).body).toEqual({ problems: [], notes: [] });
  });

  it("are imports and exports, by the author who asked for them", async () => {
    const owner = server.agents[0]!.address;
    fs.writeFileSync(
      path.join(exchange(), "one.mbox"),
      "From a@b.example Thu Jan  1 00:00:00 2026\nSubject: x\n\nx\n",
    );
    const { body } = await call("mail.import", { owner, file: "one.mbox", password: "secret-word" });
    expect(body).toMatchObject({ imported: 1, refused: 0 });
    expect((await call("log.show", { owner, by: "operator" })).body.changes[0]).toMatchObject({
      by: { kind: "operator", name: "platform" },
      door: "operator",
    });
    expect(JSON.stringify(await audit())).not.toContain("secret-word");
    expect((await call("mail.export", { owner, file: "whole.tar" })).status).toBe(200);
    expect((await call("mail.import", { owner, file: "whole.tar" })).body).toMatchObject({ refused: 0 });
    const items = { owner, file: "own.ics" };
    expect((await call("collection.export", items)).body).toMatchObject({ items: 0 });
    expect((await call("collection.import", items)).status).toBe(200);
  });

  it.each(["/etc/passwd", "../waypost.db", "a/b", "", ".hidden", "way out\0"])(
    "reach no file outside of their folder: %j",
    async (file) => {
      const { address: owner } = server.agents[0]!;
      for (const [name, input] of [
        ["store.backup", { file }],
        ["mail.export", { file, owner }],
        ["mail.import", { file, owner }],
      ] as const) {
        const { status, body } = await call(name, input);
        expect([name, status, body.error.field]).toEqual([name, 400, "/file"]);
      }
    },
  );

  it("follow no link out of it", async () => {
    fs.symlinkSync("/etc/passwd", path.join(exchange(), "link"));
    const { status } = await call("mail.import", { owner: server.agents[0]!.address, file: "link" });
    expect(status).toBe(400);
  });

  it("go on in the background when they take long, and are asked for, by their token alone", async () => {
    const jobs = createJobs(server.daemon.house.store.clock, 1);
    await using _ = jobs;
    const by = (credential: number): Author => ({
      kind: "operator",
      agent: 0,
      credential,
      door: "operator",
      request: "",
    });
    const gate = Promise.withResolvers<{ fine: boolean }>();
    const begun = await jobs.run("store.check", by(1), plainCall, ({ onProgress }) => {
      onProgress(1, 2);
      return gate.promise;
    });
    expect(begun).toMatchObject({ job: 1, state: "running", done: 1, total: 2 });
    expect(jobs.list(by(2))).toEqual([]);
    expect(() => jobs.show(by(2), 1)).toThrow("There is no job 1.");
    gate.resolve({ fine: true });
    await expect.poll(() => jobs.show(by(1), 1)).toMatchObject({ state: "done", result: { fine: true } });
    const endless = await jobs.run(
      "store.check",
      by(1),
      plainCall,
      ({ signal }) => once(signal, "abort").then(() => signal.throwIfAborted()) as Promise<never>,
    );
    expect(await jobs.cancel(by(1), endless.job as number)).toMatchObject({ state: "cancelled" });
    expect(jobs.list(atCommandLine)).toHaveLength(2);
  });

  it("end with the credential that began them: a token that is revoked, expires or is of a session that ends", async () => {
    const { house } = server.daemon;
    await using jobs = createJobs(house.store.clock, 1, 5);
    const reasons: unknown[] = [];
    // Work that takes hours, and ends when it is told to.
    const check = ({ signal }: Watcher) =>
      once(signal, "abort").then((): never => {
        reasons.push(signal.reason);
        throw new Error("ended somehow");
      });
    const door = createOperatorDoor({ ...house, jobs, works: { ...house.works, check } });
    const begin = async (number: number, isSignedIn?: () => Promise<boolean>) => {
      const operator = (await door.find(number))!;
      const { job } = await door.call({
        ...{ operator, operation: "store.check", requestId: "", readInput: async () => ({}) },
        parse: () => ({ input: {}, key: undefined }),
        ...(isSignedIn === undefined ? {} : { isSignedIn }),
      });
      return job as number;
    };
    const stateOf = (job: number) => jobs.show(atCommandLine, job);
    const ended = { state: "cancelled", error: { code: "unauthorized" } };

    const revoked = await create({ name: "revoked" });
    const stays = await create({ name: "stays" });
    const [one, other] = [await begin(revoked.number), await begin(stays.number)];
    expect(stateOf(one)).toMatchObject({ state: "running" });
    await locally("operator.revoke", { number: revoked.number });
    await expect.poll(() => stateOf(one)).toMatchObject(ended);

    const brief = await create({ name: "brief", expiresInDays: 5 / 86_400 });
    const last = await begin(brief.number);
    await expect.poll(() => stateOf(last)).toMatchObject(ended);

    let isSignedIn = true;
    let asked = 0;
    const atPages = await begin(stays.number, async () => {
      asked++;
      return isSignedIn;
    });
    await expect.poll(() => asked).toBeGreaterThan(1);
    expect(stateOf(atPages)).toMatchObject({ state: "running" });
    isSignedIn = false;
    await expect.poll(() => stateOf(atPages)).toMatchObject(ended);

    // A credential that stands ends nothing.
    expect(stateOf(other)).toMatchObject({ state: "running" });
    expect(reasons).toMatchObject([
      { code: "unauthorized" },
      { code: "unauthorized" },
      { code: "unauthorized" },
    ]);
  });

  itOnSqlite("are checks and backups that end when they are told to, and leave nothing", async () => {
    const { store } = server.daemon.house;
    const file = path.join(store.folder, "ended.db");
    const told = new Error("as told");
    for (const begin of [
      (progress: Progress, signal: AbortSignal) => store.check(progress, signal),
      (progress: Progress, signal: AbortSignal) => store.backup(file, progress, signal),
    ]) {
      const ending = new AbortController();
      ending.abort(told);
      await expect(begin(() => {}, ending.signal)).rejects.toBe(told);
    }
    const ending = new AbortController();
    await expect(store.check(() => ending.abort(told), ending.signal)).rejects.toBe(told);
    await store.backup(file);
    expect(fs.existsSync(file)).toBe(true);
  });

  it("are imports with the settings of an archive only with the scopes of these settings", async () => {
    const { address: owner } = server.agents[0]!;
    await call("mail.export", { owner, file: "settings.tar" });
    const settings = { owner, file: "settings.tar", takesSettings: true };
    for (const [scopes, missing] of [
      [["transfers"], "accounts"],
      [["transfers", "accounts"], "access"],
      [["transfers", "access", "accounts:read"], "accounts"],
      [["read", "transfers"], "accounts"],
    ] as const) {
      const { token } = await create({ name: "mover", scopes });
      const { status, body } = await call("mail.import", settings, token);
      expect([status, body.error.message]).toEqual([403, expect.stringContaining(`no scope ${missing}`)]);
      expect((await call("mail.import", { ...settings, takesSettings: false }, token)).status).toBe(200);
    }
    const { token } = await create({ name: "mover", scopes: ["transfers", "accounts", "access"] });
    expect((await call("mail.import", settings, token)).body).toMatchObject({ refused: 0 });
    // What an import calls is what these scopes are of.
    for (const name of settingOperations.change)
      expect(["accounts", "access"]).toContain(
        administrationOperations.find((one) => one.name === name)?.kind,
      );
  });

  it("let no archive call anything but its settings", async () => {
    const { house } = server.daemon;
    const plain = transferRooms(house, atCommandLine, false).operator;
    const withSettings = transferRooms(house, atCommandLine, true).operator;
    await expect(plain.administer("grant.create", {})).rejects.toThrow("does not call grant.create");
    await expect(withSettings.administer("agent.delete", {})).rejects.toThrow("does not call agent.delete");
  });

  it("refuse an archive that is not there, or is a folder, each time", async () => {
    const { address: owner } = server.agents[0]!;
    fs.mkdirSync(path.join(exchange(), "folder.tar"), { recursive: true });
    for (let at = 0; at < 4; at++)
      for (const file of ["nowhere.tar", "folder.tar"]) {
        const { status, body } = await call("mail.import", { owner, file });
        expect([file, status, body.error.field]).toEqual([file, 400, "/file"]);
      }
  });

  it("say what is wrong with an address whose name is no text in percent-encoding", async () => {
    const { address: owner } = server.agents[0]!;
    for (const name of ["%zz", "a%ff", "%"]) {
      const { status, body } = await call("mail.import", { owner, file: `imaps://${name}@example.org` });
      expect([name, status, body.error.field]).toEqual([name, 400, "/file"]);
    }
  });

  it("reach no server of this network that a program names", async () => {
    const { address: owner } = server.agents[0]!;
    const { token } = await create({ name: "mover", scopes: ["transfers"] });
    let connections = 0;
    const inside = net.createServer((socket) => {
      connections++;
      socket.destroy();
    });
    inside.listen(0, "::");
    await once(inside, "listening");
    const { port } = inside.address() as net.AddressInfo;
    try {
      for (const host of [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0",
        "127.1",
        "2130706433",
      ])
        for (const [scheme, input] of [
          ["imaps", {}],
          ["imap", {}],
          ["imaps", { fingerprint: "0".repeat(64) }],
        ] as const) {
          const file = `${scheme}://a@${host}:${port}`;
          const { status, body } = await call("mail.import", { owner, file, password: "x", ...input }, token);
          expect([file, status, body.error]).toEqual([
            file,
            400,
            expect.objectContaining({ field: "/file", message: expect.stringContaining("public internet") }),
          ]);
        }
      expect(connections).toBe(0);
      // Who is on this host reaches it anyway.
      await expect(
        locally("mail.import", { owner, file: `imaps://a@127.0.0.1:${port}`, password: "x" }),
      ).rejects.toMatchObject({ code: "upstream_unavailable" });
      expect(connections).toBe(1);
    } finally {
      inside.close();
    }
  });

  it("are the status, and the way of a mail", async () => {
    expect((await call("server.status")).body).toMatchObject({
      pid: process.pid,
      problems: expect.any(Array),
      listeners: { smtp: server.smtp },
    });
    const { id } = server.agents[0]!;
    const sent = await httpClient(server.http.url, server.agents[0]!.token).ok("send", {
      body: { to: [server.agents[0]!.address], subject: "x", text: "x" },
    });
    const { status, body } = await call("mail.trace", { id: sent.ref });
    expect([id, status, body.stored]).toMatchObject([
      id,
      200,
      [{ id: sent.ref, mailbox: server.agents[0]!.address }],
    ]);
    expect((await call("mail.trace", { id: "message_00000000000000000000000000" })).status).toBe(404);
  });
});

describe("the document", () => {
  it("is OpenAPI 3.1, without a credential, and names every operation that is not local", async () => {
    const { status, body } = await httpClient(server.http.url).request("/operator/openapi.json");
    expect(status).toBe(200);
    const validator = new Validator();
    const { errors } = await validator.validate(structuredClone(body));
    expect(errors ?? []).toEqual([]);
    expect(() => validator.resolveRefs()).not.toThrow();
    expect(Object.keys(body.paths)).toEqual(
      administrationOperations.filter(({ isLocal }) => !isLocal).map(({ name }) => `/operator/v1/${name}`),
    );
  });

  it.each([["GET"], ["PUT"]])("refuses %s", async (method) => {
    const { status, headers } = await httpClient(server.http.url, operator).request(
      "/operator/v1/agent.list",
      { method },
    );
    expect([status, headers.get("allow")]).toEqual([400, "POST"]);
  });
});

describe("where it is served", () => {
  it("is on a port of its own alone, with or without TLS, where that is asked for", async () => {
    await using own = await startInProcessDaemon({ set: ["operator.served_on=own_port"] });
    const at = await fetch(`${own.operator.url}/operator/openapi.json`);
    expect(at.status).toBe(200);
    expect((await fetch(`${own.http.url}/operator/openapi.json`)).status).toBe(404);
    expect((await fetch(`${own.operator.url}/openapi.json`)).status).toBe(404);
    expect((await fetch(`${own.operator.url}/v1/health`, { method: "POST" })).status).toBe(404);
    await using secure = await startInProcessDaemon({
      set: ["operator.served_on=own_port", "operator.tls=true"],
    });
    expect(secure.operator.url).toMatch(/^https:/);
  });

  it("is not served when the setting turns it off", async () => {
    await using off = await startInProcessDaemon({ set: ["operator.served_on=nowhere"] });
    expect((await fetch(`${off.http.url}/operator/openapi.json`)).status).toBe(404);
    expect(off.operator).toBeUndefined();
  });
});
