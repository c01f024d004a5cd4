/** The items of STATUS and of LIST RETURN (STATUS …) (RFC 9051 section 6.3.11, RFC 7162, 7889, 8438, 8474, 9208). */
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { bad } from "../errors.ts";
import type { Session } from "../session/session.ts";
import type { WireReader } from "../wire/wire-reader.ts";

const values = {
  MESSAGES: (mailbox: Mailbox) => String(mailbox.messageCount),
  RECENT: async (mailbox: Mailbox, session: Session) => String(await session.rooms.mail.countRecent(mailbox)),
  UIDNEXT: (mailbox: Mailbox) => String(mailbox.uidNext),
  UIDVALIDITY: (mailbox: Mailbox) => String(mailbox.uidValidity),
  UNSEEN: (mailbox: Mailbox) => String(mailbox.unseenCount),
  DELETED: (mailbox: Mailbox) => String(mailbox.deletedCount),
  SIZE: (mailbox: Mailbox) => String(mailbox.byteCount),
  HIGHESTMODSEQ: (mailbox: Mailbox) => String(mailbox.highestModseq),
  MAILBOXID: (mailbox: Mailbox) => `(${mailbox.id})`,
  // RFC 9208 section 4.1.4.
  "DELETED-STORAGE": async (mailbox: Mailbox, session: Session) =>
    String(await session.rooms.mail.countDeletedBytes(mailbox)),
  APPENDLIMIT: (_mailbox: Mailbox, session: Session) => String(session.rooms.settings.imap.maxAppendBytes),
} as const;
export type StatusItem = keyof typeof values;

/** "(" status-att *(SP status-att) ")" */
export function readStatusItems(reader: WireReader): StatusItem[] {
  return reader.list(
    () => {
      const name = reader.word();
      if (!Object.hasOwn(values, name)) throw bad("Unknown STATUS item");
      return name as StatusItem;
    },
    { max: 50 },
  );
}

/** The untagged STATUS response. Asking for HIGHESTMODSEQ enables CONDSTORE (RFC 7162 section 3.1). */
export async function statusLine(
  session: Session,
  mailbox: Mailbox,
  items: readonly StatusItem[],
): Promise<string> {
  if (items.includes("HIGHESTMODSEQ")) session.enable("CONDSTORE");
  const pairs: string[] = [];
  for (const item of items) pairs.push(`${item} ${await values[item](mailbox, session)}`);
  return `* STATUS ${session.writeName(mailbox.name)} (${pairs.join(" ")})`;
}
