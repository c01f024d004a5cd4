/** Many sessions list and query as many mailboxes and keywords as one login may have:
 *  `node test/long/abuse/mailboxes.ts [mailboxes]`. */
import { type Attack, attack } from "./attack.ts";
import { openImap, overAndOver } from "./clients.ts";

const count = import.meta.main ? Number(process.argv[2] ?? 5000) : 500;
const keywords = 500;
const messages = 500;
const sessions = 20;
const network = 1;

export const mailboxes: Attack = {
  title: `${sessions} sessions with ${count} mailboxes and ${keywords} keywords`,
  attackers: 1,
  async prepare(daemon, [owner]) {
    const until = new AbortController();
    await Promise.all(
      Array.from({ length: 10 }, async (_, part) => {
        await using imap = await openImap(daemon, owner!, network, until.signal);
        for (let at = part; at < count; at += 10) await imap.command(`CREATE a/b${at}`);
      }),
    );
    await using imap = await openImap(daemon, owner!, network, until.signal);
    for (let at = 0; at < messages; at++)
      await imap.command("APPEND INBOX", Buffer.from("Subject: one of many\r\n\r\ntext\r\n"));
    return undefined;
  },
  run: (daemon, [owner], until) =>
    overAndOver(sessions, until, async (at) => {
      await using imap = await openImap(daemon, owner!, network, until);
      await imap.command("SELECT INBOX");
      for (let round = at; !until.aborted; round++) {
        const words = Array.from({ length: 50 }, (_, n) => `k${(round * 50 + n) % keywords}`).join(" ");
        await imap.command(`STORE 1:* +FLAGS (${words})`);
        await imap.command(
          'LIST "" * RETURN (STATUS (MESSAGES UNSEEN SIZE HIGHESTMODSEQ) SUBSCRIBED CHILDREN)',
        );
        await imap.command("FETCH 1:* (FLAGS)");
        await imap.command(`RENAME a${round % 2 === 0 ? "" : "x"} a${round % 2 === 0 ? "x" : ""}`);
        await imap.command(`STORE 1:* -FLAGS (${words})`);
      }
    }),
};

await attack(import.meta, mailboxes);
