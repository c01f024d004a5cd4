/** Drafts: messages in Drafts, with an id that stays when their bytes change.
 *
 *  A draft has the number of its first message, and needs no row as long as it is that message. A row says that it is another message
 *  now, or has the options that its writer chose. The version of a draft is the number of its message, as the bytes of a message never
 *  change. */
import type { AgentNumber, MailboxNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { EntryRow } from "../../rows.ts";
import type { Reader } from "../../sql.ts";
import { listEntriesOfMessage } from "./entries.ts";

export interface HeldDraft {
  readonly draft: number;
  readonly message: MessageNumber;
  readonly version: string;
  /** Options as JSON. */
  readonly options: string;
  /** Its entries in Drafts; never empty. */
  readonly entries: readonly EntryRow[];
}

/** A draft that is in Drafts. */
export async function findDraft(
  reader: Reader,
  agent: AgentNumber,
  draft: number,
): Promise<HeldDraft | undefined> {
  const row = await reader.get<{ message: MessageNumber; options: string }>(
    "select message_id as message, options from draft where agent_id = ? and draft_id = ?",
    agent,
    draft,
  );
  const message = row?.message ?? (draft as MessageNumber);
  if (row === undefined && (await hasAnotherName(reader, agent, message))) return undefined;
  const drafts = await reader.get<{ mailbox: MailboxNumber }>(
    "select mailbox_id as mailbox from mailbox where agent_id = ? and role = 'drafts'",
    agent,
  );
  const places = await listEntriesOfMessage(reader, agent, message);
  const entries = places.filter(({ mailbox }) => mailbox === drafts?.mailbox);
  if (entries.length === 0) return undefined;
  return { draft, message, version: String(message), options: row?.options ?? "{}", entries };
}

/** The draft of a message in Drafts; undefined if the draft is a newer message now. */
export async function findDraftOfMessage(
  reader: Reader,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<number | undefined> {
  const row = await reader.get<{ draft: number; message: MessageNumber }>(
    `select draft_id as draft, message_id as message
    from draft
    where agent_id = ? and (message_id = ? or draft_id = ?)
    order by case when message_id = ? then 0 else 1 end
    limit 1`,
    agent,
    message,
    message,
    message,
  );
  if (row === undefined) return message;
  return row.message === message ? row.draft : undefined;
}

async function hasAnotherName(reader: Reader, agent: AgentNumber, message: MessageNumber): Promise<boolean> {
  const row = await reader.get(
    "select 1 as found from draft where agent_id = ? and message_id = ? limit 1",
    agent,
    message,
  );
  return row !== undefined;
}
