/** Messages and the bytes they are made of. */
import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  MailboxNumber,
  MessageNumber,
  ThreadNumber,
} from "#/src/model/numbers.ts";
import type { MessageRow } from "../rows.ts";
import type { Reader } from "../sql.ts";

type StoredMessage = Omit<MessageRow, "isAuthenticated" | "hasAgentPart"> & {
  isAuthenticated: number;
  hasAgentPart: number;
};

const selectMessage = `
  select message_id as message, account_id as account, blob_id as blob, thread_id as thread, date,
    received_at as "receivedAt", size, trace, subject, from_address as "fromAddress", from_name as "fromName",
    authenticated as "isAuthenticated", agent_part as "hasAgentPart", provenance, envelope,
    body_structure as "bodyStructure"
  from message`;

export async function findMessage(
  reader: Reader,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<MessageRow | undefined> {
  const row = await reader.get<StoredMessage>(
    `${selectMessage} where agent_id = ? and message_id = ?`,
    agent,
    message,
  );
  return row && messageOf(row);
}

/** A conversation, oldest first. */
export async function listThread(
  reader: Reader,
  agent: AgentNumber,
  thread: ThreadNumber,
  limit: number,
): Promise<MessageRow[]> {
  const rows = await reader.all<StoredMessage>(
    `${selectMessage} where agent_id = ? and thread_id = ? order by message_id limit ?`,
    agent,
    thread,
    limit,
  );
  return rows.map(messageOf);
}

export interface NewestMessages {
  readonly mailbox?: MailboxNumber | undefined;
  readonly thread?: ThreadNumber | undefined;
  /** Numbers below this one. */
  readonly before?: MessageNumber | undefined;
  readonly limit: number;
}

/** The newest first: object numbers grow with time. */
export async function listNewestMessages(
  reader: Reader,
  agent: AgentNumber,
  { mailbox, thread, before, limit }: NewestMessages,
): Promise<MessageRow[]> {
  const conditions = ["agent_id = ?", "message_id < ?"];
  const parameters: number[] = [agent, before ?? Number.MAX_SAFE_INTEGER];
  if (thread !== undefined) {
    conditions.push("thread_id = ?");
    parameters.push(thread);
  }
  if (mailbox !== undefined) {
    conditions.push(`message_id in (select message_id from entry where agent_id = ? and mailbox_id = ?)`);
    parameters.push(agent, mailbox);
  }
  const rows = await reader.all<StoredMessage>(
    `${selectMessage} where ${conditions.join(" and ")} order by message_id desc limit ?`,
    ...parameters,
    limit,
  );
  return rows.map(messageOf);
}

function messageOf(row: StoredMessage): MessageRow {
  return { ...row, isAuthenticated: row.isAuthenticated === 1, hasAgentPart: row.hasAgentPart === 1 };
}

/** What is known of a blob without reading its bytes. */
export interface BlobRow {
  readonly size: number;
  readonly headerSize: number;
  /** JSON: where the parts are. */
  readonly structure: string;
  readonly sha256: Uint8Array;
}

export function findBlob(
  reader: Reader,
  account: AccountNumber,
  blob: BlobNumber,
): Promise<BlobRow | undefined> {
  return reader.get(
    `select size, header_size as "headerSize", structure, sha256
    from blob
    where account_id = ? and blob_id = ?`,
    account,
    blob,
  );
}
