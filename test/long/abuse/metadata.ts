/** Annotations of the largest size and number (METADATA, RFC 5464). Many sessions write and read them all, in a loop:
 *  `node test/long/abuse/metadata.ts`. */
import { type Attack, attack } from "./attack.ts";
import { openImap, overAndOver } from "./clients.ts";

const sessions = 30;
const mailboxes = 60;
const entries = 80;
const network = 1;
const value = "v".repeat(8000);

export const metadata: Attack = {
  title: `${sessions} sessions write and read ${mailboxes * entries} annotations`,
  attackers: 1,
  async prepare(daemon, [owner]) {
    const until = new AbortController();
    await using imap = await openImap(daemon, owner!, network, until.signal);
    for (let count = 0; count < mailboxes; count++) await imap.command(`CREATE box${count}`);
    return undefined;
  },
  run: (daemon, [owner], until) =>
    overAndOver(sessions, until, async (at) => {
      await using imap = await openImap(daemon, owner!, network, until);
      for (let round = at; !until.aborted; round++) {
        const box = `box${round % mailboxes}`;
        const names = Array.from({ length: 7 }, (_, n) => `/private/vendor/x/e${(round * 7 + n) % entries}`);
        await imap.command(`SETMETADATA ${box} (${names.map((name) => `${name} "${value}"`).join(" ")})`);
        await imap.command(`GETMETADATA (DEPTH infinity) ${box} /private/vendor`);
        await imap.command('LIST "" * RETURN (METADATA (/private/vendor/x/e1 /private/vendor/x/e2))');
      }
    }),
};

await attack(import.meta, metadata);
