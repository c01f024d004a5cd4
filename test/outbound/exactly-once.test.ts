/** One `send` gives one mail at the other server, however often it is called and whatever happens to the daemon meanwhile. */
import http from "node:http";
import { pino } from "pino";
import { expect, test } from "vitest";
import { startDelivery } from "#/protocols/delivery/start-delivery.ts";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { createDispatch } from "#/src/outbound/dispatch.ts";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";
import { schedulingOf } from "../support/scheduling.ts";
import { zoneResolve } from "../support/servers/dns-zone.ts";
import { openJsonServer } from "../support/servers/json-server.ts";
import { startSink } from "../support/servers/smtp-sink.ts";

const hourMs = 3_600_000;
const waits = { timeout: 60_000 };
// A test waits more than once, and on a busy machine each time for long.

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers differ
  readonly body: any;
}

const bodyOf = (text: string) => ({ to: ["mel@far.example"], subject: "once", text });

/** A request over connections that are kept; undefined when it was cut off. */
function caller(daemon: ChildDaemon) {
  const connections = new http.Agent({ keepAlive: true, maxSockets: 100 });
  const { token } = daemon.agents[0]!;
  const call = (operation: string, input: unknown) =>
    new Promise<Answer | undefined>((resolve) => {
      const request = http.request(`${daemon.http.url}/v1/${operation}`, {
        method: "POST",
        agent: connections,
        headers: { Authorization: `Bearer ${token}` },
      });
      request.once("error", () => resolve(undefined));
      request.once("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("error", () => resolve(undefined));
        response.once("close", () =>
          resolve(response.complete ? { status: response.statusCode!, body: JSON.parse(text) } : undefined),
        );
      });
      request.end(JSON.stringify(input));
    });
  return { call, close: () => connections.destroy() };
}

async function administer(daemon: ChildDaemon, operation: string, input: Record<string, unknown>) {
  const socket = await connectToDaemon(daemon.data);
  return callDaemon(socket!, { operation, input });
}

/** Repeats of one send, all at once; `onAnswer` hears of each as it comes. */
async function repeat(
  daemon: ChildDaemon,
  count: number,
  key: string,
  onAnswer: (done: number) => void = () => {},
): Promise<Answer[]> {
  const { call, close } = caller(daemon);
  let done = 0;
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const input = { body: bodyOf(`attempt ${index}`), idempotency_key: key };
      const answer = await call("send", input);
      if (answer !== undefined) onAnswer(++done);
      return answer;
    }),
  );
  close();
  return answers.filter((answer) => answer !== undefined);
}

function sendersSettings(port: number): string[] {
  return [
    "outbound.smarthost_host=127.0.0.1",
    `outbound.smarthost_port=${port}`,
    "outbound.smarthost_tls=none",
    ...manyRequests,
  ];
}

const mayWriteToAll = (daemon: ChildDaemon) =>
  administer(daemon, "agent.update", { owner: daemon.agents[0]!.address, holdPolicy: "open" });

test("1,000 repeats at once, a kill in the middle and a restart give one mail and one answer", async () => {
  await using sink = await startSink();
  await using daemon = await startChildDaemon({ set: sendersSettings(sink.port) });
  await mayWriteToAll(daemon);
  const before = await repeat(daemon, 1000, "once", (done) => {
    if (done === 300) daemon.process.kill("SIGKILL");
  });
  expect(before.length).toBeGreaterThanOrEqual(300);
  expect(before.length).toBeLessThan(1000);
  await daemon.restart("SIGKILL");
  const after = await repeat(daemon, 1000, "once");
  const accepted = [...before, ...after].filter(({ status }) => status === 200);
  for (const { status, body } of [...before, ...after])
    if (status !== 200) expect(body.error).toMatchObject({ code: "rate_limited" });
  expect(new Set(accepted.map(({ body }) => body.ref)).size).toBe(1);
  await expect.poll(() => sink.mails.length, waits).toBeGreaterThan(0);
  // The next mail comes after everything that the queue still had.
  const { call, close } = caller(daemon);
  const other = await call("send", { body: { to: ["kit@far.example"], subject: "next", text: "x" } });
  expect(other?.status).toBe(200);
  await expect.poll(() => sink.mails.filter(({ to }) => to[0] === "kit@far.example").length, waits).toBe(1);
  close();
  // A mail that the other server took just before the kill comes once more, as the daemon did not keep that: the same mail.
  expect(sink.mails.length).toBeLessThanOrEqual(3);
  expect(new Set(sink.mails.map(({ text }) => /^Message-ID: .+$/im.exec(text)![0])).size).toBe(2);
});

test("after a kill before the other server has answered, it gets the message after the restart, once", async () => {
  let kill: (() => void) | undefined;
  await using sink = await startSink({
    onMessage() {
      if (kill === undefined) return undefined;
      kill();
      return "die";
    },
  });
  await using daemon = await startChildDaemon({ set: sendersSettings(sink.port) });
  await mayWriteToAll(daemon);
  const killed = new Promise<void>((resolve) => {
    const { process } = daemon;
    kill = () => {
      kill = undefined;
      process.once("exit", () => resolve());
      process.kill("SIGKILL");
    };
  });
  const input = { body: bodyOf("x"), idempotency_key: "cut" };
  const before = caller(daemon);
  const first = await before.call("send", input);
  await killed;
  before.close();
  expect(sink.mails).toHaveLength(0);
  await daemon.restart();
  await expect.poll(() => sink.mails.length, waits).toBe(1);
  const { call, close } = caller(daemon);
  const again = await call("send", input);
  close();
  expect(again?.body).toMatchObject({ state: "queued", replayed: true });
  // Whether the answer of the first attempt got out before the daemon ended, nobody can say.
  if (first !== undefined) expect(again?.body).toEqual({ ...first.body, replayed: true });
  expect(sink.mails).toHaveLength(1);
});

test("repeats six days later, after a restart and rephrased: nothing new leaves", async () => {
  await using sink = await startSink();
  await using server = await openJsonServer({
    outbound: {
      smarthostHost: "127.0.0.1",
      smarthostPort: sink.port,
      smarthostTls: "none",
      allowPrivateAddresses: true,
    },
  });
  const start = () =>
    startDelivery({
      settings: server.settings,
      log: pino({ level: "silent" }),
      store: server.store,
      recipients: server.accounts,
      outbound: server.outbound,
      dispatch: createDispatch(server),
      resolve: zoneResolve({}),
      scheduling: schedulingOf(server),
      preparation: { prepare: async (bytes) => ({ facts: await prepareMessage(bytes) }) },
    });
  await server.administer("agent.update", { owner: server.ada.address, holdPolicy: "open" });
  const key = { idempotency_key: "six-days" };
  const runner = start();
  const first = await server.ada.client.ok("send", { body: bodyOf("first"), ...key });
  await runner.whenIdle();
  expect(sink.mails).toHaveLength(1);
  await runner[Symbol.asyncDispose]();
  server.clock.advance(6 * 24 * hourMs);
  await server.store.maintain({ changesMs: 90 * 24 * hourMs });
  await server.restart();
  const next = start();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      server.ada.client.call("send", { body: bodyOf(`said in other words, ${index}`), ...key }),
    ),
  );
  for (const { status, body } of answers)
    if (status === 200) expect(body).toEqual({ ...first, replayed: true });
    else expect(body.error.code).toBe("rate_limited");
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  next.wake();
  await next.whenIdle();
  expect(sink.mails).toHaveLength(1);
  await next[Symbol.asyncDispose]();
});
