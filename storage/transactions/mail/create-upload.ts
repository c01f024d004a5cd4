import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { uploadBytesOfAgentMax, uploadsMax } from "#/src/model/limits.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { EncodedBlob } from "../../blob.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { insertBlob } from "../../writing/blob-rows.ts";

export interface CreateUpload {
  readonly agent: AgentNumber;
  readonly blob: EncodedBlob;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly expiresAt: number;
  readonly at: number;
}

/** `blob.create` of the interface: stores bytes for later attachment. Refuses limit_reached. */
export async function createUpload(
  tx: Transaction,
  args: CreateUpload,
): Promise<{ upload: number; size: number; expiresAt: number; modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody, 1);
  const upload = write.takeNumber();
  const blob = await insertBlob(tx, write.account, args.blob, 1);
  await tx.run(
    ...insertion("upload", {
      agent_id: args.agent,
      upload_id: upload,
      account_id: write.account,
      blob_id: blob,
      name: args.name,
      type: args.type,
      size: args.blob.size,
      sha256: args.blob.sha256,
      created_at: args.at,
      expires_at: args.expiresAt,
    }),
  );
  const held = (await tx.get<{ count: number; bytes: number }>(
    "select count(*) as count, coalesce(sum(size), 0) as bytes from upload where agent_id = ?",
    args.agent,
  ))!;
  if (held.count > uploadsMax || held.bytes > uploadBytesOfAgentMax)
    throw new WaypostError(
      "policy_refused",
      `An agent holds at most ${uploadsMax} blobs of ${uploadBytesOfAgentMax} octets together`,
      { reason: "limit_reached", hint: "Delete blobs that are not needed any more." },
    );
  write.log({ kind: "upload", parent: 0, operation: "add", ids: String(upload) });
  const {
    blob: { size },
    expiresAt,
  } = args;
  return { upload, size, expiresAt, modseq: await write.finish() };
}
