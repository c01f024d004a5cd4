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
async function connect(token: string, mode: "legacy" | "auto" = "legacy", query = "") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp${query}`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}

/** The result of a tool, or its refusal as `{error}`, from the one text that a model reads. */
async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
  // biome-ignore lint/suspicious/noExplicitAny: results differ by tool
): Promise<any> {
  return readText(await client.callTool({ name, arguments: input }));
}

// biome-ignore lint/suspicious/noExplicitAny: results differ by tool
function readText({ content, structuredContent, isError }: any): any {
  expect([content.length, structuredContent]).toEqual([1, undefined]);
  const answer = JSON.parse(content[0].text);
  expect("error" in answer).toBe(isError === true);
  return answer;
}

describe.each(["legacy", "auto"] as const)("a client that negotiates: %s", (mode) => {
  it("reads the mailbox with the tools, as /v1 answers", async () => {
    const id = await server.deliver(server.ada, plainMessage("By tool"));
    const client = await connect(server.ada.token, mode);
    if (mode === "auto") expect(client.getNegotiatedProtocolVersion()).toBe(modernRevision);
    expect(await callTool(client, "health")).toEqual(await server.ada.client.ok("health"));
    const found = await callTool(client, "search", { folder: "inbox" });
    expect(found.content.items[0].id).toBe(id);
    const mail = await callTool(client, "part_describe", { id });
    expect(mail.text.replaceAll(mail.content.mark, "")).toBe("How are you?\n");
    await client.close();
  });

  it("checks results by the schemas that it asks for, and reads every refusal of every tool", async () => {
    for (const query of ["", "?schemas=1"]) {
      const client = await connect(server.ada.token, mode, query);
      const { tools } = await client.listTools();
      expect(tools.every((tool) => (tool.outputSchema !== undefined) === (query !== ""))).toBe(true);
      for (const { name } of tools) {
        const refused = await callTool(client, name, { unheard_of: 1 });
        expect([name, refused.error]).toMatchObject([
          name,
          { code: "invalid", hint: expect.stringMatching(/./), request_id: expect.stringMatching(/^req_/) },
        ]);
      }
      const unknown = await callTool(client, "part_describe", { id: "message_nothing" });
      expect(unknown.error).toMatchObject({ code: "not_found", hint: expect.stringMatching(/./) });
      const health = await client.callTool({ name: "health", arguments: {} });
      const said = query === "" ? readText(health) : health.structuredContent;
      if (query !== "") expect(health.content).toEqual([]);
      expect(said).toEqual(await server.ada.client.ok("health"));
      await client.close();
    }
  });
});

describe("the list of tools", () => {
  it("has every operation that is no stream, in less than 30,000 octets, with names that clients accept", async () => {
    const client = await connect(server.ada.token);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(
      operations.filter((one) => one.name !== "watch").map((one) => one.name.replace(".", "_")),
    );
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(30_000);
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(tool.inputSchema.type).toBe("object");
      expect(tool.description).toMatch(/^[A-Z][^.]*\.$/);
      expect(JSON.stringify(tool)).not.toMatch(/"\$(?:ref|defs|schema)"|"(?:pattern|format|title)"/);
    }
  });

  it("says of each tool what it does to the world, from its declaration", async () => {
    const client = await connect(server.ada.token);
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(
      tools.map(({ name, annotations: hints }) => [
        name,
        [hints!.readOnlyHint, hints!.destructiveHint, hints!.idempotentHint, hints!.openWorldHint],
      ]),
    );
    expect(hints).toMatchObject({
      health: [true, undefined, undefined, false],
      search: [true, undefined, undefined, true],
      part_describe: [true, undefined, undefined, true],
      calendarMonth_list: [true, undefined, undefined, true],
      message_delete: [false, true, true, false],
      draft_create: [false, false, false, false],
      contact_create: [false, false, false, false],
      event_create: [false, true, false, true],
      event_update: [false, true, true, true],
      calendar_delete: [false, true, true, true],
      hold_create: [false, true, false, true],
      send: [false, true, false, true],
    });
    // What tells others, or gives their text, is declared for every operation.
    expect(operations.filter((one) => one.reaches === "others").map((one) => one.name)).toEqual([
      "search",
      "part.describe",
      "send",
      "hold.create",
      "hold.update",
      "calendarMonth.list",
      "calendar.delete",
      "event.create",
      "event.update",
      "event.delete",
    ]);
  });

  it.each([
    ["read", ["search", "calendarMonth_list", "wait"], ["send", "event_create", "contact_create"]],
    ["mail", ["help_describe", "search", "send", "hold_update"], ["calendarMonth_list", "contact_create"]],
    ["calendar", ["part_describe", "event_create"], ["send", "wait", "contact_create"]],
    ["contacts", ["search", "addressbook_create"], ["send", "event_create"]],
    ["read,calendar", ["wait", "event_create"], ["send"]],
    ["all", ["send", "event_create", "contact_create"], []],
  ])("is chosen in the address: tools=%s", async (groups, has, lacks) => {
    const client = await connect(server.ada.token, "auto", `?tools=${groups}`);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(has));
    expect(names.filter((name) => lacks.includes(name))).toEqual([]);
    for (const name of lacks.slice(0, 1))
      await expect(callTool(client, name)).rejects.toMatchObject({ code: -32602 });
  });

  it("refuses a choice that does not exist", async () => {
    const { status, body } = await server.ada.client.request("/mcp?tools=everything", {
      method: "POST",
      body: "{}",
    });
    expect([status, body.error.hint]).toEqual([400, expect.stringContaining("calendar")]);
  });

  it("is kept by clients that ask how long it may be", async () => {
    const client = await connect(server.ada.token, "auto");
    expect(await client.listTools()).toMatchObject({ ttlMs: 3_600_000, cacheScope: "private" });
  });

  it("has only the operations that the token may call, and no other can be called", async () => {
    const { token } = await server.token(server.ada, ["mail:read"]);
    const client = await connect(token);
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    // Those of any scope, and those whose scope is that of the object that they are called for.
    expect(names).toEqual(expect.arrayContaining(["wait", "help_describe", "search", "part_describe"]));
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
    expect(refused.error).toMatchObject({
      code: "invalid",
      field: "/wrong",
      hint: expect.stringContaining("Known fields"),
      request_id: expect.stringMatching(/^req_/),
    });
    const foreign = await server.deliver(server.eve, plainMessage());
    const unreached = await callTool(client, "part_describe", { id: foreign });
    expect(unreached.error.code).toBe("not_found");
  });

  it("waits for the next event", async () => {
    const client = await connect(server.ada.token);
    const { cursor } = await callTool(client, "wait");
    const waiting = callTool(client, "wait", { cursor, timeout_s: 25 });
    const id = await server.deliver(server.ada, plainMessage("Waited for"));
    expect((await waiting).events).toMatchObject([{ type: "mail.received", message: id }]);
  });

  it("does the work of an idempotency key once, also when the repeat comes over /v1", async () => {
    const id = await server.deliver(server.ada, plainMessage("Once"));
    const client = await connect(server.ada.token);
    const input = { id, add_labels: ["once"], idempotency_key: "mcp-1" };
    const first = await callTool(client, "message_update", input);
    expect(await server.ada.client.ok("message.update", input)).toEqual(first);
    const other = await callTool(client, "message_update", { ...input, add_labels: ["twice"] });
    expect(other.error).toMatchObject({ code: "invalid" });
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
    expect(await health()).toMatchObject({ ok: true });
    expect(await health()).toMatchObject({ ok: true });
    await small.ada.client.call("health");
    expect(await health()).toMatchObject({ error: { code: "rate_limited" } });
    for (const [method, params] of [
      ["tools/list", {}],
      ["initialize", {}],
      ["tools/call", { name: "nonsense" }],
      ["tools/call", { name: "health", arguments: 5 }],
      ["tools/call", { name: "health", _meta: 5 }],
    ] as const) {
      const { status, body } = await post(method, params);
      expect([status, body.error.code]).toEqual([429, "rate_limited"]);
    }
  });

  it("limits the size of an answer for a model", async () => {
    const id = await server.deliver(server.ada, plainMessage("Long", "\u4f60\n".repeat(150_000)));
    const client = await connect((await server.token(server.ada, ["mail", "raw"])).token);
    const long = await callTool(client, "part_describe", { id, render: "raw", max_chars: 200_000 });
    const text = JSON.stringify(long);
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
    // So long that it waits for memory.
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }).padEnd(5000),
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const { result } = JSON.parse(data);
  return { status: response.status, ...(result === undefined ? {} : readText(result)) };
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

  it("refuses an encoded body as /v1 does", async () => {
    const { status, body } = await ask({ method: "POST", body: "{}" }, { "Content-Encoding": "gzip" });
    expect([status, body.error.hint]).toEqual([400, "Send the body without Content-Encoding."]);
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

  it("acknowledges a subscription with nothing in it, since the lists never change, and ends it", async () => {
    const response = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.ada.token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": modernRevision,
        "Mcp-Method": "subscriptions/listen",
      },
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
    });
    const subscriptionId = "io.modelcontextprotocol/subscriptionId";
    const messages = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map((line) =>
      JSON.parse(line[1]!),
    );
    expect([response.status, messages]).toMatchObject([
      200,
      [
        {
          method: "notifications/subscriptions/acknowledged",
          params: { notifications: {}, _meta: { [subscriptionId]: 1 } },
        },
        { id: 1, result: { resultType: "complete", _meta: { [subscriptionId]: 1 } } },
      ],
    ]);
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
    const twice = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: { Authorization: `Bearer ${server.ada.token}`, "Content-Type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    });
    const { error } = (await twice.json()) as { error: object };
    expect([twice.status, error]).toMatchObject([400, { code: -32700, data: { field: "/id" } }]);
    const params = { name: "health", arguments: { x: "y".repeat(2 ** 20) } };
    const client = await connect(server.ada.token);
    const large = await client.callTool(params as never);
    expect(readText(large)).toMatchObject({ error: { code: "invalid", field: "" } });
  });

  it.each(['{"folder":"inbox"}', ["inbox"], 5, true])(
    "tells a model in a result that arguments are an object, and not %j",
    async (written) => {
      const client = await connect(server.ada.token);
      const answer = readText(await client.callTool({ name: "search", arguments: written as never }));
      expect(answer.error).toMatchObject({
        code: "invalid",
        message: "The arguments of a tool are an object.",
        hint: expect.stringContaining('"arguments": {"folder": "inbox"}'),
      });
    },
  );

  it("takes null for no arguments, and names the tool that was meant", async () => {
    const client = await connect(server.ada.token);
    expect(readText(await client.callTool({ name: "health", arguments: null as never })).ok).toBe(true);
    for (const [written, meant] of [
      ["part.describe", "part_describe"],
      ["message_send", "send"],
      ["messages_list", "search"],
      ["delete_message", "message_delete"],
    ] as const)
      await expect(client.callTool({ name: written, arguments: {} })).rejects.toThrow(`${meant} was meant?`);
  });

  it.each([
    ["nothing", "", 400, -32700],
    ["no JSON", "{", 400, -32700],
    ["a number", "7", 400],
    ["an empty batch", "[]", 400],
    ["a long batch", JSON.stringify(Array(21).fill({ jsonrpc: "2.0", method: "ping" })), 400, -32600],
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
    ["a depth of 1000", `${"[".repeat(1000)}${"]".repeat(1000)}`, 400, -32700],
  ])("survives %s", async (_, body, status, code?: number) => {
    const response = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.ada.token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body,
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([status, expect.not.stringMatching(/at .*\.ts/)]);
    if (code !== undefined)
      expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", id: null, error: { code } });
    expect((await fetchTool(server, "health")).status).toBe(200);
  });
});
