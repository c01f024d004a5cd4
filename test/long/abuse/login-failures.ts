/** Wrong passwords for the quiet user's address, from hundreds of networks to every port, while the user logs in from its own
 *  network: `node test/long/abuse/login-failures.ts`. */
import { connectRawImap } from "../../support/clients/raw-imap.ts";
import { connectRawSmtp } from "../../support/clients/raw-smtp.ts";
import { type Attack, attack } from "./attack.ts";
import { overAndOver } from "./clients.ts";
import { addressIn } from "./networks.ts";

const networks = 300;
const atOnce = 60;

export const loginFailures: Attack = {
  title: `Wrong passwords for one address from ${networks} networks`,
  attackers: 0,
  run: (daemon, _attackers, until, { address }) =>
    overAndOver(atOnce, until, async (at, round) => {
      const localAddress = addressIn(1 + ((at + round * atOnce) % networks));
      if (at % 2 === 0) {
        await using imap = await connectRawImap({ ...daemon.imaps, isTls: true, localAddress });
        for (let count = 0; count < 4; count++) await imap.command(`LOGIN ${address} wrong${count}`);
      } else {
        await using smtp = await connectRawSmtp({ ...daemon.submissions, isTls: true, localAddress });
        const login = Buffer.from(`\0${address}\0wrong`).toString("base64");
        await smtp.command("EHLO x");
        for (let count = 0; count < 4; count++) await smtp.command(`AUTH PLAIN ${login}`);
      }
    }),
};

await attack(import.meta, loginFailures);
