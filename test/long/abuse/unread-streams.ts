/** Streams of `watch` and IDLE sessions whose clients do not read, while their mailboxes change all the time:
 *  `node test/long/abuse/unread-streams.ts`. */
import { type Attack, attack } from "./attack.ts";
import { bearer, closed, connect, deafImap, openImap, overAndOver, portOf, send } from "./clients.ts";

const logins = 4;
const streamsOfLogin = 12;
const idling = 40;
const network = 1;

export const unreadStreams: Attack = {
  title: `${logins * streamsOfLogin} unread streams and ${idling} unread sessions in IDLE`,
  attackers: logins,
  run: async (daemon, attackers, until) => {
    const watch = overAndOver(logins * streamsOfLogin, until, async (at) => {
      const { token } = attackers[at % logins]!;
      const socket = connect(portOf(daemon.http), network, until).pause();
      socket.write(
        `POST /v1/watch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      );
      await closed(socket);
    });
    const idle = overAndOver(idling, until, async (at) => {
      const socket = deafImap(daemon, attackers[at % logins]!, network, until);
      socket.write("b SELECT INBOX\r\nc IDLE\r\n");
      await closed(socket);
    });
    const change = overAndOver(logins, until, async (at) => {
      const attacker = attackers[at]!;
      await using imap = await openImap(daemon, attacker, network, until);
      for (let count = 0; count < 500; count++)
        await imap.command("APPEND INBOX", Buffer.from("Subject: one of many\r\n\r\ntext\r\n"));
      await imap.command("SELECT INBOX");
      while (!until.aborted) {
        await imap.command("STORE 1:* +FLAGS (\\Seen)");
        await imap.command("STORE 1:* -FLAGS (\\Seen)");
      }
    });
    const create = overAndOver(logins * 4, until, (at, round) =>
      send(daemon, "/v1/folder.create", JSON.stringify({ name: `f${at}-${round}` }), {
        network,
        until,
        fields: bearer(attackers[at % logins]!),
      }),
    );
    await Promise.all([watch, idle, change, create]);
  },
};

await attack(import.meta, unreadStreams);
