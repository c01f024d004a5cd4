/** Sixty `blob.create` of 15 MB at once, again and again: `node test/long/abuse/blob-create.ts`. */
import http from "node:http";
import { type Attack, attack } from "./attack.ts";
import { addressIn } from "./networks.ts";

const atOnce = 60;
const logins = 3;
const body = JSON.stringify({ data: Buffer.alloc(11_000_000, 7).toString("base64") });

export const blobCreate: Attack = {
  title: `${atOnce} blob.create of ${body.length} octets at once`,
  attackers: logins,
  async run(daemon, attackers, until) {
    const agent = new http.Agent({ keepAlive: true, localAddress: addressIn(1) });
    const create = (token: string): Promise<void> =>
      new Promise((resolve) => {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const request = http.request(
          `${daemon.http.url}/v1/blob.create`,
          { agent, method: "POST", headers: { ...headers, "content-length": body.length } },
          (response) => response.resume().on("close", resolve),
        );
        until.addEventListener("abort", () => request.destroy(), { once: true });
        request.on("error", () => resolve()).end(body);
      });
    await Promise.all(
      Array.from({ length: atOnce }, async (_, at) => {
        while (!until.aborted) await create(attackers[at % logins]!.token);
      }),
    );
    agent.destroy();
  },
};

await attack(import.meta, blobCreate);
