import type { AgentNumber, MailboxNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import { messageOf, type StoredMessage, selectMessage } from "../queries/mail/messages.ts";
import type { MessageRow } from "../rows.ts";
import type { Reader } from "../sql.ts";

export interface NewestMessages {
  readonly agent: AgentNumber;
  readonly mailbox?: MailboxNumber | undefined;
  readonly thread?: ThreadNumber | undefined;
  /** Numbers below this one. */
  readonly before?: MessageNumber | undefined;
  /** Numbers above this one. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** The newest messages first: object numbers grow with time. For a mailbox that has few of the agent's many messages this reads many rows,
 *  so it must not run on the main thread. */
export async function newestMessages(reader: Reader, args: NewestMessages): Promise<MessageRow[]> {
  const conditions = ["agent_id = ?", "message_id < ?", "message_id > ?"];
  const parameters: number[] = [args.agent, args.before ?? Number.MAX_SAFE_INTEGER, args.after ?? 0];
  if (args.thread !== undefined) {
    conditions.push("thread_id = ?");
    parameters.push(args.thread);
  }
  if (args.mailbox !== undefined) {
    conditions.push((await isSmall(reader, args.agent, args.mailbox)) ? inSmallMailbox : inMailbox);
    parameters.push(args.agent, args.mailbox);
  }
  const rows = await reader.all<StoredMessage>(
    `${selectMessage} where ${conditions.join(" and ")} order by message_id desc limit ?`,
    ...parameters,
    args.limit,
  );
  return rows.map(messageOf);
}

/** A mailbox with at most so many messages is read completely, and its messages are looked up. For a larger one each message, from the
 *  newest on, is tested for being in the mailbox. */
const smallMailbox = 2000;

async function isSmall(reader: Reader, agent: AgentNumber, mailbox: MailboxNumber): Promise<boolean> {
  const row = await reader.get<{ count: number }>(
    "select message_count as count from mailbox where agent_id = ? and mailbox_id = ?",
    agent,
    mailbox,
  );
  return (row?.count ?? 0) <= smallMailbox;
}

const inSmallMailbox = `message_id in (
      select entry.message_id
      from entry
      where entry.agent_id = ? and entry.mailbox_id = ?)`;
const inMailbox = `exists (
      select 1
      from entry
      where entry.agent_id = ? and entry.message_id = message.message_id and entry.mailbox_id = ?)`;
