import type { AgentNumber, FileNumber, Modseq } from "#/src/model/numbers.ts";
import { decodeItem } from "../../items.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";
import type { CollectionPropertyRow } from "./collections.ts";

export interface FileRow {
  readonly file: FileNumber;
  readonly path: string;
  /** null for a folder. */
  readonly mediaType: string | null;
  readonly size: number;
  readonly modseq: Modseq;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const selectFile = `
  select ${selectList<FileRow, "file">({
    file: "file.file_id",
    path: "file.path",
    mediaType: "file.media_type",
    size: "file.size",
    modseq: "file.modseq",
    createdAt: "file.created_at",
    updatedAt: "file.updated_at",
  })}
  from file`;

export function findFile(reader: Reader, agent: AgentNumber, path: string): Promise<FileRow | undefined> {
  return reader.get(`${selectFile} where agent_id = ? and path = ?`, agent, path);
}

/** Everything below a folder, at any depth, in the order of the paths; `""` is the root. */
export function listFilesBelow(
  reader: Reader,
  agent: AgentNumber,
  folder: string,
  after: string,
  limit: number,
): Promise<FileRow[]> {
  const [since, before] = boundsBelow(folder);
  return reader.all(
    `${selectFile} where agent_id = ? and path >= ? and path < ? and path > ? order by path limit ?`,
    agent,
    since,
    before,
    after,
    limit,
  );
}

/** The last ones of them, each before the folder that it stands in. */
export function listLastFilesBelow(
  reader: Reader,
  agent: AgentNumber,
  folder: string,
  limit: number,
): Promise<FileRow[]> {
  const [since, before] = boundsBelow(folder);
  return reader.all(
    `${selectFile} where agent_id = ? and path >= ? and path < ? order by path desc limit ?`,
    agent,
    since,
    before,
    limit,
  );
}

/** The range of paths below a folder. "0" is the character after "/". */
export function boundsBelow(folder: string): readonly [since: string, before: string] {
  return folder === "" ? ["", "\u{10ffff}"] : [`${folder}/`, `${folder}0`];
}

export async function readFileBytes(
  reader: Reader,
  agent: AgentNumber,
  { file, size }: Pick<FileRow, "file" | "size">,
): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ codec: number; data: Uint8Array }>(
    "select codec, data from file_data where agent_id = ? and file_id = ?",
    agent,
    file,
  );
  return row && decodeItem({ ...row, size });
}

export function listFileProperties(
  reader: Reader,
  agent: AgentNumber,
  file: FileNumber,
): Promise<CollectionPropertyRow[]> {
  return reader.all(
    `select ${selectList<CollectionPropertyRow, "file_property">({
      namespace: "file_property.namespace",
      name: "file_property.name",
      xml: "file_property.xml",
    })}
    from file_property where agent_id = ? and file_id = ? order by namespace, name`,
    agent,
    file,
  );
}
