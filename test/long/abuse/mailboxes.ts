/** As many mailboxes and keywords as one login may have, listed and asked for by many sessions:
 *  `node test/long/abuse/mailboxes.ts [mailboxes]`. */
import { attack } from "./attack.ts";
import { openImap, overAndOver } from "./clients.ts";

const mailboxes = Number(process.argv[2] ?? 5000);
const keywords = 500;
const messages = 500;
const sessions = 20;
const network = 1;

await attack(import.meta, {
  title: `${sessions} sessions with ${mailboxes} mailboxes and ${keywords} keywords`,
  attackers: 1,
  async prepare(daemon, [owner]) {
    const until = new AbortController();
    await Promise.all(
      Array.from({ length: 10 }, async (_, part) => {
        await using imap = await openImap(daemon, owner!, network, until.signal);
        for (let count = part; count < mailboxes; count += 10) await imap.command(`CREATE a/b${count}`);
      }),
    );
    await using imap = await openImap(daemon, owner!, network, until.signal);
    for (let count = 0; count < messages; count++)
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
});
