/** Hundreds of connections at once to both HTTP ports that speak HTTP/2 or send octets that are no request:
 *  `node test/long/abuse/http2-preface.ts`. */
import { randomBytes } from "node:crypto";
import { type Attack, attack } from "./attack.ts";
import { closed, connect, overAndOver, portOf, write } from "./clients.ts";

const connections = 400;
const networks = 8;
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** An empty SETTINGS frame, and a HEADERS frame without valid headers. */
const frames = Buffer.concat([
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
  Buffer.from([0, 64, 0, 1, 4, 0, 0, 0, 1]),
  randomBytes(16_384),
]);
const openings = [
  Buffer.concat([Buffer.from(preface), frames]),
  Buffer.from(
    `GET / HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAA\r\n\r\n`,
  ),
  Buffer.from(`GET / HTTP/1.1\r\n${"a: b\r\n".repeat(5000)}\r\n`),
  Buffer.from("\r\n".repeat(30_000)),
  randomBytes(30_000),
];

export const http2Preface: Attack = {
  title: `${connections} connections to HTTP that speak HTTP/2 or nothing that is known`,
  attackers: 0,
  run: (daemon, _attackers, until) =>
    overAndOver(connections, until, async (at, round) => {
      const isTls = at % 4 === 0;
      const port = isTls ? portOf(daemon.https) : portOf(daemon.http);
      const tls = { isTls, ALPNProtocols: ["h2"] };
      const socket = connect(port, 1 + (at % networks), until, tls);
      while (await write(socket, openings[(at + round) % openings.length]!));
      await closed(socket);
    }),
};

await attack(import.meta, http2Preface);
