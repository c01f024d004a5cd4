/** Connections from a few networks each send most of a large message and then one octet a second:
 *  `node test/long/abuse/smtp-trickle.ts [networks]`. */
import { setTimeout as delay } from "node:timers/promises";
import { connectRawSmtp, type RawSmtp } from "../../support/clients/raw-smtp.ts";
import { type Attack, attack } from "./attack.ts";
import { addressIn } from "./networks.ts";

const networks = import.meta.main ? Number(process.argv[2] ?? 3) : 3;
const connectionsPerNetwork = 5;
const bytes = 49 * 1024 * 1024;
const line = `${"x".repeat(998)}\r\n`;
const block = Buffer.from(line.repeat(1000));

export const smtpTrickle: Attack = {
  title: `${networks * connectionsPerNetwork} connections of ${networks} networks trickle messages of ${bytes} octets`,
  attackers: 1,
  async run({ smtp }, [owner], until) {
    const trickle = async (network: number): Promise<void> => {
      while (!until.aborted) {
        const client: RawSmtp = await connectRawSmtp({ ...smtp, localAddress: addressIn(network) });
        const replies = await client.send(
          `EHLO x\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<${owner!.address}>\r\nDATA\r\n`,
          4,
        );
        let isOver = !replies[3]!.startsWith("354");
        void client.reply().then(() => {
          isOver = true;
        });
        await client.send("Subject: large\r\n\r\n", 0);
        for (let sent = 0; sent < bytes && !isOver && !until.aborted; sent += block.length) {
          await client.send(block, 0);
          await delay(20);
        }
        while (!isOver && !until.aborted) {
          await client.send("x", 0);
          await delay(1000);
        }
        client.destroy();
        await delay(200);
      }
    };
    const all = Array.from({ length: networks * connectionsPerNetwork }, (_, at) =>
      trickle(1 + (at % networks)),
    );
    await Promise.all(all);
  },
};

await attack(import.meta, smtpTrickle);
