/** The invariants of files and folders. */
import { type Invariant, living } from "./invariant.ts";

/** The part of a path before its last slash. */
const folderOf = (path: string): string => {
  const withSlash = `rtrim(${path}, replace(${path}, '/', ''))`;
  return `substr(${withSlash}, 1, length(${withSlash}) - 1)`;
};

export const fileInvariants: readonly Invariant[] = [
  {
    sentence: "file ? of agent ? has no octets, or is a folder and has some",
    query: `select path, agent_id
      from file as t
      where (media_type is null) = exists (
        select 1 from file_data as d where d.agent_id = t.agent_id and d.file_id = t.file_id)
        or (media_type is null and size <> 0)`,
  },
  {
    sentence: "file ? of agent ? is in no folder",
    query: `select path, agent_id
      from file as t
      where path like '%/%' and ${living} and not exists (
        select 1
        from file as f
        where f.agent_id = t.agent_id and f.media_type is null and f.path = ${folderOf("t.path")})`,
  },
];
