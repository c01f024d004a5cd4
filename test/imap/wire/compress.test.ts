import { once } from "node:events";
import net from "node:net";
import zlib from "node:zlib";
import { expect, test } from "vitest";
import { startImap } from "../server.ts";

test("compresses both ways until UNAUTHENTICATE", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: i0 COMPRESS DEFLATE
    S: i0 BAD {{*}}
  `);
  await server.converse(`
    S: * OK {{*}}
    C: i1 STARTTLS
    S: i1 OK {{*}}
    TLS
    C: i2 LOGIN {{=login}}
    S: i2 OK [CAPABILITY {{had:.* COMPRESS=DEFLATE UNAUTHENTICATE.*}}] Logged in
    C: i3 COMPRESS GZIP
    S: i3 BAD {{*}}
    C: i4 COMPRESS DEFLATE
    S: i4 OK {{*}}
    DEFLATE
    C: a1 APPEND INBOX {12}
    S: + {{*}}
    C: a: 1\\r\\n\\r\\ntext
    S: a1 OK {{*}}
    C: a2 SELECT INBOX
    S*: a2 OK {{*}}
    C: a3 FETCH 1 BODY[]
    S: * 1 FETCH (BODY[] {12}
    S: a: 1
    S:
    S: text FLAGS (\\Recent \\Seen))
    S: a3 OK {{*}}
    C: a4 COMPRESS DEFLATE
    S: a4 BAD [COMPRESSIONACTIVE] {{*}}
    C: a5 ENABLE QRESYNC
    S*: a5 OK {{*}}
    C: a6 UNAUTHENTICATE
    S: a6 OK {{*}}
    RAW
    C: b1 FETCH 1 FLAGS
    S: b1 BAD {{*}}
    C: b2 LOGIN {{=login}}
    S: b2 OK {{*}}
    C: b3 SELECT INBOX (QRESYNC (1 1))
    S: b3 BAD {{*}}
    C: b4 COMPRESS DEFLATE
    S: b4 OK {{*}}
    DEFLATE
    C: b5 LOGOUT
    S: * BYE {{*}}
    S: b5 OK {{*}}
    CLOSED
  `);
});

test("forgets a login at UNAUTHENTICATE, its count of connections too", async () => {
  await using server = await startImap({ maxConnectionsPerLogin: 1 });
  await server.converse(`
    S: * OK {{*}}
    C: a1 UNAUTHENTICATE
    S: a1 BAD {{*}}
    C: a2 LOGIN {{=login}}
    S: a2 OK {{*}}
    C: a3 UNAUTHENTICATE
    S: a3 OK {{*}}
    S2: * OK {{*}}
    C2: b1 LOGIN {{=login}}
    S2: b1 OK {{*}}
    C: a4 LOGIN {{=login}}
    S: a4 NO [LIMIT] {{*}}
  `);
});

/** A session that is logged in and compresses. */
async function compressed(port: number, password: string): Promise<net.Socket> {
  const socket = net.connect(port, "127.0.0.1");
  socket.write(`a LOGIN robin@example.test "${password}"\r\nb COMPRESS DEFLATE\r\n`);
  let said = "";
  while (!/^b OK/m.test(said)) said += String((await once(socket, "data"))[0]);
  return socket;
}

function closeOf(socket: net.Socket): Promise<void> {
  socket.on("error", () => {});
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

test("reads octets after the end of the peer's DEFLATE stream as plain text", async () => {
  await using server = await startImap();
  const socket = await compressed(server.port, server.robin.password);
  socket.write(Buffer.concat([zlib.deflateRawSync("c UNAUTHENTICATE\r\n"), Buffer.from("d NOOP\r\n")]));
  let said = Buffer.alloc(0);
  while (!said.includes("d OK")) said = Buffer.concat([said, (await once(socket, "data"))[0] as Buffer]);
  const inflated = zlib.inflateRawSync(said, { info: true }) as unknown as { buffer: Buffer };
  expect(inflated.buffer.toString()).toBe("c OK UNAUTHENTICATE completed\r\n");
  socket.destroy();
});

test("closes a connection whose input inflates too much", async () => {
  await using server = await startImap();
  const socket = await compressed(server.port, server.robin.password);
  const append = `n APPEND Nowhere {40000000+}\r\n${" ".repeat(40_000_000)}\r\n`;
  socket.write(zlib.deflateRawSync(append.repeat(2)));
  const inflate = zlib.createInflateRaw();
  let tail = "";
  inflate.on("data", (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-200);
  });
  socket.on("data", (chunk: Buffer) => inflate.write(chunk));
  await closeOf(socket);
  await new Promise<void>((resolve) => inflate.flush(() => resolve()));
  expect(tail).toMatch(/\* BYE \[LIMIT\] [^\n]*\n$/);
});

test("closes a connection that sends octets that are not DEFLATE", async () => {
  await using server = await startImap();
  const socket = await compressed(server.port, server.robin.password);
  socket.write(Buffer.alloc(1000, 0xff));
  socket.resume();
  await closeOf(socket);
});
