/** An operator imports files that strangers made: 24 MiB of empty lines, a calendar that never ends, an mbox of many tiny mails, while
 *  others are served: `node test/long/abuse/imports.ts`. */
import fs from "node:fs";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import { type Attack, attack } from "./attack.ts";
import { overAndOver } from "./clients.ts";

const files: Readonly<Record<string, string>> = {
  "lines.ics": "\r\n".repeat(12 * 1024 * 1024),
  "endless.ics": `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\n${"a:b\r\n".repeat(2_000_000)}`,
  "cards.vcf": "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:a\r\nEND:VCARD\r\n".repeat(100_000),
  "tiny.mbox": "From a@b Thu Jan  1 00:00:00 2026\nSubject: a\n\n".repeat(2000),
};

let folder = "";

export const imports: Attack = {
  title: "an operator imports files that strangers made",
  attackers: 1,
  async fill(data) {
    folder = data;
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(`${data}/${name}`, text);
    return undefined;
  },
  async run(_, [owner], until) {
    await overAndOver(2, until, async (at, round) => {
      const names = Object.keys(files);
      const file = `${folder}/${names[(2 * at + round) % names.length]!}`;
      const operation = file.endsWith(".mbox") ? "mail.import" : "collection.import";
      const daemon = await connectToDaemon(folder);
      await callDaemon(daemon!, { operation, input: { owner: owner!.address, file } });
    });
  },
};

await attack(import.meta, imports);
