/** Whether a connection asks for the certificate of a challenge is known with the last octet of its ClientHello. */
import { once } from "node:events";
import net from "node:net";
import { expect, it } from "vitest";
import { isChallenge } from "#/protocols/http/alpn-challenge.ts";

/** Nothing here waits for it. */
const muchLaterMs = 600_000;

/** A record of the handshake, or of another type. */
function recordOf(text: string, type = 22): Buffer {
  return Buffer.concat([Buffer.from([type, 3, 1, text.length >> 8, text.length & 255]), Buffer.from(text)]);
}

async function asked(pieces: readonly Buffer[], isEnded = false): Promise<readonly [boolean, Buffer]> {
  const server = net.createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1").setNoDelay();
  const [socket] = (await once(server, "connection")) as [net.Socket];
  const answer = isChallenge(socket, muchLaterMs);
  for (const piece of pieces) await new Promise((done) => client.write(piece, done));
  if (isEnded) client.end();
  const isOne = await answer;
  const left = (socket.read() as Buffer | null) ?? Buffer.alloc(0);
  client.destroy();
  socket.destroy();
  server.close();
  return [isOne, left];
}

it.each([
  ["for a challenge", [recordOf("hello acme-tls/1")], true],
  ["for a challenge in octets", [...recordOf("hello acme-tls/1")].map((octet) => Buffer.of(octet)), true],
  ["for another protocol", [recordOf("hello http/1.1")], false],
  ["for one with a hello of nothing", [recordOf("")], false],
])("a hello %s is understood when it is there, and its octets stay", async (_, pieces, isOne) => {
  expect(await asked(pieces)).toEqual([isOne, Buffer.concat(pieces)]);
});

it("what is no handshake is no challenge, and its octets stay", async () => {
  const record = recordOf("hello", 23);
  expect(await asked([record])).toEqual([false, record]);
});

it("a connection that ends within its hello, or before it, is no challenge and is closed", async () => {
  for (const pieces of [[recordOf("hello acme").subarray(0, 9)], []])
    expect(await asked(pieces, true)).toEqual([false, Buffer.alloc(0)]);
});
