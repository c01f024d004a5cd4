import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { filePathBytesMax, itemChangesMax } from "#/src/model/limits.ts";
import { formatNumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, FileNumber, Modseq } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "../../queries/collections/collections.ts";
import {
  type FileRow,
  findFile,
  listFilesBelow,
  listLastFilesBelow,
} from "../../queries/collections/files.ts";
import type { Transaction } from "../../sql.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { changeDeadProperties } from "../../writing/collections/dead-properties.ts";
import {
  copyFile,
  deleteFileRows,
  type FileContent,
  insertContent,
  insertFile,
  moveFile,
  replaceContent,
} from "../../writing/collections/file-rows.ts";

/** The caller's precondition: the version of the resource at the path, or that there is none. undefined: no precondition. */
export type FileExpectation = string | undefined;

export type FileAction =
  | {
      readonly kind: "put";
      readonly path: string;
      readonly mediaType: string;
      readonly content: FileContent;
      readonly expected: FileExpectation;
    }
  | { readonly kind: "make"; readonly path: string; readonly properties: readonly CollectionPropertyRow[] }
  /** `trim`: a slice of a folder that is too large for one write, its last members. `areFolders`: refused if files are in it. */
  | {
      readonly kind: "remove" | "trim";
      readonly path: string;
      readonly expected: FileExpectation;
      readonly areFolders?: boolean;
    }
  | {
      readonly kind: "copy" | "move";
      readonly path: string;
      readonly to: string;
      /** For the copy of a folder: with its members. */
      readonly isDeep: boolean;
      readonly isOverwriting: boolean;
      readonly expected: FileExpectation;
    }
  /** Its members after this path are copied into another folder; `isMoved`: files are moved, and the folders stay behind without them. */
  | {
      readonly kind: "extend";
      readonly path: string;
      readonly to: string;
      readonly after: string;
      readonly isMoved: boolean;
    }
  | {
      readonly kind: "properties";
      readonly path: string;
      readonly set: readonly CollectionPropertyRow[];
      readonly remove: readonly Omit<CollectionPropertyRow, "xml">[];
    };

export interface ChangeFile {
  readonly agent: AgentNumber;
  readonly actor: Actor;
  readonly action: FileAction;
  readonly at: number;
}

export interface ChangedFile {
  readonly modseq: Modseq;
  /** There was no resource at the path, or at the destination of a copy or move. */
  readonly isCreated: boolean;
  /** Of a slice: the path of its last member, undefined when there was none. */
  readonly last?: string | undefined;
}

/** Members of a slice, and octets after which it ends. */
const sliceMembersMax = 200;
const sliceBytesMax = 4 * 1024 * 1024;

/** The one write of files and folders: each action with everything below its path, all or nothing; a folder with more members than one
 *  write changes is changed in slices, which keep every member in a folder. Refuses not_found,
 *  precondition_failed, over_quota, limit_reached, too_large. */
export async function changeFile(tx: Transaction, args: ChangeFile): Promise<ChangedFile> {
  const { action } = args;
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor);
  const held = await findFile(tx, args.agent, action.path);
  if (action.kind === "put" || action.kind === "make") return create(write, action, held);
  if (held === undefined) throw new WaypostError("not_found", "There is nothing at this path");
  if (action.kind === "properties") {
    await changeDeadProperties(tx, "file", args.agent, held.file, action);
    return finish(write, "update", [held.file], false);
  }
  if (action.kind === "extend") return extend(write, action);
  assertExpected(held, action.expected);
  if ("to" in action)
    return transfer(write, action, await listTree(write, held, action.kind === "move" || action.isDeep));
  const isSlice = action.kind === "trim";
  const rows = isSlice
    ? await listLastFilesBelow(tx, args.agent, action.path, sliceMembersMax)
    : await listTree(write, held, true);
  if (action.areFolders === true && rows.some(({ mediaType }) => mediaType !== null)) throw taken(held);
  await removeTree(write, rows);
  return finish(write, "remove", isSlice ? numbersOf(rows) : [held.file], false);
}

async function create(
  write: AgentTransaction,
  action: Extract<FileAction, { readonly kind: "put" | "make" }>,
  held: FileRow | undefined,
): Promise<ChangedFile> {
  const { tx, agent, at } = write;
  const { path } = action;
  if (action.kind === "put") assertExpected(held, action.expected);
  if (held !== undefined) {
    if (action.kind === "make" || held.mediaType === null) throw taken(held);
    const { content, mediaType } = action;
    write.assertRoom(content.size - held.size, 0);
    await replaceContent(tx, agent, held, { ...content, mediaType, modseq: write.modseq, at });
    write.grow(content.size - held.size, 0);
    return finish(write, "update", [held.file], false);
  }
  await assertFolder(write, path);
  write.reserveNumbers(1);
  const size = action.kind === "put" ? action.content.size : 0;
  write.assertRoom(size, 0, 1);
  const file = write.takeNumber() as FileNumber;
  const mediaType = action.kind === "put" ? action.mediaType : null;
  await insertFile(tx, { agent, file, path, mediaType, size, modseq: write.modseq, at });
  if (action.kind === "put") await insertContent(tx, agent, file, action.content);
  else await changeDeadProperties(tx, "file", agent, file, { set: action.properties, remove: [] });
  write.grow(size, 0, 1);
  return finish(write, "add", [file], true);
}

/** COPY and MOVE (RFC 4918 sections 9.8 and 9.9): a resource at the destination is deleted first. */
async function transfer(
  write: AgentTransaction,
  { kind, path, to, isOverwriting }: Extract<FileAction, { readonly kind: "copy" | "move" }>,
  rows: readonly FileRow[],
): Promise<ChangedFile> {
  const { tx, agent } = write;
  if (to === path || to.startsWith(`${path}/`) || path.startsWith(`${to}/`))
    throw new WaypostError("invalid", "A folder is not put into itself, or in the place of what contains it");
  const placeOf = (row: FileRow): string => `${to}${row.path.slice(path.length)}`;
  if (kind === "move") for (const row of rows) assertPathFits(placeOf(row));
  const standing = await findFile(tx, agent, to);
  if (standing !== undefined) {
    if (!isOverwriting) throw taken(standing);
    await removeTree(write, await listTree(write, standing, true));
  } else await assertFolder(write, to);
  if (kind === "move") {
    for (const row of rows) await moveFile(tx, agent, row, placeOf(row), write.modseq);
    return finish(write, "update", numbersOf(rows), standing === undefined);
  }
  return finish(write, "add", await put(write, rows, placeOf, false), standing === undefined);
}

async function extend(
  write: AgentTransaction,
  { path, to, after, isMoved }: Extract<FileAction, { readonly kind: "extend" }>,
): Promise<ChangedFile> {
  const rows: FileRow[] = [];
  let bytes = 0;
  for (const row of await listFilesBelow(write.tx, write.agent, path, after, sliceMembersMax)) {
    if (bytes >= sliceBytesMax) break;
    rows.push(row);
    bytes += row.size;
  }
  const changed = await put(write, rows, (row) => `${to}${row.path.slice(path.length)}`, isMoved);
  return { ...(await finish(write, isMoved ? "update" : "add", changed, false)), last: rows.at(-1)?.path };
}

/** Copies rows to other places, each after the folder that it stands in; `areMoved`: the files are moved. */
async function put(
  write: AgentTransaction,
  rows: readonly FileRow[],
  placeOf: (row: FileRow) => string,
  areMoved: boolean,
): Promise<readonly FileNumber[]> {
  const { tx, agent, at } = write;
  const copied: FileRow[] = [];
  for (const row of rows) {
    assertPathFits(placeOf(row));
    // A folder may be there from an earlier slice.
    const isThere = row.mediaType === null && (await findFile(tx, agent, placeOf(row))) !== undefined;
    if (!isThere && !(areMoved && row.mediaType !== null)) copied.push(row);
  }
  write.reserveNumbers(copied.length);
  const bytes = copied.reduce((sum, { size }) => sum + size, 0);
  write.assertRoom(bytes, 0, copied.length);
  const { modseq } = write;
  const changed: FileNumber[] = [];
  for (const row of rows) {
    const path = placeOf(row);
    const { mediaType, size } = row;
    await assertFolder(write, path);
    if (copied.includes(row)) {
      const file = write.takeNumber() as FileNumber;
      await copyFile(tx, row, { agent, file, path, mediaType, size, modseq, at });
      changed.push(file);
    } else if (mediaType !== null) {
      await moveFile(tx, agent, row, path, modseq);
      changed.push(row.file);
    }
  }
  write.grow(bytes, 0, copied.length);
  return changed;
}

function numbersOf(rows: readonly FileRow[]): readonly FileNumber[] {
  return rows.map(({ file }) => file);
}

/** Throws for a path that is too long; the members of a moved folder get longer paths with it. */
function assertPathFits(path: string): void {
  if (Buffer.byteLength(path) > filePathBytesMax)
    throw new WaypostError("invalid", `The path of a file has at most ${filePathBytesMax} octets`);
}

async function finish(
  write: AgentTransaction,
  operation: "add" | "update" | "remove",
  files: readonly FileNumber[],
  isCreated: boolean,
): Promise<ChangedFile> {
  write.log({ kind: "file", parent: 0, operation, ids: formatNumberSet(numberSetOf(files)) });
  return { modseq: await write.finish(), isCreated };
}

/** The rows of a file, or of a folder and its members. */
async function listTree(
  { tx, agent }: AgentTransaction,
  held: FileRow,
  isDeep: boolean,
): Promise<readonly FileRow[]> {
  if (held.mediaType !== null || !isDeep) return [held];
  const below = await listFilesBelow(tx, agent, held.path, "", itemChangesMax);
  if (below.length === itemChangesMax)
    throw new WaypostError("policy_refused", `One request changes fewer than ${itemChangesMax} files`, {
      reason: "limit_reached",
    });
  return [held, ...below];
}

async function removeTree(write: AgentTransaction, rows: readonly FileRow[]): Promise<void> {
  await deleteFileRows(write.tx, write.agent, numbersOf(rows));
  write.grow(-rows.reduce((sum, { size }) => sum + size, 0), 0, -rows.length);
}

/** Throws when the folder of a path does not exist (RFC 4918 section 9.3.1). */
async function assertFolder({ tx, agent }: AgentTransaction, path: string): Promise<void> {
  const slash = path.lastIndexOf("/");
  const folder = slash === -1 ? undefined : await findFile(tx, agent, path.slice(0, slash));
  if (slash !== -1 && folder?.mediaType !== null)
    throw new WaypostError("not_found", "The folder of this path does not exist");
}

function assertExpected(held: FileRow | undefined, expected: FileExpectation): void {
  if (expected === undefined) return;
  if (expected === (held === undefined ? "absent" : String(held.modseq))) return;
  throw new WaypostError(
    "precondition_failed",
    "What stands at this path is not what was expected",
    held === undefined ? {} : { version: String(held.modseq) },
  );
}

function taken({ modseq }: FileRow): WaypostError {
  return new WaypostError("precondition_failed", "There is something at this path", {
    version: String(modseq),
  });
}
