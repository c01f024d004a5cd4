/** More connections than port 25 accepts, from twelve networks. They send nothing: `node test/long/abuse/idle-smtp.ts`. */
import { once } from "node:events";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type Attack, attack } from "./attack.ts";
import { addressIn } from "./networks.ts";

const networks = 12;
const connections = 1200;

export const idleSmtp: Attack = {
  title: `${connections} silent SMTP connections of ${networks} networks`,
  attackers: 0,
  async run({ smtp }, _attackers, until) {
    const sit = async (at: number): Promise<void> => {
      while (!until.aborted) {
        const localAddress = addressIn(1 + (at % networks));
        const socket = net.connect({ host: smtp.host, port: smtp.port, localAddress });
        const end = (): unknown => socket.destroy();
        until.addEventListener("abort", end, { once: true });
        socket.on("error", () => {}).resume();
        await once(socket, "close").catch(() => {});
        until.removeEventListener("abort", end);
        if (!until.aborted) await delay(1000);
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, at) => sit(at)));
  },
};

await attack(import.meta, idleSmtp);
