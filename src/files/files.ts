/** Files and folders of an agent, by their paths: the ordinary resources and collections of WebDAV (RFC 4918). A path has no
 *  slash at its beginning or end; `""` is the root folder, which always exists. */
import type { DeadProperty } from "#/src/collections/collection.ts";
import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { fileBytesMax, filePathBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber, FileNumber, Modseq } from "#/src/model/numbers.ts";
import { encodeItem } from "#/storage/items.ts";
import {
  type FileRow,
  findFile,
  listFileProperties,
  listFilesBelow,
  readFileBytes,
} from "#/storage/queries/collections/files.ts";
import type { Store } from "#/storage/store.ts";
import type { ChangedFile, FileAction } from "#/storage/transactions/collections/change-file.ts";

export interface FileEntry {
  readonly agent: AgentNumber;
  readonly file: FileNumber;
  readonly path: string;
  /** undefined: a folder. */
  readonly mediaType: string | undefined;
  readonly size: number;
  /** Its version, and its ETag without the quotes. */
  readonly modseq: Modseq;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Files {
  findFile(agent: AgentNumber, path: string): Promise<FileEntry | undefined>;
  /** The direct members of a folder, in the order of their paths. */
  listFolder(agent: AgentNumber, folder: string): AsyncIterable<readonly FileEntry[]>;
  /** undefined when the file was deleted meanwhile. */
  readFile(entry: FileEntry): Promise<Uint8Array | undefined>;
  listDeadProperties(entry: FileEntry): Promise<readonly DeadProperty[]>;

  /** `expected`: the version of the file at the path, `absent` for none, or undefined for no condition. Throws `precondition_failed`. */
  putFile(
    agent: AgentNumber,
    actor: Actor,
    put: {
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly mediaType: string;
      readonly expected?: string | undefined;
    },
  ): Promise<ChangedFile>;
  /** Throws `not_found` when the folder above does not exist. */
  makeFolder(
    agent: AgentNumber,
    actor: Actor,
    path: string,
    properties: readonly DeadProperty[],
  ): Promise<ChangedFile>;
  /** Deletes a file, or a folder with all its members. */
  remove(agent: AgentNumber, actor: Actor, path: string, expected?: string): Promise<ChangedFile>;
  /** Copies or moves a file, or a folder with all its members. A copy that is not deep leaves the members out. */
  transfer(
    agent: AgentNumber,
    actor: Actor,
    transfer: Omit<Extract<FileAction, { readonly kind: "copy" | "move" }>, "expected"> & {
      /** The version of the source. */
      readonly expected?: string | undefined;
    },
  ): Promise<ChangedFile>;
  changeProperties(
    agent: AgentNumber,
    actor: Actor,
    path: string,
    change: { readonly set: readonly DeadProperty[]; readonly remove: readonly Omit<DeadProperty, "xml">[] },
  ): Promise<ChangedFile>;
}

const pageSize = 500;

export function createFiles(store: Store): Files {
  function change(agent: AgentNumber, actor: Actor, action: FileAction): Promise<ChangedFile> {
    return store.write(actor, "changeFile", { agent, actor, action, at: store.clock.now() });
  }

  return {
    async findFile(agent, path) {
      const row = await findFile(store, agent, path);
      return row && entryOf(agent, row);
    },
    async *listFolder(agent, folder) {
      const depth = folder === "" ? 1 : folder.split("/").length + 1;
      for (let after = ""; ; ) {
        const rows = await listFilesBelow(store, agent, folder, after, pageSize);
        yield rows.filter(({ path }) => path.split("/").length === depth).map((row) => entryOf(agent, row));
        if (rows.length < pageSize) return;
        after = rows.at(-1)!.path;
      }
    },
    readFile: (entry) => readFileBytes(store, entry.agent, entry),
    listDeadProperties: (entry) => listFileProperties(store, entry.agent, entry.file),

    async putFile(agent, actor, { path, bytes, mediaType, expected }) {
      assertPath(path);
      if (bytes.length > fileBytesMax)
        throw new WaypostError("invalid", `A file has at most ${fileBytesMax} octets.`, {
          reason: "too_large",
        });
      const content = await encodeItem(bytes);
      return change(agent, actor, { kind: "put", path, mediaType, content, expected });
    },
    async makeFolder(agent, actor, path, properties) {
      assertPath(path);
      return change(agent, actor, { kind: "make", path, properties });
    },
    remove: (agent, actor, path, expected) => change(agent, actor, { kind: "remove", path, expected }),
    async transfer(agent, actor, action) {
      assertPath(action.to);
      return change(agent, actor, { ...action, expected: action.expected });
    },
    changeProperties: (agent, actor, path, { set, remove }) =>
      change(agent, actor, { kind: "properties", path, set, remove }),
  };
}

function entryOf(agent: AgentNumber, { mediaType, ...row }: FileRow): FileEntry {
  return { ...row, agent, mediaType: mediaType ?? undefined };
}

function assertPath(path: string): void {
  const isBad =
    path.split("/").some((segment) => segment === "" || segment === "." || segment === "..") ||
    path.includes("\0") ||
    Buffer.byteLength(path) > filePathBytesMax;
  if (isBad)
    throw new WaypostError(
      "invalid",
      `The path of a file has at most ${filePathBytesMax} octets, no NUL and no empty names.`,
    );
}
