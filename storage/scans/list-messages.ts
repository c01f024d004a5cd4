import { seenFlag } from "#/src/model/flags.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import type { MailboxRole } from "#/src/model/roles.ts";
import type { Reader, SqlValue } from "../sql.ts";

export interface ListMessages {
  readonly agent: AgentNumber;
  readonly mailboxes?: readonly MailboxNumber[] | undefined;
  readonly isUnread?: boolean | undefined;
  readonly hasAgentPart?: boolean | undefined;
  /** Received at this time or later. */
  readonly since?: number | undefined;
  /** Received before this time. */
  readonly before?: number | undefined;
  /** Address in lower case, compared whole. */
  readonly from?: string | undefined;
  readonly thread?: ThreadNumber | undefined;
  /** Only messages with a lower number: where the page before ended. */
  readonly below?: MessageNumber | undefined;
  readonly limit: number;
}

export interface ListedMessage {
  readonly message: MessageNumber;
  readonly thread: ThreadNumber;
  readonly date: number | null;
  readonly receivedAt: number;
  readonly size: number;
  readonly subject: string;
  readonly fromAddress: string;
  readonly fromName: string;
  readonly isAuthenticated: boolean;
  readonly hasAgentPart: boolean;
  /** The entry that the message is shown by. */
  readonly mailbox: MailboxNumber;
  readonly mailboxName: string;
  readonly mailboxRole: MailboxRole | null;
  readonly flags: number;
  readonly keywords: string | null;
}

/** The messages of an agent that meet every condition given, the newest first, each once by the entry it is shown by. */
export async function listMessages(reader: Reader, args: ListMessages): Promise<ListedMessage[]> {
  const conditions: string[] = [];
  const parameters: SqlValue[] = [args.agent];
  const where = (condition: string, ...values: SqlValue[]): void => {
    conditions.push(condition);
    parameters.push(...values);
  };
  if (args.below !== undefined) where("message.message_id < ?", args.below);
  if (args.thread !== undefined) where("message.thread_id = ?", args.thread);
  if (args.since !== undefined) where("message.received_at >= ?", args.since);
  if (args.before !== undefined) where("message.received_at < ?", args.before);
  if (args.hasAgentPart !== undefined) where("message.agent_part = ?", args.hasAgentPart ? 1 : 0);
  if (args.from !== undefined) where("lower(message.from_address) = ?", args.from);
  if (args.isUnread !== undefined) where(`entry.flags & ${seenFlag} ${args.isUnread ? "=" : "<>"} 0`);
  if (args.mailboxes !== undefined)
    where(
      `entry.mailbox_id in (${args.mailboxes.length === 0 ? "null" : args.mailboxes.map(() => "?").join(",")})`,
      ...args.mailboxes,
    );
  const rows = await reader.all<Omit<ListedMessage, "isAuthenticated" | "hasAgentPart"> & RawFlags>(
    `select message.message_id as message, message.thread_id as thread, message.date,
      message.received_at as "receivedAt", message.size, message.subject,
      message.from_address as "fromAddress", message.from_name as "fromName",
      message.authenticated, message.agent_part, entry.mailbox_id as mailbox, mailbox.name as "mailboxName",
      mailbox.role as "mailboxRole", entry.flags, entry.keywords
    from message
    join entry on entry.agent_id = message.agent_id and entry.message_id = message.message_id
    join mailbox on mailbox.agent_id = entry.agent_id and mailbox.mailbox_id = entry.mailbox_id
    where message.agent_id = ? and ${conditions.length === 0 ? "1 = 1" : conditions.join(" and ")}
      and not exists (
        select 1
        from entry as earlier
        where earlier.agent_id = entry.agent_id and earlier.message_id = entry.message_id
          and (earlier.saved_at, earlier.mailbox_id, earlier.uid) < (entry.saved_at, entry.mailbox_id, entry.uid))
    order by message.message_id desc
    limit ?`,
    ...parameters,
    args.limit,
  );
  return rows.map(({ authenticated, agent_part, ...row }) => ({
    ...row,
    isAuthenticated: authenticated === 1,
    hasAgentPart: agent_part === 1,
  }));
}

interface RawFlags {
  readonly authenticated: number;
  readonly agent_part: number;
}
