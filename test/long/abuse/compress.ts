/** COMPRESS (RFC 4978): commands that are small when compressed and large after it, and compressed answers that nobody reads:
 *  `node test/long/abuse/compress.ts`. */
import { setTimeout as delay } from "node:timers/promises";
import { constants, deflateRawSync } from "node:zlib";
import { type Attack, attack } from "./attack.ts";
import { closed, deafImap, openImap, overAndOver, write } from "./clients.ts";

const sessions = 40;
const network = 1;
const flushed = { finishFlush: constants.Z_SYNC_FLUSH };
const noops = deflateRawSync(Buffer.from("n NOOP\r\n".repeat(500_000)), flushed);
const spaces = deflateRawSync(Buffer.alloc(64 * 1024 * 1024, 32), flushed);
const literal = deflateRawSync(
  Buffer.concat([Buffer.from("l APPEND INBOX {40000000+}\r\n"), Buffer.alloc(40_000_000, 120)]),
  flushed,
);
const fetch = deflateRawSync(Buffer.from("f FETCH 1:* BODY.PEEK[]\r\n".repeat(1000)), flushed);

export const compress: Attack = {
  title: `${sessions} sessions that compress megabytes into kilobytes`,
  attackers: 2,
  async prepare(daemon, attackers) {
    const until = new AbortController();
    for (const owner of attackers) {
      await using imap = await openImap(daemon, owner, network, until.signal);
      await imap.command("APPEND INBOX", Buffer.from(`Subject: large\r\n\r\n${"text\r\n".repeat(200_000)}`));
    }
    return undefined;
  },
  run: (daemon, attackers, until) =>
    overAndOver(sessions, until, async (at) => {
      const socket = deafImap(daemon, attackers[at % 2]!, network, until);
      socket.write("b SELECT INBOX\r\n");
      await delay(1000);
      socket.write("c COMPRESS DEFLATE\r\n");
      await delay(500);
      const bomb = [noops, spaces, literal, fetch][at % 4]!;
      if (at % 3 !== 0) socket.resume();
      while (await write(socket, bomb));
      await closed(socket);
    }),
};

await attack(import.meta, compress);
