/** Forty mails with PDFs of a few KB that unpack to hundreds of MiB. Clients ask for all of them at once, in a loop, while another
 *  client reads the text of a Word document: `node test/long/abuse/documents.ts`. */
import { setTimeout as delay } from "node:timers/promises";
import { connectRawSmtp, stuff } from "../../support/clients/raw-smtp.ts";
import type { ChildDaemon } from "../../support/daemon.ts";
import { bombPdf, docxOf } from "../../support/documents.ts";
import { type Attack, attack } from "./attack.ts";
import { addressIn } from "./networks.ts";
import { ask, type VictimAgent } from "./victim.ts";

const mails = 40;
const network = 2;
const pdfType = "application/pdf";
const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

async function deliver(daemon: ChildDaemon, to: VictimAgent, type: string, bytes: Buffer): Promise<void> {
  await using smtp = await connectRawSmtp({ ...daemon.smtp, localAddress: addressIn(network) });
  await smtp.send(
    `EHLO sender.example\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<${to.address}>\r\nDATA\r\n`,
    4,
  );
  const lines = bytes.toString("base64").replace(/.{76}/g, "$&\r\n");
  const mail = `From: a@outside.example\r\nSubject: a document\r\nMIME-Version: 1.0\r\nContent-Type: ${type}; name=document\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}\r\n`;
  const [reply] = await smtp.send(stuff(mail));
  if (!reply!.startsWith("250")) throw new Error(`delivery: ${reply}`);
}

async function listMessages(daemon: ChildDaemon, { token }: VictimAgent): Promise<string[]> {
  const listing = await ask(daemon, token, "search", { limit: 100 });
  return [...new Set(listing.match(/message_[0-9a-z]{26}/g) ?? [])];
}

export const documents: Attack = {
  title: `${mails} hostile PDFs read at once`,
  attackers: 1,
  async prepare(daemon, [owner], victim) {
    const bomb = bombPdf(300);
    for (let mail = 0; mail < mails; mail++)
      await deliver(daemon, owner!, pdfType, Buffer.concat([bomb, Buffer.from(`\n% ${mail}\n`)]));
    const words = "<w:p><w:r><w:t>words of a friend</w:t></w:r></w:p>".repeat(100);
    await deliver(daemon, victim, docxType, docxOf(words));
    const [document] = await listMessages(daemon, victim);
    const body = { id: document, part: "1" };
    return [{ name: "text of a document", operation: "part.describe", body, says: "words of a friend" }];
  },
  async run(daemon, [owner], until) {
    const messages = await listMessages(daemon, owner!);
    await Promise.all(
      messages.map(async (id) => {
        while (!until.aborted) {
          await ask(daemon, owner!.token, "part.describe", { id, part: "1" }).catch(() => {});
          await delay(500);
        }
      }),
    );
  },
};

await attack(import.meta, documents);
