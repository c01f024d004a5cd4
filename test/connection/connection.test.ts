import { once } from "node:events";
import net from "node:net";
import { createSecureContext } from "node:tls";
import { expect, test } from "vitest";
import { Connection, type ConnectionClosed } from "#/protocols/connection/connection.ts";

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

test("does not wait for a line that comes an octet at a time", async () => {
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
  const lines = setInterval(() => peer.write("line\r\n"), 150);
  for (let count = 0; count < 5; count++) expect(await connection.readLine(1000)).toBe("line");
  clearInterval(lines);
  close();
});

test("begins no handshake on a connection that is gone", async () => {
  const { accepted, close } = await pair();
  const connection = new Connection(accepted, { timeoutMs: 300, secureContext: () => createSecureContext() });
  accepted.destroy();
  await expect(connection.startTls()).rejects.toMatchObject({ reason: "gone" });
  close();
});
