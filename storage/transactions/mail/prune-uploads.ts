import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { removeUpload } from "../../writing/mail/upload-rows.ts";
import type { PruneSlice } from "../../writing/prune-slice.ts";

/** Deletes expired blobs, a slice at a time. Since their expiry they cannot be read. */
export async function pruneUploads(
  tx: Transaction,
  args: PruneSlice & { readonly now: number },
): Promise<{ isDone: boolean }> {
  const rows = await tx.all<{ agent: AgentNumber; upload: number }>(
    `select agent_id as agent, upload_id as upload
    from upload
    where expires_at <= ?
    order by expires_at
    limit ? offset ?`,
    args.now,
    args.limit,
    args.skip ?? 0,
  );
  for (const { agent, upload } of rows) await removeUpload(tx, agent, upload);
  return { isDone: rows.length < args.limit };
}
