/** Each mailbox has a share of outgoing connections and memory. */
import { once } from "node:events";
import net from "node:net";
import { expect, test, vi } from "vitest";
import { createServerConnections } from "#/protocols/delivery/server-connections.ts";
import { createTakenDeliveries } from "#/protocols/delivery/taken-deliveries.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { shares } from "#/src/fairness/shares.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { seedAgent } from "../support/store.ts";
import { openDeliveryHouse } from "./delivery-house.ts";

const zone = { "theirs.net": [["A", "127.0.0.1"]], "slow.net": [["A", "127.0.0.2"]] } as const;

/** A server that takes connections and says nothing. */
async function openSilent(port: number) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(port, "127.0.0.2");
  await once(server, "listening");
  return {
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test("silent servers do not block other mail: their connections are ended", async () => {
  await using sink = await startSink();
  await using silent = await openSilent(sink.port);
  await using house = await openDeliveryHouse({
    zone,
    set: [`outbound.mx_port=${sink.port}`, "outbound.connections=1", "outbound.reply_timeout_ms=600000"],
    times: { yieldMs: 100 },
  });
  const eve = await seedAgent(house.test.store, "eve", { account: "hers", kind: "person" });
  const slow = house.send({ to: ["bob@slow.net"] });
  await vi.waitFor(() => expect(silent.sockets.size).toBe(1), 60_000);
  const quick = house.send({ by: eve, to: ["bob@theirs.net"] });
  await vi.waitFor(() => expect(sink.mails).toHaveLength(1), 60_000);
  expect(await house.recipients(await slow)).toMatchObject([{ state: "queued", attemptCount: 1 }]);
  await quick;
});

/** A server that takes a message and then answers an octet now and then. */
async function openDribbling(port: number) {
  const sockets = new Set<net.Socket>();
  let ended = 0;
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.write("220 slow.net\r\n");
    let dribble: NodeJS.Timeout | undefined;
    socket.on("data", (chunk) => {
      const text = chunk.toString();
      if (/^EHLO/.test(text)) socket.write("250 slow.net\r\n");
      else if (/^DATA/.test(text)) socket.write("354 go\r\n");
      else if (/\r\n\.\r\n$/.test(text)) dribble ??= setInterval(() => socket.write("2"), 50);
      else if (/^(MAIL|RCPT)/.test(text)) socket.write("250 ok\r\n".repeat(text.trim().split("\r\n").length));
    });
    socket.on("close", () => {
      clearInterval(dribble);
      ended++;
    });
  });
  server.listen(port, "127.0.0.2");
  await once(server, "listening");
  return {
    get isReading() {
      return sockets.size > ended;
    },
    end() {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test("an attempt whose server answers an octet now and then gives way to other mail", async () => {
  await using sink = await startSink();
  await using dribbling = await openDribbling(sink.port);
  await using house = await openDeliveryHouse({
    zone,
    set: [`outbound.mx_port=${sink.port}`, "outbound.connections=1", "outbound.reply_timeout_ms=600000"],
    times: { dataYieldMs: 200 },
  });
  const eve = await seedAgent(house.test.store, "eve", { account: "hers", kind: "person" });
  const slow = house.send({ to: ["bob@slow.net"] });
  await vi.waitFor(() => expect(dribbling.isReading).toBe(true), 60_000);
  const quick = house.send({ by: eve, to: ["bob@theirs.net"] });
  await vi.waitFor(() => expect(sink.mails).toHaveLength(1), 60_000);
  expect(await house.recipients(await slow)).toMatchObject([{ state: "queued", attemptCount: 1 }]);
  await quick;
});

test("an attempt whose server never ends its answer is ended after its time limit", async () => {
  await using sink = await startSink();
  await using dribbling = await openDribbling(sink.port);
  await using house = await openDeliveryHouse({
    zone,
    set: [`outbound.mx_port=${sink.port}`, "outbound.reply_timeout_ms=600000"],
    times: { dataMs: 500 },
  });
  const slow = await house.send({ to: ["bob@slow.net"] });
  await vi.waitFor(
    async () => expect(await house.recipients(slow)).toMatchObject([{ state: "queued", attemptCount: 1 }]),
    60_000,
  );
  // The other server hears of it a moment later.
  await expect.poll(() => dribbling.isReading).toBe(false);
});

test("a large mail waits for memory, and a small one is sent meanwhile", async () => {
  await using sink = await startSink();
  await using dribbling = await openDribbling(sink.port);
  const mebibyte = 1024 * 1024;
  const fairness = createFairness();
  // All but the spare part is for one large mail.
  fairness.gate("sending", { total: shares.sending.spare.amount + mebibyte, share: 64 * mebibyte });
  await using house = await openDeliveryHouse({
    zone,
    set: [`outbound.mx_port=${sink.port}`, "outbound.reply_timeout_ms=600000"],
    fairness,
  });
  const text = `Subject: large\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(30_000)}`;
  const eve = await seedAgent(house.test.store, "eve", { account: "hers", kind: "person" });
  const slow = house.send({ to: ["bob@slow.net"], text });
  await vi.waitFor(() => expect(dribbling.isReading).toBe(true), 60_000);
  const large = house.send({ by: eve, to: ["bob@theirs.net"], text });
  await vi.waitFor(() => expect(fairness.gate("sending").waiting).toBe(1), 60_000);
  const small = house.send({ by: eve, to: ["bob@theirs.net"] });
  await vi.waitFor(() => expect(sink.mails).toHaveLength(1), 60_000);
  dribbling.end();
  await vi.waitFor(() => expect(sink.mails).toHaveLength(2), 60_000);
  await Promise.all([slow, large, small]);
});

test("a mailbox with more mail than its share leaves room for that of others", async () => {
  await using house = await openDeliveryHouse({ zone, isStopped: true });
  const { outbound, agent } = house;
  const eve = await seedAgent(house.test.store, "eve", { account: "hers", kind: "person" });
  for (let number = 0; number < 3; number++) await house.send({ to: ["bob@slow.net", "bob@theirs.net"] });
  await house.send({ by: eve, to: ["bob@theirs.net", "bob@slow.net"] });
  const at = { now: house.test.store.clock.now(), limit: 100 };
  const skipAgents = new Set([agent.agent]);
  const due = await outbound.takeDue({ ...at, skipDomains: new Set(["slow.net"]), skipAgents });
  expect(due.map((one) => [one.agent, one.domain])).toEqual([[eve.agent, "theirs.net"]]);
  expect(await outbound.takeDue({ ...at, skipDomains: new Set(), skipAgents })).toHaveLength(1);
  expect(await outbound.takeDue({ ...at, skipDomains: new Set(), skipAgents })).toHaveLength(0);
  expect(await outbound.takeDue({ ...at, skipDomains: new Set() })).toHaveLength(6);
});

test("at most a mailbox's share of its deliveries is taken, and the rest when some are done", async () => {
  await using sink = await startSink();
  await using silent = await openSilent(sink.port);
  const many = shares.queued.share + 5;
  const domains = Array.from({ length: many }, (_, number) => `d${number}.net`);
  await using house = await openDeliveryHouse({
    zone: {
      ...zone,
      ...Object.fromEntries(domains.map((domain) => [domain, [["A", "127.0.0.2"]]])),
    },
    set: [
      `outbound.mx_port=${sink.port}`,
      "outbound.connections=2",
      "outbound.reply_timeout_ms=600000",
      `smtp.max_recipients=${many}`,
    ],
  });
  const eve = await seedAgent(house.test.store, "eve", { account: "hers", kind: "person" });
  const slow = house.send({ by: "person", to: domains.map((domain) => `bob@${domain}`) });
  await vi.waitFor(() => expect(silent.sockets.size).toBe(1), 60_000);
  const quick = house.send({ by: eve, to: ["bob@theirs.net"] });
  await vi.waitFor(() => expect(sink.mails).toHaveLength(1), 60_000);
  expect(silent.sockets.size).toBe(1);
  await house.delivery[Symbol.asyncDispose]();
  await Promise.all([slow, quick]);
});

test("a delivery that found no place does not reduce the count of its mailbox when it is given back", () => {
  const taken = createTakenDeliveries(createFairness());
  const deliveries = Array.from(
    { length: shares.queued.share + 1 },
    () => ({ agent: 1, account: 1 }) as DueDelivery,
  );
  const added = deliveries.filter((delivery) => taken.add(delivery));
  expect(added).toHaveLength(shares.queued.share);
  taken.delete(deliveries.at(-1)!);
  expect([...taken.crowded]).toEqual([1]);
  taken.delete(added[0]!);
  expect([...taken.crowded]).toEqual([]);
});

test("domains that have the same server share its connections, and all of their mail goes", async () => {
  let open = 0;
  let most = 0;
  const answers: (() => void)[] = [];
  await using sink = await startSink({
    onSlowMessage(answer) {
      most = Math.max(most, ++open);
      answers.push(() => {
        open--;
        answer();
      });
    },
  });
  const domains = Array.from({ length: 6 }, (_, number) => `d${number}.net`);
  await using house = await openDeliveryHouse({
    zone: {
      ...zone,
      ...Object.fromEntries(domains.map((domain) => [domain, [["MX", [10, "mx.theirs.net"]]]])),
      "mx.theirs.net": [["A", "127.0.0.1"]],
    },
    set: [`outbound.mx_port=${sink.port}`, "outbound.connections_per_domain=2"],
  });
  const sent = house.send({ by: "person", to: domains.map((domain) => `bob@${domain}`) });
  // None is answered before.
  await vi.waitFor(() => expect(answers.length).toBe(2), 60_000);
  while (sink.mails.length < domains.length || answers.length > 0) {
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(0), 60_000);
    answers.shift()!();
  }
  await sent;
  expect(most).toBe(2);
  expect(sink.mails.map(({ to }) => to[0]).sort()).toEqual(domains.map((domain) => `bob@${domain}`));
});

test("lanes that wait for a server get it in turns of their owners, before later lanes", () => {
  const gone: string[] = [];
  const gate = createFairness().gate("servers", { total: 10, share: 1 });
  const servers = createServerConnections(gate, (lane) => void gone.push(lane));
  const first = servers.tryEnter("192.0.2.1", "c1")!;
  for (const lane of ["a1", "a2", "b1"]) {
    expect(servers.tryEnter("192.0.2.1", lane)).toBeUndefined();
    servers.wait("192.0.2.1", lane, { key: lane[0]! });
  }
  expect(servers.tryEnter("192.0.2.2", "c2")).toBeDefined();
  first[Symbol.dispose]();
  expect(gone).toEqual(["a1"]);
  // There is room, and it is for those that wait.
  expect(servers.tryEnter("192.0.2.1", "c3")).toBeUndefined();
  servers.tryEnter("192.0.2.1", "a1")![Symbol.dispose]();
  expect(gone).toEqual(["a1", "b1"]);
  // One that was let go and did not come leaves its turn to the next.
  servers.wake();
  expect(gone).toEqual(["a1", "b1", "a2"]);
  expect(servers.isWanted("192.0.2.1")).toBe(false);
});

test("mail is delivered also when the client that sent it has disconnected", async () => {
  await using sink = await startSink();
  await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
  const caller = new AbortController();
  house.outbound.onDue(() => caller.abort(new CallerGone()));
  await forCaller(caller.signal, () => house.send({ by: "person", to: ["bob@theirs.net"] }));
  await vi.waitFor(() => expect(sink.mails).toHaveLength(1), 60_000);
  expect(house.logLines.filter(({ level }) => Number(level) > 30)).toEqual([]);
});
