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
import { findTransfer } from "#/storage/writing/collections/unfinished-transfers.ts";

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
  async function makingRoom<R>(
    agent: AgentNumber,
    actor: Actor,
    to: string,
    make: () => Promise<R>,
  ): Promise<R> {
    try {
      return await make();
    } catch (error) {
      const isTooLarge = isWaypostError(error) && error.details.reason === "limit_reached";
      if (!isTooLarge || !(await isLarge(agent, to))) throw error;
      await shrink(agent, actor, { path: to, expected: undefined });
      return make();
    }
  }

  /** The move that was begun before, with the same folders. */
  async function isUnderWay(agent: AgentNumber, path: string, to: string): Promise<boolean> {
    const begun = await findTransfer(store, agent, to);
    return begun?.isMove === 1 && begun.path === path;
  }

  /** The longer paths of all members are known before the first of them is moved. */
  async function assertPathsFit(agent: AgentNumber, path: string, to: string): Promise<void> {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const rows = await listFilesBelow(store, agent, path, after, pageSize);
      for (const row of rows) assertPath(`${to}${row.path.slice(path.length)}`);
      after = rows.at(-1)?.path;
    }
  }

  /** In slices, to the end, also when the caller has gone. */
  async function transferLarge(
    agent: AgentNumber,
    actor: Actor,
    action: Extract<FileAction, { readonly kind: "copy" | "move" }>,
  ): Promise<ChangedFile> {
    const { path, to, isOverwriting, expected } = action;
    const isMove = action.kind === "move";
    await assertPathsFit(agent, path, to);
    return store.inPieces(actor, async (write) => {
      const at = store.clock.now();
      const { daemon } = store.leases;
      const began = { agent, actor, path, to, isMove, isOverwriting, expected, daemon, at };
      const made = await makingRoom(agent, actor, to, () => write("beginFolderTransfer", began));
      const step = (isTakenBack: boolean) =>
        write("continueFolderTransfer", {
          ...{ agent, actor, path, to, transfer: made.transfer, isTakenBack },
          at: store.clock.now(),
        });
      try {
        while (!(await step(false)).isDone);
      } catch (error) {
        if (!isMove) while (!(await step(true)).isDone);
        throw error;
      }
      return made;
    });
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
      const isSliced =
        isWhole && ((await isLarge(agent, path)) || (kind === "move" && (await isUnderWay(agent, path, to))));
      return isSliced
        ? transferLarge(agent, actor, action)
        : makingRoom(agent, actor, to, () => change(agent, actor, action));
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
