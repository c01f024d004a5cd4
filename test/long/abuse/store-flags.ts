/** Twenty sessions of one login change the flags of a mailbox with 640,000 messages, in a loop:
 *  `node test/long/abuse/store-flags.ts [messages]`. */

import { connectRawImap, type RawImap } from "../../support/clients/raw-imap.ts";
import type { ChildDaemon } from "../../support/daemon.ts";
import { type Attack, attack } from "./attack.ts";
import { addressIn } from "./networks.ts";
import type { VictimAgent } from "./victim.ts";

const messages = import.meta.main ? Number(process.argv[2] ?? 640_000) : 20_000;
const sessions = 20;
const network = 1;

async function logIn(daemon: ChildDaemon, { address, password }: VictimAgent): Promise<RawImap> {
  const localAddress = addressIn(network);
  const imap = await connectRawImap({ ...daemon.imaps, isTls: true, localAddress });
  await imap.command(`LOGIN ${address} ${password}`);
  const { status } = await imap.command("SELECT INBOX");
  if (!status.startsWith("OK")) throw new Error(`SELECT: ${status}`);
  return imap;
}

export const storeFlags: Attack = {
  title: `${sessions} sessions STORE flags on a mailbox of ${messages}`,
  attackers: 1,
  async prepare(daemon, [owner]) {
    await using imap = await logIn(daemon, owner!);
    await imap.command("APPEND INBOX", Buffer.from("Subject: one of many\r\n\r\ntext\r\n"));
    for (let count = 1; count < messages; count *= 2) {
      const more = Math.min(count, messages - count);
      const { status } = await imap.command(`COPY 1:${more} INBOX`);
      if (!status.startsWith("OK")) throw new Error(`COPY: ${status}`);
      await imap.command("NOOP");
    }
    return undefined;
  },
  async run(daemon, [owner], until) {
    const open = await Promise.all(Array.from({ length: sessions }, () => logIn(daemon, owner!)));
    // Closes sessions that still wait when the attack ends.
    until.addEventListener("abort", () => {
      for (const imap of open) void imap[Symbol.asyncDispose]();
    });
    await Promise.all(
      open.map(async (imap, session) => {
        for (let round = session; !until.aborted; round++) {
          const sign = round % 2 === 0 ? "+" : "-";
          const answer = await imap
            .command(`STORE 1:* ${sign}FLAGS.SILENT (\\Flagged)`)
            .catch((error: unknown) => {
              if (!until.aborted) throw error;
            });
          if (answer !== undefined && !/^(OK|NO)/.test(answer.status)) throw new Error(answer.status);
        }
      }),
    );
  },
};

await attack(import.meta, storeFlags);
