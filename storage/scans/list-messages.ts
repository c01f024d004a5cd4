import { seenFlag } from "#/src/model/flags.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import type { MailboxRole } from "#/src/model/roles.ts";
import { slicesOf } from "../slices.ts";
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

/** Messages looked at in one step. */
const stepRows = 500;

/** The messages of an agent that meet every condition given, the newest first, each once by the entry it is shown by.
 *
 *  In steps of two statements that each follow one index: messages downwards by number, then their entries. As one join the
 *  same is quadratic or sorts everything, whichever way the planner guesses. */
export async function listMessages(reader: Reader, args: ListMessages): Promise<ListedMessage[]> {
  const mailboxes = new Map(
    (
      await reader.all<{ mailbox: MailboxNumber; name: string; role: MailboxRole | null }>(
        "select mailbox_id as mailbox, name, role from mailbox where agent_id = ?",
        args.agent,
      )
    ).map((row) => [row.mailbox, row]),
  );
  const wanted = args.mailboxes === undefined ? undefined : new Set(args.mailboxes);
  const listed: ListedMessage[] = [];
  let below: number = args.below ?? Number.MAX_SAFE_INTEGER;
  for (;;) {
    const messages = await selectMessages(reader, args, below);
    const shown = await selectShownEntries(
      reader,
      args.agent,
      messages.map(({ message }) => message),
    );
    for (const { authenticated, agent_part, ...message } of messages) {
      const entry = shown.get(message.message);
      const mailbox = entry && mailboxes.get(entry.mailbox);
      if (entry === undefined || mailbox === undefined) continue;
      if (wanted !== undefined && !wanted.has(entry.mailbox)) continue;
      if (args.isUnread !== undefined && args.isUnread !== ((entry.flags & seenFlag) === 0)) continue;
      listed.push({
        ...message,
        isAuthenticated: authenticated === 1,
        hasAgentPart: agent_part === 1,
        mailbox: entry.mailbox,
        mailboxName: mailbox.name,
        mailboxRole: mailbox.role,
        flags: entry.flags,
        keywords: entry.keywords,
      });
      if (listed.length === args.limit) return listed;
    }
    if (messages.length < stepRows) return listed;
    below = messages.at(-1)!.message;
  }
}

type MessageFields = Omit<
  ListedMessage,
  "isAuthenticated" | "hasAgentPart" | "mailbox" | "mailboxName" | "mailboxRole" | "flags" | "keywords"
> & { readonly authenticated: number; readonly agent_part: number };

function selectMessages(reader: Reader, args: ListMessages, below: number): Promise<MessageFields[]> {
  const conditions = ["agent_id = ?", "message_id < ?"];
  const parameters: SqlValue[] = [args.agent, below];
  const where = (condition: string, value: SqlValue): void => {
    conditions.push(condition);
    parameters.push(value);
  };
  if (args.thread !== undefined) where("thread_id = ?", args.thread);
  if (args.since !== undefined) where("received_at >= ?", args.since);
  if (args.before !== undefined) where("received_at < ?", args.before);
  if (args.hasAgentPart !== undefined) where("agent_part = ?", args.hasAgentPart ? 1 : 0);
  if (args.from !== undefined) where("lower(from_address) = ?", args.from);
  return reader.all(
    `select message_id as message, thread_id as thread, date, received_at as "receivedAt", size, subject,
      from_address as "fromAddress", from_name as "fromName", authenticated, agent_part
    from message
    where ${conditions.join(" and ")}
    order by message_id desc
    limit ?`,
    ...parameters,
    stepRows,
  );
}

interface ShownEntry {
  readonly message: MessageNumber;
  readonly mailbox: MailboxNumber;
  readonly flags: number;
  readonly keywords: string | null;
}

/** The first saved of each message's entries, of the lower mailbox number where they were saved together. */
async function selectShownEntries(
  reader: Reader,
  agent: AgentNumber,
  messages: readonly MessageNumber[],
): Promise<Map<MessageNumber, ShownEntry>> {
  const shown = new Map<MessageNumber, ShownEntry>();
  for (const { condition, parameters } of slicesOf(numberSetOf(messages), "message_id")) {
    const rows = await reader.all<ShownEntry>(
      `select message_id as message, mailbox_id as mailbox, flags, keywords
      from entry
      where agent_id = ? and ${condition}
      order by message_id, saved_at, mailbox_id, uid`,
      agent,
      ...parameters,
    );
    for (const row of rows) if (!shown.has(row.message)) shown.set(row.message, row);
  }
  return shown;
}
