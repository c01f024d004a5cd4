/** Messages and their bytes. */
import type { AccountNumber, AgentNumber, BlobNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { MessageRow } from "../../rows.ts";
import type { Reader } from "../../sql.ts";

export type StoredMessage = Omit<MessageRow, "isAuthenticated" | "hasAgentPart"> & {
  isAuthenticated: number;
  hasAgentPart: number;
};

export const selectMessage = `
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

export function messageOf(row: StoredMessage): MessageRow {
  return { ...row, isAuthenticated: row.isAuthenticated === 1, hasAgentPart: row.hasAgentPart === 1 };
}

/** The facts of a blob that are known without reading its bytes. */
export interface BlobRow {
  readonly size: number;
  readonly headerSize: number;
  /** JSON: the positions of the parts. */
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
