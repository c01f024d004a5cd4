import { request as httpRequest } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { operations } from "#/protocols/json/registry.ts";
import { callerSignal } from "#/src/model/caller.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";
import { type WatchedStore, watchStore } from "../support/watched-store.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const modernRevision = "2026-07-28";

/** A client of the official SDK, of the revisions of 2025 or the one of 2026. */
async function connect(
  token: string,
  mode: "legacy" | "auto" = "legacy",
  headers: Record<string, string> = {},
) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}`, ...headers } },
  });
  await client.connect(transport);
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: results differ by tool
async function callTool(client: Client, name: string, input: Record<string, unknown> = {}): Promise<any> {
  return client.callTool({ name, arguments: input });
}

describe.each(["legacy", "auto"] as const)("a client that negotiates: %s", (mode) => {
  it("reads the mailbox with the tools, as /v1 answers", async () => {
    const id = await server.deliver(server.ada, plainMessage("By tool"));
    const client = await connect(server.ada.token, mode);
    if (mode === "auto") expect(client.getNegotiatedProtocolVersion()).toBe(modernRevision);
    const health = await callTool(client, "health");
    expect(health.structuredContent).toEqual(await server.ada.client.ok("health"));
    expect(JSON.parse(health.content[0].text)).toEqual(health.structuredContent);
    const found = await callTool(client, "search", { folder: "inbox" });
    expect(found.structuredContent.content.items[0].id).toBe(id);
    const mail = await callTool(client, "part_describe", { id });
    expect(mail.structuredContent.text).toBe("How are you?\n");
    await client.close();
  });
});

describe("the list of tools", () => {
  it("has every operation that is no stream, with a name that clients accept and schemas of input and output", async () => {
    const client = await connect(server.ada.token);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.title)).toEqual(
      operations
        .filter((one) => one.name !== "watch" && !(one.scope as string).startsWith("approve"))
        .map((one) => one.name),
    );
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect([tool.inputSchema.type, tool.outputSchema?.type]).toEqual(["object", "object"]);
      expect(tool.description).not.toBe("");
      expect(JSON.stringify(tool)).not.toMatch(/"\$(?:ref|defs|schema)"/);
    }
    const annotations = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations]));
    expect(annotations.search).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(annotations.message_delete).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it("has only the operations that the token may call, and no other can be called", async () => {
    const { token } = await server.token(server.ada, ["mail:read"]);
    const client = await connect(token);
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toContain("wait");
    expect(names).not.toContain("message_update");
    await expect(callTool(client, "message_update", { id: "message_x" })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(callTool(client, "watch")).rejects.toMatchObject({ code: -32602 });
    await expect(callTool(client, "part.describe")).rejects.toMatchObject({ code: -32602 });
  });
});

describe("a tool", () => {
  it("answers a refusal as the error object, with what to do about it", async () => {
    const client = await connect(server.ada.token);
    const refused = await callTool(client, "part_describe", { id: "calendar_1", wrong: true });
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent.error).toMatchObject({
      code: "invalid",
      field: "/wrong",
      hint: expect.stringContaining("Known fields"),
      request_id: expect.stringMatching(/^req_/),
    });
    expect(JSON.parse(refused.content[0].text)).toEqual(refused.structuredContent);
    const foreign = await server.deliver(server.eve, plainMessage());
    const unreached = await callTool(client, "part_describe", { id: foreign });
    expect(unreached.structuredContent.error.code).toBe("not_found");
  });

  it("waits for the next event", async () => {
    const client = await connect(server.ada.token);
    const { cursor } = (await callTool(client, "wait")).structuredContent;
    const waiting = callTool(client, "wait", { cursor, timeout_s: 25 });
    const id = await server.deliver(server.ada, plainMessage("Waited for"));
    expect((await waiting).structuredContent.events).toMatchObject([{ type: "mail.received", message: id }]);
  });

  it("does the work of an idempotency key once, also when the repeat comes over /v1", async () => {
    const id = await server.deliver(server.ada, plainMessage("Once"));
    const client = await connect(server.ada.token);
    const input = { id, add_labels: ["once"], idempotency_key: "mcp-1" };
    const first = (await callTool(client, "message_update", input)).structuredContent;
    expect(await server.ada.client.ok("message.update", input)).toEqual(first);
    const other = await callTool(client, "message_update", { ...input, add_labels: ["twice"] });
    expect(other.structuredContent.error).toMatchObject({ code: "invalid" });
  });

  it("takes from the token's limits, and so does everything else that is asked", async () => {
    await using small = await openJsonServer({ limits: { requestsPerSecond: 0.001, requestsBurst: 3 } });
    const post = (method: string, params: object = {}) =>
      small.ada.client.request("/mcp", {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
    const health = () => fetchTool(small, "health");
    expect(await health()).toMatchObject({ structuredContent: { ok: true } });
    expect(await health()).toMatchObject({ structuredContent: { ok: true } });
    await small.ada.client.call("health");
    expect(await health()).toMatchObject({ structuredContent: { error: { code: "rate_limited" } } });
    for (const [method, params] of [
      ["tools/list", {}],
      ["initialize", {}],
      ["tools/call", { name: "nonsense" }],
    ] as const) {
      const { status, body } = await post(method, params);
      expect([status, body.error.code]).toEqual([429, "rate_limited"]);
    }
  });

  it("limits the size of an answer for a model", async () => {
    const id = await server.deliver(server.ada, plainMessage("Long", "\u4f60\n".repeat(150_000)));
    const client = await connect((await server.token(server.ada, ["mail", "raw"])).token);
    const long = await callTool(client, "part_describe", { id, render: "raw", max_chars: 200_000 });
    const text = JSON.stringify(long.structuredContent);
    expect(text.length).toBeLessThan(260_000);
  });
});

/** A tool call as one request and nothing around it. */
async function fetchTool(
  of: JsonServer,
  name: string,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
  // biome-ignore lint/suspicious/noExplicitAny: results differ by tool
): Promise<any> {
  const response = await fetch(`${of.url}/mcp`, {
    method: "POST",
    ...(signal === undefined ? {} : { signal }),
    headers: {
      Authorization: `Bearer ${of.ada.token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }),
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return { status: response.status, ...JSON.parse(data).result };
}

describe("the address /mcp", () => {
  const ask = (init: RequestInit, headers: Record<string, string> = {}) =>
    server.ada.client.request("/mcp", {
      ...init,
      headers: { "Content-Type": "application/json", ...headers },
    });

  it("refuses a missing credential as /v1 does", async () => {
    const response = await fetch(`${server.url}/mcp`, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="waypost"',
    ]);
  });

  it("has no sessions: GET and DELETE are answered 405", async () => {
    for (const method of ["GET", "DELETE"]) {
      const { status, headers } = await ask({ method });
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  it("refuses a web page of another site, and a name that is not this host's", async () => {
    expect((await fetchTool(server, "health", { Origin: "http://localhost:3000" })).status).toBe(200);
    const page = await ask({ method: "POST", body: "{}" }, { Origin: "https://evil.example" });
    expect([page.status, page.body.error.code]).toEqual([403, "forbidden_scope"]);
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        `${server.url}/mcp`,
        { method: "POST", headers: { Host: "evil.example", Authorization: `Bearer ${server.ada.token}` } },
        (response) => resolve(response.resume().statusCode),
      );
      request.on("error", reject).end("{}");
    });
    expect(rebound).toBe(403);
    await using open = await openJsonServer({ json: { mcpHosts: ["agents.example"] } });
    expect((await fetchTool(open, "health", { Origin: "https://agents.example" })).status).toBe(200);
  });

  it("refuses a subscription to changes of the lists, which never change", async () => {
    const { body } = await ask(
      {
        method: "POST",
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "subscriptions/listen",
          params: {
            notifications: { toolsListChanged: true },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": modernRevision,
              "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
              "io.modelcontextprotocol/clientCapabilities": {},
            },
          },
        }),
      },
      {
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": modernRevision,
        "Mcp-Method": "subscriptions/listen",
      },
    );
    expect(body.error.message).toMatch(/limit/i);
  });

  it("keeps the memory of a body whose caller has gone until the call that reads it has ended", async () => {
    let watched: WatchedStore | undefined;
    await using held = await openJsonServer({}, (store) => {
      watched = watchStore(store);
      return watched.store;
    });
    const memory = (): number => held.fairness.usage().find(({ share }) => share === "receiving")?.taken ?? 0;
    const reading = Promise.withResolvers<AbortSignal>();
    const released = Promise.withResolvers<void>();
    watched!.onRead = (): void | Promise<void> => {
      const signal = callerSignal();
      if (signal === undefined || memory() === 0) return;
      reading.resolve(signal);
      return released.promise;
    };
    const client = new AbortController();
    const asked = fetchTool(held, "search", {}, client.signal);
    const caller = await reading.promise;
    client.abort();
    await expect(asked).rejects.toThrow();
    await vi.waitUntil(() => caller.aborted, { timeout: 60_000, interval: 5 });
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(memory()).toBeGreaterThan(0);
    released.resolve();
    await vi.waitUntil(() => memory() === 0, { timeout: 60_000, interval: 5 });
  });

  it("takes bodies as /v1 does: bounded, no member twice", async () => {
    const twice = await ask({ method: "POST", body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}' });
    expect([twice.status, twice.body.error.field]).toEqual([400, "/id"]);
    const params = { name: "health", arguments: { x: "y".repeat(2 ** 20) } };
    const client = await connect(server.ada.token);
    const large = await client.callTool(params as never);
    expect(large.structuredContent).toMatchObject({ error: { code: "invalid", field: "" } });
  });

  it.each([
    ["nothing", "", 400],
    ["no JSON", "{", 400],
    ["a number", "7", 400],
    ["an empty batch", "[]", 400],
    ["a long batch", JSON.stringify(Array(21).fill({ jsonrpc: "2.0", method: "ping" })), 400],
    ["no method", '{"jsonrpc":"2.0","id":1}', 400],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400],
    ["parameters that are none", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}', 400],
    [
      "arguments that are none",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"health","arguments":[]}}',
      200,
    ],
    ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', 200],
    ["an answer to nothing", '{"jsonrpc":"2.0","id":1,"result":{}}', 202],
    ["a depth of 1000", `${"[".repeat(1000)}${"]".repeat(1000)}`, 400],
  ])("survives %s", async (_, body, status) => {
    const response = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.ada.token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body,
    });
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.not.stringMatching(/at .*\.ts/),
    ]);
    expect((await fetchTool(server, "health")).status).toBe(200);
  });
});
