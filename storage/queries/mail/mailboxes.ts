/** Mailboxes, subscriptions and keywords of an agent. */

import { folderProperties } from "#/src/model/folder-properties.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { canonicalMailboxName } from "../../mailbox-name.ts";
import type { KeywordRow, MailboxRow } from "../../rows.ts";
import { selectList, wholeRow } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

const selectMailbox = `
  select ${wholeRow<MailboxRow, "mailbox">()(
    {
      mailbox: "mailbox.mailbox_id",
      name: "mailbox.name",
      role: "mailbox.role",
      uidValidity: "mailbox.uid_validity",
      uidNext: "mailbox.uid_next",
      recentUid: "mailbox.recent_uid",
      modseq: "mailbox.modseq",
      messageCount: "mailbox.message_count",
      unseenCount: "mailbox.unseen_count",
      deletedCount: "mailbox.deleted_count",
      byteCount: "mailbox.byte_count",
      version: "mailbox.version",
      ...folderProperties.selected("mailbox"),
    },
    { agent_id: "the caller has named it" },
  )}
  from mailbox`;

export function findMailbox(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
): Promise<MailboxRow | undefined> {
  return reader.get(`${selectMailbox} where agent_id = ? and mailbox_id = ?`, agent, mailbox);
}

/** Finds a mailbox by name; the name INBOX in any case. */
export function findMailboxByName(
  reader: Reader,
  agent: AgentNumber,
  name: string,
): Promise<MailboxRow | undefined> {
  return reader.get(`${selectMailbox} where agent_id = ? and name = ?`, agent, canonicalMailboxName(name));
}

/** Mailboxes ordered by the octets of their names. */
export function listMailboxes(reader: Reader, agent: AgentNumber): Promise<MailboxRow[]> {
  return reader.all(`${selectMailbox} where agent_id = ? order by name`, agent);
}

export async function listSubscriptions(reader: Reader, agent: AgentNumber): Promise<string[]> {
  const rows = await reader.all<{ name: string }>(
    "select name from subscription where agent_id = ? order by name",
    agent,
  );
  return rows.map(({ name }) => name);
}

/** In the order of their numbers, which have no gaps: the index of a row is its number. */
export function listKeywords(reader: Reader, agent: AgentNumber): Promise<KeywordRow[]> {
  return reader.all(
    `select ${selectList<KeywordRow, "keyword">({ keyword: "keyword.keyword_number", name: "keyword.name" })}
    from keyword
    where agent_id = ?
    order by keyword_number`,
    agent,
  );
}
