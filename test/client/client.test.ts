import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "#/protocols/json/registry.ts";
import { type Client, createClient, RequestError } from "#/src/client/client.ts";
import { keyed } from "#/src/client/operations.ts";
import { derivedFiles, presentText } from "../derive.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer({ limits: { streamsPerToken: 50 } });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Attempt {
  readonly operation: string;
  readonly input: Record<string, unknown>;
}

/** A network between client and server: `disturb` may answer or fail in its place; what it leaves to the server is counted. */
function clientThrough(
  disturb: (attempt: Attempt, count: number) => Response | "lost" | "answer lost" | undefined,
  options: { attempts?: number } = {},
): { readonly client: Client; readonly attempts: Attempt[] } {
  const attempts: Attempt[] = [];
  const network: typeof fetch = async (url, init) => {
    const attempt = { operation: String(url).split("/v1/")[1]!, input: JSON.parse(String(init?.body)) };
    attempts.push(attempt);
    const instead = disturb(attempt, attempts.length);
    if (instead === "lost") throw new TypeError("fetch failed");
    if (instead instanceof Response) return instead;
    const response = await fetch(url, init);
    if (instead !== "answer lost") return response;
    await response.text();
    throw new TypeError("fetch failed");
  };
  const client = createClient({ url: `${server.url}/`, token: server.ada.token, fetch: network, ...options });
  return { client, attempts };
}

const refusal = (status: number, error: object): Response => Response.json({ error }, { status });

describe("a call", () => {
  it("answers what the operation answers, under types of its own", async () => {
    const { client } = clientThrough(() => undefined);
    const health = await client.call("health");
    expect(health.address).toBe(server.ada.address);
    const id = await server.deliver(server.ada, plainMessage("Typed"));
    const { kind, version } = await client.call("part.describe", { id });
    expect([kind, typeof version]).toEqual(["message", "string"]);
    // @ts-expect-error an unknown field is found by the compiler
    await expect(client.call("search", { folders: "inbox" })).rejects.toThrow();
  });

  it("throws a refusal with all its details", async () => {
    const { client } = clientThrough(() => undefined);
    const failure = await client.call("part.describe", { id: "nonsense" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RequestError);
    expect(failure).toMatchObject({
      code: "invalid",
      status: 400,
      field: "/id",
      hint: expect.stringContaining("Accepted"),
      requestId: expect.stringMatching(/^req_/),
    });
  });

  it("waits for the time in the refusal when a limit is spent", async () => {
    const limited = refusal(429, {
      code: "rate_limited",
      message: "Wait.",
      retry_after_ms: 30,
      request_id: "req_1",
    });
    const { client, attempts } = clientThrough((_, count) => (count < 3 ? limited.clone() : undefined));
    expect((await client.call("health")).ok).toBe(true);
    expect(attempts.length).toBe(3);
    const long = refusal(429, { code: "rate_limited", message: "Wait.", retry_after_ms: 86_400_000 });
    await expect(clientThrough(() => long).client.call("health")).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: 86_400_000,
    });
  });

  it("does a write once although its answer was lost, with a key of its own", async () => {
    const id = await server.deliver(server.ada, plainMessage("Twice"));
    const { client, attempts } = clientThrough((_, count) => (count === 1 ? "answer lost" : undefined));
    const { version } = (await client.call("message.update", { id, flagged: true })) as { version?: string };
    expect(attempts.length).toBe(2);
    expect(attempts[0]!.input.idempotency_key).toBe(attempts[1]!.input.idempotency_key);
    expect((await client.call("part.describe", { id })).version).toBe(version);
  });

  it.each([
    ["paused", 503],
    ["forbidden_scope", 403],
    ["precondition_failed", 409],
    ["unavailable", 501],
    ["unauthorized", 401],
  ])("does not repeat what is refused as %s", async (code, status) => {
    const { client, attempts } = clientThrough(() => refusal(status, { code, message: "No." }));
    await expect(client.call("search")).rejects.toMatchObject({ code, status });
    expect(attempts.length).toBe(1);
  });

  it("gives up after its attempts, and at once when its signal aborts", async () => {
    const { client, attempts } = clientThrough(() => "lost", { attempts: 2 });
    await expect(client.call("health")).rejects.toMatchObject({ code: "upstream_unavailable", status: 0 });
    expect(attempts.length).toBe(2);
    const abort = new AbortController();
    const waiting = clientThrough(() => undefined).client;
    const { cursor } = await waiting.call("wait");
    const call = waiting.call("wait", { cursor, timeout_s: 25 }, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });
});

describe("a stream", () => {
  it("yields every event once and in order, however often the connection breaks", async () => {
    let live: AbortController | undefined;
    const network: typeof fetch = async (url, init) => {
      if (!String(url).endsWith("/watch")) return fetch(url, init);
      live = new AbortController();
      return fetch(url, { ...init, signal: AbortSignal.any([init!.signal as AbortSignal, live.signal]) });
    };
    const client = createClient({ url: server.url, token: server.ada.token, fetch: network });
    const reasons: string[] = [];
    const stop = new AbortController();
    const events = client.events({}, { signal: stop.signal, onReconnect: ({ code }) => reasons.push(code) });
    const told: string[] = [];
    const first = events.next();
    await expect.poll(() => live).toBeDefined();
    const ids: string[] = [];
    for (let index = 0; index < 6; index++)
      ids.push(await server.deliver(server.ada, plainMessage(`${index}`)));
    told.push((await first).value!.message!);
    while (told.length < ids.length) {
      if (told.length % 2 === 0) live?.abort();
      told.push((await events.next()).value!.message!);
    }
    expect(told).toEqual(ids);
    live?.abort();
    const next = events.next();
    await expect.poll(() => reasons.length).toBeGreaterThan(0);
    ids.push(await server.deliver(server.ada, plainMessage("behind the break")));
    expect((await next).value!.message!).toBe(ids.at(-1));
    stop.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("throws errors that a new connection cannot mend: an invalid cursor, a revoked credential", async () => {
    const client = createClient({ url: server.url, token: server.ada.token });
    await expect(client.watch({ cursor: "nonsense" }).next()).rejects.toMatchObject({ code: "invalid" });
    const other = await server.token(server.ada, ["mail"]);
    const stream = createClient({ url: server.url, token: other.token }).watch({ timeout_s: 1 });
    const next = stream.next();
    await server.administer("token.revoke", { number: other.number });
    await expect(next).rejects.toMatchObject({ code: "unauthorized" });
  });
});

describe("what is derived from the declarations", () => {
  it.each(derivedFiles())("is current (npm run derive writes it): $path", ({ path: file, text }) => {
    expect(presentText(file)).toBe(text);
  });

  it("knows every operation", () => {
    const { text } = derivedFiles().find((file) => file.path === "src/client/operations.ts")!;
    for (const { name } of operations) expect(text).toContain(`readonly "${name}": {`);
  });

  it("repeats each operation without harm: it reads, or is a write with a key", () => {
    const writes = operations.filter(({ effect }) => effect === "writes");
    expect([...keyed]).toEqual(writes.map(({ name }) => name));
  });
});

describe("the package", () => {
  it("is plain JavaScript with types, and needs nothing of the server", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-client-"));
    const build = new URL("../../config/build/build-client.ts", import.meta.url).pathname;
    await promisify(execFile)(process.execPath, [build, folder]);
    const files = fs.readdirSync(folder);
    expect(files).toEqual(expect.arrayContaining(["client.js", "client.d.ts", "operations.d.ts"]));
    for (const file of files) {
      const text = fs.readFileSync(path.join(folder, file), "utf8");
      for (const [, specifier] of text.matchAll(/from "([^"]+)"/g))
        expect(specifier).toMatch(/^\.\/[a-z-]+\.js$/);
    }
    const program = `import { createClient } from ${JSON.stringify(path.join(folder, "client.js"))};
      const { ok } = await createClient({ url: process.argv[1], token: process.argv[2] }).call("health");
      console.log(ok);`;
    const args = ["--input-type=module", "-e", program, server.url, server.ada.token];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.trim()).toBe("true");
    fs.rmSync(folder, { recursive: true, force: true });
  });
});
