/** Sessions that ask for notifications about all mailboxes (NOTIFY, RFC 5465) while all mailboxes change. Half of the sessions do not
 *  read: `node test/long/abuse/notify.ts`. */
import { type Attack, attack } from "./attack.ts";
import { closed, deafImap, openImap, overAndOver } from "./clients.ts";

const sessions = 50;
const mailboxes = 300;
const network = 1;
const events =
  "(personal (MessageNew (UID BODY.PEEK[TEXT] ENVELOPE) MessageExpunge FlagChange AnnotationChange MailboxName SubscriptionChange MailboxMetadataChange))";
const letter = Buffer.from(`Subject: one of many\r\n\r\n${"text\r\n".repeat(2000)}`);

export const notify: Attack = {
  title: `${sessions} sessions with NOTIFY of ${mailboxes} mailboxes`,
  attackers: 1,
  async prepare(daemon, [owner]) {
    const until = new AbortController();
    await using imap = await openImap(daemon, owner!, network, until.signal);
    for (let count = 0; count < mailboxes; count++) await imap.command(`CREATE box${count}`);
    return undefined;
  },
  run: async (daemon, [owner], until) => {
    const listen = overAndOver(sessions, until, async (at) => {
      const socket = deafImap(daemon, owner!, network, until);
      if (at % 2 === 0) socket.resume();
      socket.write(
        `b SELECT INBOX\r\nc NOTIFY SET STATUS (selected (MessageNew (UID BODY.PEEK[]) MessageExpunge FlagChange)) ${events}\r\n`,
      );
      await closed(socket);
    });
    const change = overAndOver(4, until, async (at) => {
      await using imap = await openImap(daemon, owner!, network, until);
      for (let round = 0; !until.aborted; round++) {
        await imap.command(
          `APPEND ${round % 3 === 0 ? "INBOX" : `box${(round * 4 + at) % mailboxes}`}`,
          letter,
        );
        if (round % 10 === 0)
          await imap.command(`SETMETADATA box${round % mailboxes} (/private/comment "${round}")`);
      }
    });
    await Promise.all([listen, change]);
  },
};

await attack(import.meta, notify);
