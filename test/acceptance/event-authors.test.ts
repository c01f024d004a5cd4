/** Events say who caused them, over every door that gives events: the kind of the author, and whether it was the credential that reads. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { openWebhookReceiver, type WebhookReceiver } from "../support/servers/webhook-receiver.ts";

interface Told {
  readonly type: string;
  readonly by: Readonly<Record<string, unknown>>;
}

let server: InProcessDaemon;
let receiver: WebhookReceiver;
let second: string;
let cursor: string;
beforeAll(async () => {
  receiver = await openWebhookReceiver();
  server = await startInProcessDaemon({
    set: ["outbound.smarthost_host=127.0.0.1", "webhooks.allow_private_addresses=true"],
  });
  const [owner] = server.agents;
  second = ((await operate("token.create", { agent: owner!.address, name: "second" })) as { token: string })
    .token;
  await operate("webhook.add", { owner: owner!.address, url: receiver.url });
  cursor = (await client().ok("wait")).cursor;
  await cause();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const client = (token = server.agents[0]!.token) => httpClient(server.http.url, token);
const operate = (operation: string, input: Record<string, unknown>) =>
  administer(atCommandLine, server.daemon.house, operation, input);

/** One event of each author: the two tokens, a mail client, a server that delivers, the operator. */
async function cause(): Promise<void> {
  const { address, password } = server.agents[0]!;
  const to = ["a@elsewhere.example", "b@elsewhere.example"];
  for (const token of [server.agents[0]!.token, second])
    await client(token).ok("send", { body: { to, subject: "s", text: token } });
  const transport = createTransport({
    ...server.submission,
    auth: { user: address, pass: password },
    tls: { rejectUnauthorized: false },
  });
  await transport.sendMail({ from: address, to, subject: "s", text: "t" });
  transport.close();
  const stranger = createTransport({ ...server.smtp, tls: { rejectUnauthorized: false } });
  await stranger.sendMail({ from: "mel@elsewhere.example", to: address, subject: "s", text: "t" });
  stranger.close();
  await operate("agent.pause", { owner: address });
}

/** What each reader is told: the kinds in order, and which of them are its own. */
const told = (own: string | undefined) =>
  [
    ["mail.held", "first"],
    ["mail.held", "second"],
    ["mail.held", "password"],
    ["mail.received", "server"],
    ["agent.paused", "operator"],
  ].map(([type, by]) => ({
    type,
    by: {
      kind: by === "first" || by === "second" ? "token" : by,
      ...(own === undefined ? {} : { self: by === own }),
    },
  }));

const shown = (events: readonly Told[]) => events.map(({ type, by }) => ({ type, by }));

it.each(["first", "second"])("over wait, to the %s token", async (name) => {
  const reader = client(name === "first" ? undefined : second);
  expect(shown((await reader.ok("wait", { cursor })).events)).toEqual(told(name));
});

it.each(["first", "second"])("over the stream of watch, to the %s token", async (name) => {
  await using stream = await client(name === "first" ? undefined : second).watch({ cursor });
  expect(shown(await stream.events(5))).toEqual(told(name));
});

it("behind a cursor in the middle of a transaction", async () => {
  const [first, ...rest] = (await client().ok("wait", { cursor })).events;
  const after = await client().ok("wait", { cursor: first.cursor });
  expect(after.events).toEqual(rest);
});

it("over the tool of MCP", async () => {
  const answer = await fetch(`${server.http.url}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${second}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "wait", arguments: { cursor } },
    }),
  });
  const { result } = JSON.parse((await answer.text()).replace(/^[^{]*/, "")) as {
    result: { content: [{ text: string }] };
  };
  const { events } = JSON.parse(result.content[0].text) as { events: Told[] };
  expect(shown(events)).toEqual(told("second"));
});

it("to webhooks, which have no credential", async () => {
  const events = () =>
    receiver.requests.flatMap(({ body }) => (JSON.parse(body) as { data: { events: Told[] } }).data.events);
  await expect.poll(() => events().length, { timeout: 60_000 }).toBe(5);
  expect(shown(events())).toEqual(told(undefined));
});

it("without a name, a number or an address of the author", async () => {
  const { events } = await client().ok("wait", { cursor });
  for (const { by } of events) expect(Object.keys(by).toSorted()).toEqual(["kind", "self"]);
});
