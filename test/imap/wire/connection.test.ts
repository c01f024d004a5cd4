import net from "node:net";
import { expect, test } from "vitest";
import { Connection, ConnectionClosed, LineTooLong } from "#/protocols/connection/connection.ts";
import { startImap } from "../server.ts";

interface Pair extends AsyncDisposable {
  readonly connection: Connection;
  readonly peer: net.Socket;
}

async function connectPair(timeoutMs = 5000): Promise<Pair> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const accepted = new Promise<net.Socket>((resolve) => server.once("connection", resolve));
  const peer = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
  peer.pause();
  const connection = new Connection(await accepted, { timeoutMs });
  return {
    connection,
    peer,
    async [Symbol.asyncDispose]() {
      peer.destroy();
      await connection.end();
      server.close();
    },
  };
}

test("reads lines that end in CRLF or LF, and counted octets between them", async () => {
  await using pair = await connectPair();
  pair.peer.write("one\r\ntwo\n12345rest\r\n");
  expect(await pair.connection.readLine(10)).toBe("one");
  expect(await pair.connection.readLine(10)).toBe("two");
  expect((await pair.connection.readBytes(5)).toString()).toBe("12345");
  expect(await pair.connection.readLine(4)).toBe("rest");
});

test("refuses a line beyond its limit, whether or not it ends", async () => {
  await using pair = await connectPair();
  pair.peer.write("123456\r\n");
  await expect(pair.connection.readLine(5)).rejects.toThrow(LineTooLong);
});

test("waits with a write until the peer reads", async () => {
  await using pair = await connectPair();
  let isWritten = false;
  const writing = pair.connection.write(Buffer.alloc(20_000_000)).then(() => {
    isWritten = true;
  });
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(isWritten).toBe(false);
  pair.peer.resume();
  await writing;
});

test("closes a peer that is silent, and one that does not read", async () => {
  await using silent = await connectPair(20);
  await expect(silent.connection.readLine(10)).rejects.toMatchObject({ reason: "timeout" });
  await using deaf = await connectPair(20);
  await expect(deaf.connection.write(Buffer.alloc(20_000_000))).rejects.toThrow(ConnectionClosed);
});

test("fails a read when the peer has closed and all its octets are read", async () => {
  await using pair = await connectPair();
  pair.peer.end("last\r\n");
  expect(await pair.connection.readLine(10)).toBe("last");
  await expect(pair.connection.readLine(10)).rejects.toMatchObject({ reason: "gone" });
});

test("sends BYE to a session that is silent for too long", async () => {
  await using server = await startImap({ idleTimeoutMs: 1500 });
  await server.converse(`
    S: * OK {{*}}
    C: a1 LOGIN {{=login}}
    S: a1 OK {{*}}
    S: * BYE {{*}}
    CLOSED
    S2: * OK {{*}}
    C2: a1 LOGIN {{=login}}
    S2: a1 OK {{*}}
    C2: a2 IDLE
    S2: + {{*}}
    S2: * BYE {{*}}
    CLOSED2
  `);
});

test("sends BYE to open sessions when the server shuts down", async () => {
  const server = await startImap();
  const shutDown = async (): Promise<void> => server[Symbol.asyncDispose]();
  await server.converse(
    `
    S: * OK {{*}}
    C: a1 LOGIN {{=login}}
    S: a1 OK {{*}}
    C: a2 IDLE
    S: + {{*}}
    S2: * OK {{*}}
    C2: a1 LOGIN {{=login}}
    S2: a1 OK {{*}}
    C2: a2 SELECT INBOX
    S2*: a2 OK {{*}}
    DO shutDown
    S: * BYE [UNAVAILABLE] {{*}}
    CLOSED
    S2: * BYE [UNAVAILABLE] {{*}}
    CLOSED2
  `,
    { actions: { shutDown } },
  );
});
