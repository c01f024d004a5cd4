/** Other servers end their side of the connection: before a greeting, in the middle of a mail, and behind the last command, and wait
 *  for answers that they never read: `node test/long/abuse/half-closed.ts`. */
import { setTimeout as delay } from "node:timers/promises";
import { type Attack, attack } from "./attack.ts";
import { connect, overAndOver, write } from "./clients.ts";

const servers = 150;

export const halfClosed: Attack = {
  title: `${servers} servers end their side of the connection`,
  attackers: 1,
  async run(daemon, [owner], until) {
    const envelope = `EHLO a.example\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<${owner!.address}>\r\n`;
    const mail = `${"x".repeat(78)}\r\n`.repeat(500);
    const pieces = [
      "",
      envelope,
      `${envelope}DATA\r\n${mail}`,
      `${envelope}DATA\r\nSubject: a\r\n\r\n${mail}.\r\n`,
      `${envelope}BDAT 100000\r\n${mail}`,
      `${envelope}BDAT 12 LAST\r\nSubject: b\r\nQUIT\r\n`,
    ];
    await overAndOver(servers, until, async (at, round) => {
      const socket = connect(daemon.smtp, 1 + (at % 3), until);
      // Half of them read nothing.
      if (at % 2 === 0) socket.pause();
      await write(socket, pieces[(at + round) % pieces.length]!);
      socket.end();
      await delay(500, undefined, { signal: until });
      socket.destroy();
    });
  },
};

await attack(import.meta, halfClosed);
