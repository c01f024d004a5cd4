/** Files and folders of an agent, by their paths: the ordinary resources and collections of WebDAV (RFC 4918). A path has no
 *  slash at its beginning or end; `""` is the root folder, which always exists. */
import type { DeadProperty } from "#/src/collections/collection.ts";
import type { Actor } from "#/src/model/author.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { fileBytesMax, filePathBytesMax, itemChangesMax } from "#/src/model/limits.ts";
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
/** How often files that come while their folder is moved are moved after it. */
const roundsMax = 10;

export function createFiles(store: Store): Files {
  function change(agent: AgentNumber, actor: Actor, action: FileAction): Promise<ChangedFile> {
    return store.write(actor, "changeFile", { agent, actor, action, at: store.clock.now() });
  }

  /** More members than one write changes. */
  async function isLarge(agent: AgentNumber, folder: string): Promise<boolean> {
    return (await listFilesBelow(store, agent, folder, "", itemChangesMax)).length === itemChangesMax;
  }

  type Removal = Omit<Extract<FileAction, { readonly kind: "remove" | "trim" }>, "kind">;

  async function shrink(agent: AgentNumber, actor: Actor, removal: Removal): Promise<void> {
    while (await isLarge(agent, removal.path)) await change(agent, actor, { kind: "trim", ...removal });
  }

  async function remove(agent: AgentNumber, actor: Actor, removal: Removal): Promise<ChangedFile> {
    await shrink(agent, actor, removal);
    return change(agent, actor, { kind: "remove", ...removal });
  }

  /** What is at the destination may be too large to be removed in the same write. */
  async function overwrite(
    agent: AgentNumber,
    actor: Actor,
    action: Extract<FileAction, { readonly kind: "copy" | "move" }>,
  ): Promise<ChangedFile> {
    try {
      return await change(agent, actor, action);
    } catch (error) {
      const isTooLarge = isWaypostError(error) && error.details.reason === "limit_reached";
      if (!isTooLarge || !(await isLarge(agent, action.to))) throw error;
      await shrink(agent, actor, { path: action.to, expected: undefined });
      return change(agent, actor, action);
    }
  }

  async function extend(
    agent: AgentNumber,
    actor: Actor,
    slice: Pick<Extract<FileAction, { readonly kind: "extend" }>, "path" | "to" | "isMoved">,
  ): Promise<void> {
    let after: string | undefined = "";
    while (after !== undefined)
      ({ last: after } = await change(agent, actor, { kind: "extend", ...slice, after }));
  }

  /** The folders are made anew at the destination, and removed when no file is in them any more. */
  async function moveMembers(agent: AgentNumber, actor: Actor, path: string, to: string): Promise<void> {
    for (let round = 1; ; round++) {
      await extend(agent, actor, { path, to, isMoved: true });
      try {
        await remove(agent, actor, { path, expected: undefined, areFolders: true });
        return;
      } catch (error) {
        // Somebody has put a file into one of them.
        if (!isWaypostError(error) || error.code !== "precondition_failed" || round === roundsMax)
          throw error;
      }
    }
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
    remove: (agent, actor, path, expected) => remove(agent, actor, { path, expected }),
    async transfer(agent, actor, given) {
      const action = { ...given, expected: given.expected };
      const { kind, path, to } = action;
      assertPath(to);
      const isWhole = kind === "move" || action.isDeep;
      if (!isWhole || !(await isLarge(agent, path))) return overwrite(agent, actor, action);
      const made = await overwrite(agent, actor, { ...action, kind: "copy", isDeep: false });
      if (kind === "move") await moveMembers(agent, actor, path, to);
      else
        await extend(agent, actor, { path, to, isMoved: false }).catch(async (error: unknown) => {
          await remove(agent, actor, { path: to, expected: undefined });
          throw error;
        });
      return made;
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
