import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { statusOfCode } from "#/protocols/json/errors.ts";
import { operations } from "#/protocols/json/registry.ts";
import { nobody } from "#/src/model/author.ts";
import { type ErrorCode, errorCodes } from "#/src/model/errors.ts";
import { httpClient } from "../support/clients/http.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A body exactly as given. */
function post(path: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  return server.ada.client.request(path, {
    method: "POST",
    body: body as never,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

/** Bytes as they are, until the server closes or has said enough. */
function talk(bytes: string, isEnough: (answer: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.listeners[0]!.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
      if (isEnough(answer)) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
    socket.write(bytes);
  });
}

describe("the table of errors", () => {
  it("maps every code to the status of the interface", () => {
    const expected: Record<ErrorCode, number> = {
      invalid: 400,
      unauthorized: 401,
      not_billable: 402,
      forbidden_scope: 403,
      not_found: 404,
      precondition_failed: 409,
      policy_refused: 422,
      rate_limited: 429,
      paused: 503,
      upstream_unavailable: 503,
      unavailable: 501,
      internal: 500,
    };
    expect(statusOfCode).toEqual(expected);
    expect(Object.keys(statusOfCode)).toEqual([...errorCodes]);
  });
});

describe("credentials", () => {
  const withHeader = (value: string | undefined) =>
    httpClient(server.url).request("/v1/health", {
      method: "POST",
      body: "{}",
      headers: value === undefined ? {} : { Authorization: value },
    });

  it("close the connection after five refusals, also when more requests are pipelined", async () => {
    const request = "POST /v1/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wp_x\r\n\r\n";
    const answer = await talk(request.repeat(50), () => false);
    const count = answer.split("HTTP/1.1 401").length - 1;
    expect(count).toBeGreaterThanOrEqual(5);
    expect(count).toBeLessThan(10);
  });

  it("refuses a missing, malformed, unknown, revoked and expired one in the same words", async () => {
    const revoked = await server.token(server.ada, ["mail"]);
    await server.administer("token.revoke", { number: revoked.number });
    const expired = (await server.administer("token.create", {
      agent: server.ada.address,
      name: "short",
      expiresInDays: 1,
    })) as { token: string };
    server.clock.advance(2 * 86_400_000);
    const answers = [];
    for (const header of [
      undefined,
      "Bearer",
      "Basic YTpi",
      "Bearer wp_00000000000000000000000000000000",
      `Bearer ${revoked.token}`,
      `Bearer ${expired.token}`,
    ])
      answers.push(await withHeader(header));
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toBe('Bearer realm="waypost"');
      expect({ ...body.error, request_id: "" }).toEqual({
        code: "unauthorized",
        message: "The credential is missing or not accepted.",
        hint: "Send the header Authorization: Bearer <token> with a valid token.",
        request_id: "",
      });
    }
  });

  it("are checked before the answer says whether an operation exists", async () => {
    const client = httpClient(server.url);
    for (const path of ["/v1/health", "/v1/send", "/v1/nonsense", "/v1/"])
      expect((await client.request(path, { method: "POST" })).status).toBe(401);
  });

  it("name their agent, address and scopes in health", async () => {
    expect(await server.ada.client.ok("health")).toEqual({
      ok: true,
      agent: server.ada.id,
      address: "ada@first.example",
      state: "active",
      scopes: ["mail", "send", "calendar", "contacts"],
    });
  });

  it("answers 402 for an account that cannot incur usage, but explains itself", async () => {
    const { account } = (await server.accounts.findAgentFacts(server.eve.agent))!;
    await server.store.write(nobody, "updateAccount", { account, state: "not_billable" });
    const { client } = server.eve;
    for (const operation of ["health", "wait", "search", "watch"]) {
      const { status, body } = await client.call(operation);
      expect([status, body.error.code]).toEqual([402, "not_billable"]);
    }
    await client.ok("help.describe");
    await client.ok("catalog.describe");
    await server.store.write(nobody, "updateAccount", { account, state: "active" });
    await client.ok("health");
  });

  it("answers 403 where the scope is missing, and lets mail:read read but not write", async () => {
    const none = await server.token(server.ada, ["calendar"]);
    for (const operation of ["wait", "watch", "search"])
      expect((await none.client.call(operation)).body.error.code).toBe("forbidden_scope");
    const reader = await server.token(server.ada, ["mail:read"]);
    const id = await server.deliver(server.ada, plainMessage());
    await reader.client.ok("search");
    await reader.client.ok("wait");
    expect((await reader.client.call("message.update", { id, unread: false })).status).toBe(403);
    expect((await reader.client.call("message.delete", { id, version: "1" })).status).toBe(403);
    for (const render of ["raw", "source"])
      expect((await reader.client.call("part.describe", { id, render })).status).toBe(403);
  });
});

describe("names of operations", () => {
  it("answers 404 for an unknown one", async () => {
    const { client } = server.ada;
    for (const name of ["nonsense", "Health", "health/", "constructor", "__proto__", "part", "%00"]) {
      const { status, body } = await client.call(name);
      expect([name, status, body.error.code]).toEqual([name, 404, "not_found"]);
    }
  });

  it("answers 501 for an operation that the operator has turned off", async () => {
    await using other = await openJsonServer({ json: { unservedOperations: ["search", "no.such"] } });
    const { status, body } = await other.ada.client.call("search", { anything: 1 });
    expect([status, body.error.code]).toEqual([501, "unavailable"]);
    expect(body.error.hint).toMatch(/^Do not retry/);
    const { content } = await other.ada.client.ok("catalog.describe");
    expect(content.unserved).toContain("search");
    expect(content.unserved).not.toContain("no.such");
    expect(content.operations.map((one: { name: string }) => one.name)).not.toContain("search");
  });

  it("takes POST only", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const { status, body, headers } = await server.ada.client.request("/v1/health", { method });
      expect([method, status, body.error.code]).toEqual([method, 400, "invalid"]);
      expect(headers.get("allow")).toBe("POST");
    }
    expect((await server.ada.client.request("/v1/nonsense")).status).toBe(404);
  });

  it("declares each operation under the path of its file", async () => {
    for (const { name } of operations) {
      const file = `#/protocols/json/operations/${name.replace(".", "/")}.ts`;
      expect((await import(file)).default.name).toBe(name);
    }
  });

  it("answers 404 in the same envelope for a path outside the operations", async () => {
    for (const path of ["/", "/v1", "/v2/health", "/favicon.ico"]) {
      const { status, body } = await httpClient(server.url).request(path);
      expect([status, body.error.code]).toEqual([404, "not_found"]);
    }
  });

  it("serves health and the OpenAPI document without a credential", async () => {
    const client = httpClient(server.url);
    expect((await client.request("/health")).body).toEqual({ status: "ok" });
    expect((await client.request("/openapi.json")).body.openapi).toBe("3.1.0");
    expect((await client.request("/health", { method: "HEAD" })).status).toBe(200);
    expect((await client.request("/health", { method: "POST" })).status).toBe(404);
  });
});

describe("request bodies", () => {
  it("takes an empty body for an empty object, with or without a type", async () => {
    for (const headers of [{}, { "Content-Type": "application/json; charset=utf-8" }]) {
      const answer = await server.ada.client.request("/v1/health", { method: "POST", headers });
      expect(answer.status).toBe(200);
    }
  });

  it.each([
    ["", "not JSON", "{"],
    ["", "two values", "{}{}"],
    ["", "an array", "[]"],
    ["", "a number", "1"],
    ["", "null", "null"],
    ["", "a byte order mark", "\ufeff{}"],
    ["/nonsense", "an unknown field", '{"nonsense":1}'],
    ["/a~1b~0c", "an unknown field with signs of pointers", '{"a/b~c":1}'],
    ["/__proto__", "a field of the prototype", '{"__proto__":{"timeout_s":1}}'],
    ["/types/0/__proto__", "one inside", '{"types":[{"\\u005f_proto__":{"name":"x"}}]}'],
    ["/constructor", "a field that every object has", '{"constructor":1}'],
    ["/timeout_s", "a wrong type", '{"timeout_s":"1"}'],
    ["/timeout_s", "a value over its maximum", '{"timeout_s":26}'],
    ["/timeout_s", "a fraction", '{"timeout_s":1.5}'],
    ["/timeout_s", "a number beyond numbers", '{"timeout_s":1e400}'],
    ["/nonsense/1", "one in a field of others", '{"nonsense":["1e400,",-1E+400,1]}'],
    ["/nonsense", "a long one", `{"nonsense":1${"0".repeat(400)}}`],
    ["/timeout_s", "null for a number", '{"timeout_s":null}'],
    ["/types/1", "a wrong value in a list", '{"types":["mail.received","mail.eaten"]}'],
    ["/timeout_s", "a member twice", '{"timeout_s":1,"timeout_s":2}'],
    ["/types", "a member twice in two spellings", '{"types":[],"\\u0074ypes":[]}'],
    ["/mailbox", "an id that is none", '{"mailbox":"robin"}'],
    ["/mailbox", "an id of a wrong kind", '{"mailbox":"message_00000000000000000000000000"}'],
    ["/cursor", "a cursor that is none", '{"cursor":"abc"}'],
  ])("points with %j at what is wrong: %s", async (field, _, body) => {
    const answer = await post("/v1/wait", body);
    expect([answer.status, answer.body.error.code, answer.body.error.field]).toEqual([400, "invalid", field]);
    expect(answer.body.error.hint).toBeTypeOf("string");
  });

  it("names the fields there are, and the values that are accepted", async () => {
    expect((await post("/v1/health", '{"a":1}')).body.error.hint).toBe("Known fields: detail.");
    expect((await post("/v1/wait", '{"a":1}')).body.error.hint).toBe(
      "Known fields: cursor, mailbox, timeout_s, types, agent_part, doubtful, detail.",
    );
    expect((await post("/v1/wait", '{"types":["x"]}')).body.error.hint).toMatch(/^One of: mail.received, /);
  });

  it("refuses bytes that are no UTF-8", async () => {
    const { status, body } = await post(
      "/v1/health",
      Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
    );
    expect([status, body.error.message]).toEqual([400, "The body is not UTF-8."]);
  });

  it("takes 64 levels and refuses 65, whatever stands in strings", async () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    expect((await post("/v1/wait", `{"types":${nested(63)}}`)).body.error.field).toBe("/types/0");
    expect((await post("/v1/wait", `{"types":${nested(64)}}`)).body.error.message).toMatch(/64 levels/);
    expect((await post("/v1/wait", `{"mailbox":"${"[".repeat(100)}"}`)).body.error.field).toBe("/mailbox");
    expect((await post("/v1/wait", "[".repeat(500_000))).body.error.message).toMatch(/64 levels/);
  });

  it("refuses a type that is not JSON, and an encoding", async () => {
    expect((await post("/v1/health", "{}", { "Content-Type": "text/plain" })).status).toBe(400);
    expect((await post("/v1/health", "{}", { "Content-Type": "application/merge-patch+json" })).status).toBe(
      200,
    );
    expect((await post("/v1/health", "{}", { "Content-Encoding": "gzip" })).status).toBe(400);
  });

  it("answers a body over 1 MiB with its envelope, announced or not", async () => {
    const fits = `{"cursor":"${"a".repeat(1024 * 1024 - 13)}"}`;
    expect(fits.length).toBe(1024 * 1024);
    expect((await post("/v1/wait", fits)).body.error.field).toBe("/cursor");
    const { status, body } = await post("/v1/wait", `${fits} `);
    expect([status, body.error.code, body.error.field]).toEqual([400, "invalid", ""]);
    const chunked = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(`${server.url}/v1/wait`, {
        method: "POST",
        headers: { Authorization: `Bearer ${server.ada.token}` },
      });
      request.on("response", (response) => {
        response.setEncoding("utf8");
        let text = "";
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve(text));
      });
      request.on("error", reject);
      for (let sent = 0; sent < 8; sent++) request.write(Buffer.alloc(1024 * 1024, "x"));
      request.end();
    });
    expect(JSON.parse(chunked).error).toMatchObject({ code: "invalid" });
  });

  it("keeps the connection for the next request after a body that is too large", async () => {
    const body = "x".repeat(2 * 1024 * 1024);
    const head = (length: number): string =>
      `POST /v1/health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.ada.token}\r\nContent-Length: ${length}\r\n\r\n`;
    const answer = await talk(`${head(body.length)}${body}${head(2)}{}`, (text) =>
      text.includes('"ok":true'),
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400", "HTTP/1.1 200"]);
  });
});

describe("what is no request", () => {
  it("gets 400 in the envelope, with a request id", async () => {
    for (const bytes of [
      "NONSENSE\r\n\r\n",
      `GET /health HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(40_000)}\r\n\r\n`,
    ]) {
      const answer = await talk(bytes, () => false);
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      const id = /X-Request-Id: (req_[0-9a-f]{13})/.exec(answer)?.[1];
      expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))).error).toMatchObject({
        code: "invalid",
        request_id: id,
      });
    }
  });

  it("does not include a request without Host or with an unknown expectation: both are answered", async () => {
    const credential = `Authorization: Bearer ${server.ada.token}`;
    for (const head of [credential, `Host: x\r\nExpect: miracles\r\n${credential}`]) {
      const answer = await talk(
        `POST /v1/health HTTP/1.1\r\n${head}\r\nContent-Length: 2\r\n\r\n{}`,
        (text) => text.includes('"ok":true'),
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer).toMatch(/X-Request-Id: req_/);
    }
  });

  it("ends a request that takes too long to arrive", async () => {
    await using slow = await openJsonServer({ http: { requestTimeoutMs: 1000 } });
    const socket = connect(slow.listeners[0]!.port, "127.0.0.1");
    socket.write(
      `POST /v1/health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${slow.ada.token}\r\nContent-Length: 10\r\n\r\n{`,
    );
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    expect(answer).toContain("took too long to arrive");
    expect(answer).toMatch(/X-Request-Id: req_/);
  });

  it("is forgotten when the client hangs up in the middle of a body", async () => {
    const socket = connect(server.listeners[0]!.port, "127.0.0.1");
    socket.end(
      `POST /v1/health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.ada.token}\r\nContent-Length: 10\r\n\r\n{`,
    );
    socket.resume();
    await new Promise((resolve) => socket.on("close", resolve));
    await server.ada.client.ok("health");
  });
});

describe("HTTPS", () => {
  it("serves the same, and closes a connection that does not speak TLS", async () => {
    await using secure = await openJsonServer({ https: { enabled: true, port: 0 } });
    const { port } = secure.listeners.find((one) => one.name === "https")!;
    const answer = await new Promise<string>((resolve, reject) => {
      const request = httpsRequest(
        {
          port,
          path: "/v1/health",
          method: "POST",
          headers: { Authorization: `Bearer ${secure.ada.token}` },
          rejectUnauthorized: false,
        },
        async (response) => resolve((await response.toArray()).join("")),
      );
      request.on("error", reject);
      request.end("{}");
    });
    expect(JSON.parse(answer)).toMatchObject({ ok: true, agent: secure.ada.id });
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write("POST /v1/health HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.resume();
    await new Promise((resolve) => socket.on("close", resolve));
  });
});

/** Resolves when there is room for a connection. */
async function serves(port: number): Promise<void> {
  const isServed = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/health`, { headers: { Connection: "close" } }).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await isServed()));
}

describe("a connection", () => {
  it("is closed when the client does not read the answer", async () => {
    await using slow = await openJsonServer({ http: { requestTimeoutMs: 300, maxConnections: 1 } });
    const { port } = slow.listeners[0]!;
    const deaf = connect(port, "127.0.0.1").pause();
    deaf.on("error", () => {});
    // More answers than the system holds for a reader that takes none.
    deaf.write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(400));
    await once(deaf, "connect");
    await serves(port);
    deaf.destroy();
  });

  it("counts in the limit while it is open, also before its TLS handshake", async () => {
    await using full = await openJsonServer({
      http: { maxConnections: 3 },
      https: { enabled: true, port: 0 },
    });
    const https = full.listeners.find((one) => one.name === "https")!.port;
    const http = full.listeners.find((one) => one.name === "http")!.port;
    const silent = [https, https, http].map((port) => connect(port, "127.0.0.1"));
    await Promise.all(silent.map((socket) => once(socket, "connect")));
    const refused = connect(http, "127.0.0.1");
    await once(refused.resume(), "close");
    for (const socket of silent) socket.destroy();
    await serves(http);
  });
});

describe("the share of a network", () => {
  const networkLimit = { http: { maxConnectionsPerNetwork: 1 } };
  const nameNetwork = (): string => "192.0.2.0/24";
  const ask = (token: string): string =>
    `POST /v1/health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2\r\n\r\n{}`;

  it("limits connections without a valid token, and says so in the envelope", async () => {
    await using full = await openJsonServer(networkLimit, undefined, nameNetwork);
    const { port } = full.listeners[0]!;
    const stranger = connect(port, "127.0.0.1");
    stranger.write(ask("wp_wrong"));
    expect(String((await once(stranger, "data"))[0])).toMatch(/^HTTP\/1\.1 401 /);
    const refused = connect(port, "127.0.0.1").setEncoding("utf8");
    refused.write(ask(full.ada.token));
    const answer = (await refused.toArray()).join("");
    expect(answer).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\nRetry-After: 1\r\nConnection: close\r\n/);
    const id = /X-Request-Id: (req_[0-9a-f]{13})/.exec(answer)?.[1];
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))).error).toMatchObject({
      code: "rate_limited",
      retry_after_ms: 1000,
      request_id: id,
    });
    // With a valid token the same connection counts for its owner, and there is room for the next.
    stranger.write(ask(full.ada.token));
    expect(String((await once(stranger, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
    await full.eve.client.ok("health");
    stranger.destroy();
  });

  it("does not limit a connection with a valid token, which counts in the share of its mailbox", async () => {
    await using full = await openJsonServer({ http: { maxConnectionsPerLogin: 1 } }, undefined, nameNetwork);
    const { port } = full.listeners[0]!;
    const first = connect(port, "127.0.0.1");
    first.write(ask(full.ada.token));
    expect(String((await once(first, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
    const second = connect(port, "127.0.0.1").setEncoding("utf8");
    second.write(ask(full.ada.token));
    const answer = (await second.toArray()).join("");
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(answer).toContain("This mailbox has too many open connections.");
    await full.bob.client.ok("health");
    first.destroy();
  });
});

describe("the rate of requests", () => {
  it("lets the burst through, says exactly how long to wait, and lets through again after it", async () => {
    await using limited = await openJsonServer({ limits: { requestsPerSecond: 2, requestsBurst: 3 } });
    const { client } = limited.ada;
    for (let index = 0; index < 3; index++) await client.ok("health");
    const { status, body, headers } = await client.call("health");
    expect([status, body.error.code, body.error.retry_after_ms]).toEqual([429, "rate_limited", 500]);
    expect(headers.get("retry-after")).toBe("1");
    limited.clock.advance(499);
    expect((await client.call("health")).body.error.retry_after_ms).toBe(1);
    limited.clock.advance(1);
    await client.ok("health");
    await limited.bob.client.ok("health");
  });

  it("also counts all tokens of an agent together; a request that one bucket refuses takes nothing from the other", async () => {
    await using limited = await openJsonServer({
      limits: {
        requestsPerSecond: 1,
        requestsBurst: 2,
        agentRequestsPerSecond: 4,
        agentRequestsBurst: 5,
      },
    });
    const { client } = limited.ada;
    const other = (await limited.token(limited.ada, ["mail"])).client;
    const third = (await limited.token(limited.ada, ["mail"])).client;
    const wait = async (one: typeof client) => (await one.call("health")).body.error?.retry_after_ms;
    expect([await wait(client), await wait(client), await wait(client)]).toEqual([
      undefined,
      undefined,
      1000,
    ]);
    // Refused by its token's bucket, the third has cost the agent nothing: three are left.
    for (const one of [other, other, third]) expect(await wait(one)).toBeUndefined();
    expect(await wait(third)).toBe(250);
    expect(await wait(other)).toBe(1000);
    limited.clock.advance(250);
    expect(await wait(third)).toBeUndefined();
    const { content } = await limited.bob.client.ok("catalog.describe");
    expect(content.limits).toMatchObject({
      requests_per_second: 1,
      requests_burst: 2,
      agent_requests_per_second: 4,
      agent_requests_burst: 5,
      sends_per_hour: 30,
      sends_per_day: 200,
      streams_per_token: 4,
    });
  });
});
