/** Fifty sessions of five logins send an APPEND of 49 MiB without its last octet: `node test/long/abuse/append-held.ts`. */
import { once } from "node:events";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import tls from "node:tls";
import { type Attack, attack } from "./attack.ts";
import { addressIn } from "./networks.ts";

const sessions = 50;
const logins = 5;
const bytes = 49 * 1024 * 1024;
const block = Buffer.alloc(1024 * 1024, `${"x".repeat(62)}\r\n`);

export const appendHeld: Attack = {
  title: `${sessions} sessions of ${logins} logins hold an APPEND of ${bytes} octets`,
  attackers: logins,
  async run({ imaps }, attackers, until) {
    const hold = async (at: number): Promise<void> => {
      const { address, password } = attackers[at % logins]!;
      const { host, port } = imaps;
      while (!until.aborted) {
        const plain = net.connect({ host, port, localAddress: addressIn(1 + (at % logins)) });
        const socket = tls.connect({ socket: plain, rejectUnauthorized: false });
        const isClosed = once(socket, "close").catch(() => {});
        for (const one of [plain, socket]) one.on("error", () => {});
        until.addEventListener("abort", () => socket.destroy(), { once: true });
        let answers = "";
        let tell = (): void => {};
        const has = async (mark: RegExp): Promise<boolean> => {
          while (!mark.test(answers) && !socket.destroyed)
            await Promise.race([isClosed, new Promise<void>((resolve) => (tell = resolve))]);
          return mark.test(answers);
        };
        socket.on("data", (piece) => {
          answers += piece;
          tell();
        });
        socket.write(`a LOGIN ${address} ${password}\r\nb APPEND INBOX {${bytes}}\r\n`);
        if ((await has(/^\+|^b |^\* BYE/m)) && /^\+/m.test(answers)) {
          for (let sent = 0; sent < bytes - 1 && !socket.destroyed; sent += block.length)
            if (!socket.write(block.subarray(0, Math.min(block.length, bytes - 1 - sent))))
              await Promise.race([isClosed, once(socket, "drain").catch(() => {})]);
          // The server closes the connection, or the end of the attack does.
          await isClosed;
        }
        socket.destroy();
        if (!until.aborted) await delay(500);
      }
    };
    await Promise.all(Array.from({ length: sessions }, (_, at) => hold(at)));
  },
};

await attack(import.meta, appendHeld);
