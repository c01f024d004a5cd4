/** A hundred connections pipeline fifty requests with bad tokens, again and again: `node test/long/abuse/bad-tokens.ts`. */
import { once } from "node:events";
import net from "node:net";
import { type Attack, attack } from "./attack.ts";
import { addressIn } from "./networks.ts";

const connections = 100;
const pipelined = 50;
const request = `POST /v1/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wp_${"b".repeat(40)}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;

export const badTokens: Attack = {
  title: `${connections} connections pipeline ${pipelined} requests with a bad token`,
  attackers: 0,
  async run(daemon, _attackers, until) {
    const { hostname, port } = new URL(daemon.http.url);
    const flood = async (at: number): Promise<void> => {
      while (!until.aborted) {
        const socket = net.connect({
          host: hostname,
          port: Number(port),
          localAddress: addressIn(1 + (at % 4)),
        });
        const end = (): unknown => socket.destroy();
        until.addEventListener("abort", end, { once: true });
        const write = (): unknown => socket.write(request.repeat(pipelined));
        let answers = 0;
        socket
          .on("error", () => {})
          .once("connect", write)
          .on("data", (piece: Buffer) => {
            answers += piece.toString("latin1").split("HTTP/1.1 ").length - 1;
            if (answers >= pipelined) {
              answers -= pipelined;
              write();
            }
          });
        await once(socket, "close").catch(() => {});
        until.removeEventListener("abort", end);
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, at) => flood(at)));
  },
};

await attack(import.meta, badTokens);
