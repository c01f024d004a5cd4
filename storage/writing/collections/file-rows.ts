/** Rows of `file`, `file_data` and `file_property`. */
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, FileNumber, Modseq } from "#/src/model/numbers.ts";
import type { ItemFacts } from "../../items.ts";
import type { FileRow } from "../../queries/collections/files.ts";
import { insertion } from "../../schema/insertion.ts";
import { slicesOf } from "../../slices.ts";
import type { Sql } from "../../sql.ts";

export type FileContent = Pick<ItemFacts, "size" | "codec" | "data">;

export interface NewFile {
  readonly agent: AgentNumber;
  readonly file: FileNumber;
  readonly path: string;
  readonly mediaType: string | null;
  readonly size: number;
  readonly modseq: Modseq;
  readonly at: number;
}

export async function insertFile(tx: Sql, made: NewFile): Promise<void> {
  const { agent, file, path, mediaType, size, modseq, at } = made;
  await tx.run(
    ...insertion("file", {
      agent_id: agent,
      path,
      file_id: file,
      media_type: mediaType,
      size,
      modseq,
      created_at: at,
      updated_at: at,
    }),
  );
}

export async function insertContent(
  tx: Sql,
  agent: AgentNumber,
  file: FileNumber,
  { codec, data }: FileContent,
): Promise<void> {
  await tx.run(...insertion("file_data", { agent_id: agent, file_id: file, codec, data }));
}

export async function replaceContent(
  tx: Sql,
  agent: AgentNumber,
  { file, path }: FileRow,
  change: FileContent & { readonly mediaType: string; readonly modseq: Modseq; readonly at: number },
): Promise<void> {
  await tx.run(
    "update file set media_type = ?, size = ?, modseq = ?, updated_at = ? where agent_id = ? and path = ?",
    change.mediaType,
    change.size,
    change.modseq,
    change.at,
    agent,
    path,
  );
  await tx.run(
    "update file_data set codec = ?, data = ? where agent_id = ? and file_id = ?",
    change.codec,
    change.data,
    agent,
    file,
  );
}

/** Copies a file with its octets and its properties (RFC 4918 section 9.8.2). */
export async function copyFile(tx: Sql, from: FileRow, made: NewFile): Promise<void> {
  await insertFile(tx, made);
  await tx.run(
    `insert into file_data (agent_id, file_id, codec, data)
    select agent_id, ?, codec, data from file_data where agent_id = ? and file_id = ?`,
    made.file,
    made.agent,
    from.file,
  );
  await tx.run(
    `insert into file_property (agent_id, file_id, namespace, name, xml)
    select agent_id, ?, namespace, name, xml from file_property where agent_id = ? and file_id = ?`,
    made.file,
    made.agent,
    from.file,
  );
}

export async function moveFile(
  tx: Sql,
  agent: AgentNumber,
  from: FileRow,
  to: string,
  modseq: Modseq,
): Promise<void> {
  await tx.run(
    "update file set path = ?, modseq = ? where agent_id = ? and path = ?",
    to,
    modseq,
    agent,
    from.path,
  );
}

export async function deleteFileRows(
  tx: Sql,
  agent: AgentNumber,
  files: readonly FileNumber[],
): Promise<void> {
  for (const { condition, parameters } of slicesOf(numberSetOf(files), "file_id"))
    for (const table of ["file_property", "file_data", "file"])
      await tx.run(`delete from ${table} where agent_id = ? and ${condition}`, agent, ...parameters);
}
