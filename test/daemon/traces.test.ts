/** Traces as an OpenTelemetry collector receives them (OTLP over HTTP, JSON). */

import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { httpClient } from "../support/clients/http.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links?: readonly { readonly traceId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

async function startCollector(status = 200) {
  const bodies: string[] = [];
  const keys: (string | undefined)[] = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    keys.push(request.headers.authorization);
    bodies.push(`${request.method} ${request.url} ${request.headers["content-type"]}\n${body}`);
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    bodies,
    keys,
    spans(): Span[] {
      return bodies.flatMap((body) => {
        const { resourceSpans } = JSON.parse(body.slice(body.indexOf("\n"))) as {
          resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
        };
        return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const start = (url: string, more: readonly string[] = []): Promise<InProcessDaemon> =>
  startInProcessDaemon({
    set: ["dns.servers=none", "log.level=silent", "tracing.enabled=true", `tracing.url=${url}`, ...more],
  });

/** The id in the reply. */
async function bring(server: InProcessDaemon, to: string): Promise<string> {
  await using client = await connectRawSmtp(server.smtp);
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<a@outside.example>");
  await client.command(`RCPT TO:<${to}>`);
  await client.command("DATA");
  const [answer] = await client.send(stuff("Subject: secret word\r\n\r\nx\r\n"));
  return / as (\S+)/.exec(answer!)![1]!;
}

const wordOf = ({ attributes }: Span, key: string): unknown =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

it("has a span for each step of mails, requests and commands, with the ids of the log, and no address", async () => {
  await using collector = await startCollector();
  // Nobody listens there: an attempt that fails is one too.
  const server = await start(collector.url, [
    "outbound.smarthost_host=127.0.0.1",
    "outbound.smarthost_port=1",
  ]);
  const [person] = server.people;
  const [agent] = server.agents;
  let transaction: string;
  let requestId: string;
  let message: string;
  try {
    transaction = await bring(server, person!.address);
    await administer(atCommandLine, server.daemon.house, "agent.update", {
      owner: agent!.address,
      allow: ["outside.example"],
    });
    const client = httpClient(server.http.url, agent!.token);
    const body = { to: [person!.address, "b@outside.example"], text: "x" };
    const sent = await client.call("send", { body });
    expect(sent.status).toBe(200);
    requestId = sent.headers.get("x-request-id")!;
    message = JSON.stringify(sent.body).match(/message_[0-9a-z]{26}/)![0];
    await server.daemon.delivery.whenIdle();
    await using imap = await connectRawImap(server.imap);
    await imap.command(`LOGIN ${person!.address} ${person!.password}`);
    await imap.command("SELECT INBOX");
    await imap.command("SELECT Nowhere");
  } finally {
    await server[Symbol.asyncDispose]();
  }
  const spans = collector.spans();
  expect(collector.bodies[0]).toMatch(/^POST \/v1\/traces application\/json\n/);
  expect(collector.bodies.join()).toContain('"service.name"');

  const came = spans.find((one) => wordOf(one, "waypost.id") === transaction && one.name === "message")!;
  const parts = (whole: Span) => spans.filter((one) => one.parentSpanId === whole.spanId);
  expect(parts(came).map(({ name, traceId }) => [name, traceId])).toEqual([["delivery", came.traceId]]);

  const request = spans.find(
    (one) => wordOf(one, "waypost.requestId") === requestId && one.name === "request",
  )!;
  expect(wordOf(request, "url.path")).toBe("/v1/send");
  expect(Number(wordOf(request, "http.response.status_code"))).toBe(200);
  const submission = spans.find((one) => wordOf(one, "waypost.message") === message)!;
  expect(submission.name).toBe("submission");
  expect(submission.links).toMatchObject([{ traceId: request.traceId }]);
  const carried = parts(submission);
  expect(carried.map(({ name }) => name).sort()).toEqual(["attempt", "delivery"]);
  for (const one of carried) {
    expect(one.traceId).toBe(submission.traceId);
    expect(wordOf(one, "waypost.submission")).toBe(wordOf(submission, "waypost.submission"));
  }

  const commands = spans.filter(({ name }) => name === "command");
  expect(commands.map((one) => [wordOf(one, "waypost.command"), wordOf(one, "waypost.status")])).toEqual([
    ["LOGIN", "OK"],
    ["SELECT", "OK"],
    ["SELECT", "NO"],
  ]);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
  for (const word of [person!.address, agent!.address, agent!.token, "b@outside.example", "secret word"])
    expect(collector.bodies.join()).not.toContain(word);
});

it("sends the header of OTEL_EXPORTER_OTLP_HEADERS", async () => {
  await using collector = await startCollector();
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc");
  const server = await start(collector.url);
  vi.unstubAllEnvs();
  await bring(server, server.people[0]!.address);
  await server[Symbol.asyncDispose]();
  // In one request or more.
  expect([...new Set(collector.keys)]).toEqual(["Bearer abc"]);
});

it("continues and stops when the collector accepts nothing, and the log says so once", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-traces-"));
  const file = path.join(folder, "log");
  await using collector = await startCollector(400);
  const more = ["log.level=warn", `log.file=${file}`];
  const server = await start(collector.url, more);
  expect(await bring(server, server.people[0]!.address)).not.toBe("");
  await server[Symbol.asyncDispose]();
  expect(collector.bodies).not.toEqual([]);
  const lines = fs.readFileSync(file, "utf8").split("\n");
  expect(lines.filter((line) => line.includes("the collector takes no traces"))).toHaveLength(1);
  fs.rmSync(folder, { recursive: true });
});

it("has the attempts of a held mail in a separate trace, with the message id of its request", async () => {
  await using collector = await startCollector();
  const server = await start(collector.url, ["holds.grace_s=0"]);
  const { ok } = httpClient(server.http.url, server.agents[0]!.token);
  try {
    const body = { to: [server.people[0]!.address], text: "x" };
    const { hold } = await ok("send", { body, hold: "always" });
    await administer(atCommandLine, server.daemon.house, "hold.approve", { hold });
    await expect.poll(async () => (await ok("search", { folder: "sent" })).content.items).toHaveLength(1);
    await server.daemon.delivery.whenIdle();
  } finally {
    await server[Symbol.asyncDispose]();
  }
  const named = (name: string) =>
    collector.spans().find((one) => one.name === name && wordOf(one, "waypost.message"))!;
  const [held, delivered] = [named("submission"), named("delivery")];
  expect(wordOf(delivered, "waypost.message")).toBe(wordOf(held, "waypost.message"));
  expect(wordOf(delivered, "waypost.submission")).toEqual(expect.any(String));
  expect(delivered.traceId).not.toBe(held.traceId);
});

it("sends all spans of a mail, or none, with tracing.ratio below 1", async () => {
  await using collector = await startCollector();
  const server = await start(collector.url, ["tracing.ratio=0.5"]);
  const ids: string[] = [];
  try {
    for (let mail = 0; mail < 12; mail++) ids.push(await bring(server, server.people[0]!.address));
  } finally {
    await server[Symbol.asyncDispose]();
  }
  const spans = collector.spans().filter((one) => ids.includes(String(wordOf(one, "waypost.id"))));
  const ofMail = (id: string) =>
    spans.filter((one) => wordOf(one, "waypost.id") === id).map(({ name }) => name);
  const kept = ids.filter((id) => ofMail(id).length > 0);
  for (const id of kept) expect(ofMail(id).sort()).toEqual(["delivery", "message"]);

  await using idle = await startCollector();
  const quiet = await start(idle.url, ["tracing.ratio=0"]);
  await bring(quiet, quiet.people[0]!.address);
  await quiet[Symbol.asyncDispose]();
  expect(idle.bodies).toEqual([]);
});
