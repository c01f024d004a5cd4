import { once } from "node:events";
import net from "node:net";
import { connect as connectTls, createSecureContext } from "node:tls";
import { expect, test, vi } from "vitest";
import { Connection, type ConnectionClosed } from "#/protocols/connection/connection.ts";
import { testCertificate } from "../support/certificates/certificate.ts";

/** The accepted side and the peer of one connection. */
async function pair(): Promise<{ accepted: net.Socket; peer: net.Socket; close(): void }> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const peer = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
  const [accepted] = (await once(server, "connection")) as [net.Socket];
  peer.on("error", () => {});
  return {
    accepted,
    peer,
    close() {
      accepted.destroy();
      peer.destroy();
      server.close();
    },
  };
}

test("does not wait longer for a line that comes an octet at a time", async () => {
  const { accepted, peer, close } = await pair();
  const connection = new Connection(accepted, { timeoutMs: 300 });
  const trickle = setInterval(() => peer.write("x"), 40);
  await expect(connection.readLine(1000)).rejects.toMatchObject({
    reason: "timeout",
  } satisfies Partial<ConnectionClosed>);
  clearInterval(trickle);
  close();
});

test("has a new time for each line", async () => {
  const { accepted, peer, close } = await pair();
  const connection = new Connection(accepted, { timeoutMs: 400 });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    for (let count = 0; count < 5; count++) {
      const line = connection.readLine(1000);
      vi.advanceTimersByTime(300);
      peer.write("line\r\n");
      expect(await line).toBe("line");
    }
  } finally {
    vi.useRealTimers();
  }
  close();
});

test("makes one timer for many waits, which still ends one that is too long", async () => {
  const { accepted, peer, close } = await pair();
  const timers = vi.spyOn(globalThis, "setTimeout");
  const connection = new Connection(accepted, { timeoutMs: 20_123 });
  try {
    for (let count = 0; count < 100; count++) {
      const line = connection.readLine(1000);
      peer.write("line\r\n");
      expect(await line).toBe("line");
    }
    expect(timers.mock.calls.filter(([, ms = 0]) => ms > 20_000 && ms <= 20_123)).toHaveLength(1);
    // A shorter wait has a timer of its own.
    connection.timeoutMs = 100;
    await expect(connection.readLine(1000)).rejects.toMatchObject({ reason: "timeout" });
  } finally {
    timers.mockRestore();
    await connection.end();
    close();
  }
});

test("leaves no timer when it has ended, also of a wait that began meanwhile", async () => {
  const { accepted, close } = await pair();
  const timers = vi.spyOn(globalThis, "setTimeout");
  const clears = vi.spyOn(globalThis, "clearTimeout");
  const connection = new Connection(accepted, { timeoutMs: 20_123 });
  try {
    const first = connection.readLine(1000);
    const end = connection.end();
    const second = connection.readLine(1000);
    expect((await Promise.allSettled([first, second])).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
    ]);
    await end;
    const long = timers.mock.calls.flatMap(([, ms = 0], at) =>
      ms > 20_000 && ms <= 20_123 ? [timers.mock.results[at]!.value as unknown] : [],
    );
    expect(long).toHaveLength(2);
    expect(clears.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(long));
  } finally {
    timers.mockRestore();
    clears.mockRestore();
    close();
  }
});

test("starts no handshake on a closed connection", async () => {
  const { accepted, close } = await pair();
  const connection = new Connection(accepted, { timeoutMs: 300, secureContext: () => createSecureContext() });
  accepted.destroy();
  await expect(connection.startTls()).rejects.toMatchObject({ reason: "gone" });
  close();
});

test.each(["plain", "TLS"])(
  "reports that all is sent only when the memory can be used again: %s",
  async (kind) => {
    const { accepted, peer, close } = await pair();
    const connection = new Connection(accepted, {
      timeoutMs: 20_000,
      secureContext: () => createSecureContext(testCertificate),
    });
    let reader: net.Socket = peer;
    if (kind === "TLS") {
      reader = connectTls({ socket: peer, rejectUnauthorized: false });
      await Promise.all([connection.startTls(), once(reader, "secureConnect")]);
    }
    reader.pause();
    const piece = 64 * 1024;
    const pieces = 200;
    const writes: Promise<void>[] = [];
    let used = 0;
    for (let number = 0; number < pieces; number++) {
      const memory = Buffer.alloc(piece, number);
      writes.push(connection.write(memory));
      if (!connection.hasSentAll) continue;
      used++;
      memory.fill(0xff);
    }
    // The peer does not read, so the last ones are held.
    expect(connection.hasSentAll).toBe(false);
    if (kind === "plain") expect(used).toBeGreaterThan(0);
    const received: Buffer[] = [];
    let length = 0;
    reader.on("data", (data: Buffer) => {
      received.push(data);
      length += data.length;
    });
    reader.resume();
    await Promise.all(writes);
    await expect.poll(() => length, { timeout: 60_000 }).toBe(pieces * piece);
    const expected = Buffer.concat(
      Array.from({ length: pieces }, (_, number) => Buffer.alloc(piece, number)),
    );
    expect(Buffer.concat(received).equals(expected)).toBe(true);
    await expect.poll(() => connection.hasSentAll, { timeout: 60_000 }).toBe(true);
    close();
  },
);
