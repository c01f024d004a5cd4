import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { removeUpload } from "../../writing/mail/upload-rows.ts";
import { assertVersion } from "../../writing/version.ts";

export interface DeleteUpload {
  readonly agent: AgentNumber;
  readonly upload: number;
  /** The version that the caller has read: the blob's number, because its bytes never change. */
  readonly version: string | undefined;
  readonly at: number;
}

/** `blob.delete` of the interface. Mail that it was attached to has its own copy of the bytes. */
export async function deleteUpload(tx: Transaction, args: DeleteUpload): Promise<{ modseq: Modseq }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  const found = await tx.get(
    "select 1 as found from upload where agent_id = ? and upload_id = ? and expires_at > ?",
    args.agent,
    args.upload,
    args.at,
  );
  if (found === undefined) throw new WaypostError("not_found", "There is no such blob");
  assertVersion(args.version, String(args.upload), "blob");
  await removeUpload(tx, args.agent, args.upload);
  write.log({ kind: "upload", parent: 0, operation: "remove", ids: String(args.upload) });
  return { modseq: await write.finish() };
}
