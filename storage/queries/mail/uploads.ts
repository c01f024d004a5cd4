/** Bytes that wait to be attached: blobs of the interface. */
import type { AccountNumber, AgentNumber, BlobNumber } from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

export interface UploadRow {
  readonly upload: number;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** undefined for an expired upload, even if it has not been freed yet. */
export function findUpload(
  reader: Reader,
  agent: AgentNumber,
  upload: number,
  now: number,
): Promise<UploadRow | undefined> {
  return reader.get(
    `select ${selectList<UploadRow, "upload">({
      upload: "upload.upload_id",
      account: "upload.account_id",
      blob: "upload.blob_id",
      name: "upload.name",
      type: "upload.type",
      size: "upload.size",
      sha256: "upload.sha256",
      createdAt: "upload.created_at",
      expiresAt: "upload.expires_at",
    })}
    from upload
    where agent_id = ? and upload_id = ? and expires_at > ?`,
    agent,
    upload,
    now,
  );
}
