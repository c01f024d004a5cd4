/** Rows of `upload`. Each holds a reference to the blob with its bytes. */
import type { AccountNumber, AgentNumber, BlobNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { releaseBlobs } from "../blob-rows.ts";

export async function removeUpload(tx: Transaction, agent: AgentNumber, upload: number): Promise<void> {
  const row = await tx.get<{ account: AccountNumber; blob: BlobNumber }>(
    `delete from upload
    where agent_id = ? and upload_id = ?
    returning account_id as account, blob_id as blob`,
    agent,
    upload,
  );
  if (row !== undefined) await releaseBlobs(tx, row.account, new Map([[row.blob, 1]]));
}
