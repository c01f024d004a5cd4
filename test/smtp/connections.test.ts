/** The limits on the number of connections and on the time of each. */
import { once } from "node:events";
import net from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFairness } from "#/src/fairness/fairness.ts";
import { connectRawSmtp, type RawSmtp } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms, password } from "./mail-rooms.ts";

/** A connection as soon as there is room for one. */
async function connectWhenFree(port: number): Promise<RawSmtp> {
  for (;;) {
    const client = await connectRawSmtp({ port, isGreeted: false });
    if ((await client.reply()).startsWith("220 ")) return client;
    client.destroy();
  }
}

const ends: readonly (readonly [name: string, end: (client: RawSmtp) => Promise<unknown>])[] = [
  ["QUIT", (client) => client.command("QUIT")],
  ["a hang-up", async (client) => client.destroy()],
  [
    "a hang-up in the middle of a command",
    (client) => client.send("MAIL FR", 0).then(() => client.destroy()),
  ],
  [
    "a hang-up in the middle of a message",
    async (client) => {
      await client.command("EHLO x");
      await client.command("MAIL FROM:<a@outside.example>");
      await client.command("RCPT TO:<robin@waypost.example>");
      await client.command("DATA");
      await client.send("Subject: x\r\n", 0);
      client.destroy();
    },
  ],
  ["a command line without end", (client) => client.send("x".repeat(20_000))],
  ["commands that are none", (client) => client.send("X\r\n".repeat(10), 10)],
  [
    "a hang-up in the middle of a handshake",
    async (client) => {
      await client.command("STARTTLS");
      await client.send(Buffer.from("16030100ff01", "hex"), 0);
      client.destroy();
    },
  ],
  [
    "a handshake that is none",
    async (client) => {
      await client.command("STARTTLS");
      await client.send("EHLO x\r\n", 0);
      await client.reply();
    },
  ],
  [
    "QUIT over TLS",
    async (client) => {
      await client.command("STARTTLS");
      await client.secure();
      await client.command("QUIT");
    },
  ],
];
describe("a connection gives its place back", () => {
  let rooms: MailRooms;
  beforeAll(async () => {
    rooms = await openMailRooms({ smtp: { maxConnections: 1 } });
  });
  afterAll(() => rooms[Symbol.asyncDispose]());

  for (const [name, end] of ends)
    test(`after ${name}`, async () => {
      const client = await connectWhenFree(rooms.ports.smtp);
      await using refused = await connectRawSmtp({ port: rooms.ports.smtp, isGreeted: false });
      expect(await refused.reply()).toBe("421 4.7.0 Too many connections, try again later");
      await end(client);
      await using next = await connectWhenFree(rooms.ports.smtp);
      expect(await next.command("NOOP")).toMatch(/^250 /);
    });
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;

test.runIf(outside !== undefined)("a login from another machine needs encryption", async () => {
  await using rooms = await openMailRooms({ host: "0.0.0.0" });
  await using client = await connectRawSmtp({ host: outside!, port: rooms.ports.submission });
  expect(await client.command("EHLO laptop")).not.toContain("AUTH");
  const login = `AUTH PLAIN ${Buffer.from(`\0robin@waypost.example\0${password}`).toString("base64")}`;
  expect(await client.command(login)).toMatch(/^538 5\.7\.11 /);
  await client.command("STARTTLS");
  await client.secure();
  expect(await client.command("EHLO laptop")).toContain("\n250 AUTH PLAIN LOGIN");
  expect(await client.command(login)).toMatch(/^235 /);
});

test("a TLS handshake counts as a connection, from the first octet and by STARTTLS", async () => {
  await using rooms = await openMailRooms({ submission: { maxConnections: 2 } });
  const silent = net.connect(rooms.ports.submissions, "127.0.0.1");
  await once(silent, "connect");
  await using starting = await connectRawSmtp({ port: rooms.ports.submission });
  await starting.command("STARTTLS");
  await using refused = await connectRawSmtp({ port: rooms.ports.submission, isGreeted: false });
  expect(await refused.reply()).toMatch(/^421 4\.7\.0 /);
  silent.destroy();
  await using next = await connectWhenFree(rooms.ports.submission);
  expect(await next.command("NOOP")).toMatch(/^250 /);
});

test("connections that fill the port for other servers do not block submission", async () => {
  await using rooms = await openMailRooms({ smtp: { maxConnections: 1 } });
  await using _full = await connectRawSmtp({ port: rooms.ports.smtp });
  await using refused = await connectRawSmtp({ port: rooms.ports.smtp, isGreeted: false });
  expect(await refused.reply()).toMatch(/^421 4\.7\.0 /);
  await using client = await connectRawSmtp({ port: rooms.ports.submission });
  expect(await client.command("NOOP")).toMatch(/^250 /);
});

test("a network's one command is answered before the many that another network sent at the same time", async () => {
  await using rooms = await openMailRooms({ nameNetwork: ({ remoteAddress }) => remoteAddress });
  const clients = await Promise.all(
    Array.from({ length: 60 }, () => connectRawSmtp({ port: rooms.ports.smtp })),
  );
  await using quiet = await connectRawSmtp({ port: rooms.ports.smtp, localAddress: "127.0.0.9" });
  let answered = 0;
  const busy = clients.map(async (client) => {
    expect((await client.send("NOOP\r\n".repeat(50), 50)).at(-1)).toMatch(/^250 /);
    answered++;
  });
  await quiet.command("NOOP");
  expect(answered).toBeLessThan(clients.length / 2);
  await Promise.all(busy);
  for (const client of clients) client.destroy();
});

describe("on the submission ports", () => {
  const login = `AUTH PLAIN ${Buffer.from(`\0robin@waypost.example\0${password}`).toString("base64")}`;

  test("a network has its share until its connections have logged in", async () => {
    await using rooms = await openMailRooms({
      submission: { maxConnectionsPerNetwork: 1 },
      nameNetwork: () => "192.0.2.0/24",
    });
    await using first = await connectRawSmtp({ port: rooms.ports.submission });
    await using refused = await connectRawSmtp({ port: rooms.ports.submission, isGreeted: false });
    expect(await refused.reply()).toMatch(/^421 4\.7\.0 /);
    await first.command("EHLO laptop");
    expect(await first.command(login)).toMatch(/^235 /);
    await using next = await connectRawSmtp({ port: rooms.ports.submission });
    expect(await next.command("NOOP")).toMatch(/^250 /);
  });

  test("a mailbox has its share of logins", async () => {
    await using rooms = await openMailRooms({ submission: { maxConnectionsPerLogin: 1 } });
    await using first = await connectRawSmtp({ port: rooms.ports.submission });
    await using second = await connectRawSmtp({ port: rooms.ports.submission });
    for (const client of [first, second]) await client.command("EHLO laptop");
    expect(await first.command(login)).toMatch(/^235 /);
    expect(await second.command(login)).toMatch(/^454 .*Too many open connections/);
    first.destroy();
    // Its place is free when the server has seen that it is gone.
    for (let reply = ""; !reply.startsWith("235 "); ) reply = await second.command(login);
  });
});

const stalls: readonly (readonly [name: string, stall: (client: RawSmtp) => Promise<unknown>])[] = [
  ["says nothing", async () => {}],
  ["stops in the middle of a command", (client) => client.send("EHL", 0)],
  [
    "stops in the middle of a handshake",
    (client) => client.command("STARTTLS").then(() => client.send(Buffer.from("160301", "hex"), 0)),
  ],
  [
    "stops in the middle of a message",
    (client) =>
      client.send(
        "EHLO x\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<robin@waypost.example>\r\nDATA\r\nhalf",
        4,
      ),
  ],
  [
    "stops in the middle of a chunk",
    (client) =>
      client.send(
        "EHLO x\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<robin@waypost.example>\r\nBDAT 9\r\nhalf",
        3,
      ),
  ],
  [
    "stops between two chunks",
    (client) =>
      client.send(
        "EHLO x\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<robin@waypost.example>\r\nBDAT 4\r\nhalf",
        4,
      ),
  ],
];
describe("a client is closed that", () => {
  let rooms: MailRooms;
  beforeAll(async () => {
    rooms = await openMailRooms({ smtp: { idleTimeoutMs: 1500 } });
  });
  afterAll(() => rooms[Symbol.asyncDispose]());

  for (const [name, stall] of stalls)
    test(name, async () => {
      await using client = await connectRawSmtp({ port: rooms.ports.smtp });
      await stall(client);
      expect(await client.reply()).toMatch(name.includes("handshake") ? /^closed$/ : /^421 4\.4\.2 /);
      expect(await client.reply()).toBe("closed");
    });

  test("sends an octet now and then", async () => {
    await using client = await connectRawSmtp({ port: rooms.ports.smtp });
    const trickle = setInterval(() => void client.send("x", 0), 50);
    const reply = await client.reply();
    clearInterval(trickle);
    expect(reply).toMatch(/^421 4\.4\.2 The command took too long/);
  });

  test("sends an octet now and then between two chunks", async () => {
    await using client = await connectRawSmtp({ port: rooms.ports.smtp });
    const begun = "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<robin@waypost.example>\r\nBDAT 4\r\nhalf";
    await client.send(begun, 4);
    const trickle = setInterval(() => void client.send("x", 0), 50);
    const reply = await client.reply();
    clearInterval(trickle);
    expect(reply).toMatch(/^421 4\.4\.2 The command took too long/);
  });

  test("never logs in on a submission port, whatever commands it sends", async () => {
    await using client = await connectRawSmtp({ port: rooms.ports.submission });
    const asking = setInterval(() => void client.send("NOOP\r\n", 0), 50);
    let reply = await client.reply();
    while (reply.startsWith("250 ")) reply = await client.reply();
    clearInterval(asking);
    expect(reply).toMatch(/^421 4\.4\.2 The login took too long/);
  });
});

describe("when there is no more", () => {
  test("memory for messages, the sender that holds the most is refused for now", async () => {
    const fairness = createFairness();
    fairness.gate("receiving", { total: 132_000, share: 132_000 });
    await using rooms = await openMailRooms({
      fairness,
      nameNetwork: ({ remotePort }) => `port ${remotePort}`,
    });
    const begin = async (): Promise<RawSmtp> => {
      const client = await connectRawSmtp({ port: rooms.ports.smtp });
      await client.send(
        "EHLO x\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<robin@waypost.example>\r\nDATA\r\n",
        4,
      );
      return client;
    };
    await using greedy = await begin();
    await greedy.send(`Subject: large\r\n\r\n${"x".repeat(98)}\r\n`.padEnd(100_000, "y\r\n"), 0);
    while (fairness.gate("receiving").taken < 100_000) await new Promise((resolve) => setImmediate(resolve));
    await using modest = await begin();
    const [outcome] = await modest.send(`Subject: small\r\n\r\n${"text\r\n".repeat(1000)}.\r\n`);
    expect(outcome).toMatch(/^250 /);
    expect(await greedy.reply()).toMatch(/^421 4\.3\.1 /);
    expect(fairness.refused()).toEqual([{ share: "receiving", reason: "gave_way", count: 1 }]);
  });

  test("connections, the oldest silent one of the network that has the most is closed", async () => {
    const fairness = createFairness();
    let isCrowd = true;
    await using rooms = await openMailRooms({
      fairness,
      smtp: { maxConnections: 3 },
      nameNetwork: () => (isCrowd ? "crowd" : "modest"),
    });
    const connect = () => connectRawSmtp({ port: rooms.ports.smtp });
    await using first = await connect();
    await using second = await connect();
    await using third = await connect();
    await first.command("NOOP");
    isCrowd = false;
    await using modest = await connect();
    expect(await second.reply()).toMatch(/^421 4\.7\.0 /);
    expect(await modest.command("NOOP")).toMatch(/^250 /);
    expect(await third.command("NOOP")).toMatch(/^250 /);
    expect(fairness.refused()).toEqual([{ share: "smtp", reason: "gave_way", count: 1 }]);
  });
});
