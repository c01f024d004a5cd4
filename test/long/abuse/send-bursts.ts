/** Mail to hundreds of recipients each, as fast as the server accepts it, over `/v1` and by submission:
 *  `node test/long/abuse/send-bursts.ts`. */
import { connectRawSmtp, stuff } from "../../support/clients/raw-smtp.ts";
import { type Attack, attack } from "./attack.ts";
import { bearer, overAndOver, send } from "./clients.ts";
import { addressIn } from "./networks.ts";

const logins = 4;
const atOnce = 40;
const recipients = Array.from({ length: 100 }, (_, n) => `r${n}@d${n}.example`);
const text = "words ".repeat(20_000);

export const sendBursts: Attack = {
  title: `${atOnce} clients that send mail to ${recipients.length} recipients`,
  attackers: logins,
  daemon: {
    set: [
      "limits.sends_per_hour=0",
      "limits.sends_per_day=0",
      "outbound.smarthost_host=127.0.0.1",
      "outbound.smarthost_port=9",
    ],
  },
  run: (daemon, attackers, until) =>
    overAndOver(atOnce, until, async (at) => {
      const attacker = attackers[at % logins]!;
      const network = 1 + (at % 3);
      if (at % 2 === 0) {
        const body = { to: recipients, subject: "burst", text };
        await send(daemon, "/v1/send", JSON.stringify({ body, idempotency_key: `${Math.random()}` }), {
          network,
          until,
          fields: bearer(attacker),
        });
        return;
      }
      await using smtp = await connectRawSmtp({
        ...daemon.submissions,
        isTls: true,
        localAddress: addressIn(network),
      });
      until.addEventListener("abort", () => smtp.destroy(), { once: true });
      const login = Buffer.from(`\0${attacker.address}\0${attacker.password}`).toString("base64");
      await smtp.send(`EHLO x\r\nAUTH PLAIN ${login}\r\n`, 2);
      for (let count = 0; count < 20; count++) {
        const to = recipients.map((one) => `RCPT TO:<${one}>\r\n`).join("");
        await smtp.send(`MAIL FROM:<${attacker.address}>\r\n${to}DATA\r\n`, 2 + recipients.length);
        await smtp.send(stuff(`From: ${attacker.address}\r\nSubject: burst\r\n\r\n${text}\r\n`));
      }
    }),
};

await attack(import.meta, sendBursts);
