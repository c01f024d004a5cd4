/** HTTP bodies in chunks of one octet. Some clients send as fast as the server reads, some send an octet now and then:
 *  `node test/long/abuse/chunked-dribble.ts`. */
import { setTimeout as delay } from "node:timers/promises";
import { type Attack, attack } from "./attack.ts";
import { closed, connect, overAndOver, portOf, write } from "./clients.ts";

const fast = 30;
const slow = 400;
const logins = 2;
const networks = 4;
const head = (path: string, token: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
const chunks = Buffer.from("1\r\n \r\n".repeat(10_000));

export const chunkedDribble: Attack = {
  title: `${fast} bodies in chunks of one octet, and ${slow} that come an octet a second`,
  attackers: logins,
  run: (daemon, attackers, until) =>
    overAndOver(fast + slow, until, async (at) => {
      const socket = connect(portOf(daemon.http), 1 + (at % networks), until);
      const path = at % 2 === 0 ? "/v1/blob.create" : "/mcp";
      socket.write(head(path, attackers[at % logins]!.token));
      if (at < fast) while (await write(socket, chunks));
      else while (await write(socket, "1\r\n \r\n")) await delay(1000);
      await closed(socket);
    }),
};

await attack(import.meta, chunkedDribble);
