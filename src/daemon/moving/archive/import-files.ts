/** Imports files and folders of an archive (RFC 4918). A file with the same octets is left. */
import { withoutApproval } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { EntryImport, OpenArchive } from "./entry-import.ts";
import { type FilePage, filePage, jsonBytesMax, readJson } from "./format.ts";

type Described = FilePage["files"][number];

export function createFileImport({
  rooms: { files, by },
  owner: { agent },
  counts,
  refuse,
}: OpenArchive): EntryImport {
  const actor = withoutApproval({ ...by, agent });
  let page = new Map<string, Described>();

  async function store(
    { path, mediaType, deadProperties }: Described,
    bytes: Buffer | undefined,
  ): Promise<void> {
    try {
      const found = await files.findFile(agent, path);
      if (found !== undefined && (bytes === undefined || found.size === bytes.length)) {
        const there = bytes === undefined ? undefined : await files.readFile(found);
        if (bytes === undefined || (there !== undefined && Buffer.compare(there, bytes) === 0)) {
          // A run that was killed may have written them not any more.
          if (deadProperties !== undefined && (await files.listDeadProperties(found)).length === 0)
            await files.changeProperties(agent, actor, path, { set: deadProperties, remove: [] });
          counts.known++;
          return;
        }
      }
      if (bytes === undefined) await files.makeFolder(agent, actor, path, deadProperties ?? []);
      else {
        await files.putFile(agent, actor, {
          path,
          bytes,
          mediaType: mediaType ?? "application/octet-stream",
        });
        if (deadProperties !== undefined)
          await files.changeProperties(agent, actor, path, { set: deadProperties, remove: [] });
      }
      counts.files++;
    } catch (error) {
      if (!isWaypostError(error) || error.details.reason === "over_quota") throw error;
      refuse(path, error.message);
    }
  }

  return {
    async take({ path, bytes }) {
      const [, number, ending] = /^files\/(\d{1,15})\.(json|bin)$/.exec(path) ?? [];
      if (number === undefined) return false;
      if (bytes === undefined || (ending === "json" && bytes.length > jsonBytesMax)) {
        refuse("files", `${path} is too large.`);
        return true;
      }
      if (ending === "json") {
        const { files: described } = readJson(filePage, path, bytes);
        page = new Map();
        for (const one of described)
          if (one.file === undefined) await store(one, undefined);
          else page.set(one.file, one);
        return true;
      }
      const described = page.get(`${number}.bin`);
      if (described === undefined) refuse("files", `${path} stands on no page.`);
      else await store(described, bytes);
      return true;
    },
    async finish() {},
  };
}
