/** Messages and their bytes. */

import { messageProperties } from "#/src/model/message-properties.ts";
import type { AccountNumber, AgentNumber, BlobNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { MessageRow } from "../../rows.ts";
import { selectList, wholeRow } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

export type StoredMessage = Omit<MessageRow, "isAuthenticated" | "hasAgentPart"> & {
  isAuthenticated: number;
  hasAgentPart: number;
};

export const selectMessage = `
  select ${wholeRow<StoredMessage, "message">()(
    {
      message: "message.message_id",
      account: "message.account_id",
      blob: "message.blob_id",
      thread: "message.thread_id",
      date: "message.date",
      receivedAt: "message.received_at",
      size: "message.size",
      trace: "message.trace",
      subject: "message.subject",
      fromAddress: "message.from_address",
      fromName: "message.from_name",
      isAuthenticated: "message.authenticated",
      hasAgentPart: "message.agent_part",
      provenance: "message.provenance",
      envelope: "message.envelope",
      bodyStructure: "message.body_structure",
      ...messageProperties.selected("message"),
    },
    {
      agent_id: "the caller has named it",
      entry_count: "entries are read by themselves",
      reference_ids: "only threading reads them",
      list_fields: "only lists read them",
      other_fields: "only lists read them",
    },
  )}
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

const blobColumns = selectList<BlobRow, "blob">({
  size: "blob.size",
  headerSize: "blob.header_size",
  structure: "blob.structure",
  sha256: "blob.sha256",
});

export function findBlob(
  reader: Reader,
  account: AccountNumber,
  blob: BlobNumber,
): Promise<BlobRow | undefined> {
  return reader.get(
    `select ${blobColumns}
    from blob
    where account_id = ? and blob_id = ?`,
    account,
    blob,
  );
}
