/** Files and folders with all that is in them, within a transaction. */
import { WaypostError } from "#/src/model/errors.ts";
import { filePathBytesMax, itemChangesMax } from "#/src/model/limits.ts";
import { formatNumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { FileNumber, Modseq } from "#/src/model/numbers.ts";
import { type FileRow, findFile, listFilesBelow } from "../../queries/collections/files.ts";
import type { AgentTransaction } from "../agent-transaction.ts";
import { copyFile, deleteFileRows } from "./file-rows.ts";
import { forgetTransfers } from "./unfinished-transfers.ts";

/** Members that one write of a large folder changes, and octets after which it ends. */
export const sliceMembersMax = 200;
export const sliceBytesMax = 4 * 1024 * 1024;

export type PlaceOf = (row: FileRow) => string;

/** Where the members of a folder are in another one. */
export function placesIn(path: string, to: string): PlaceOf {
  return (row) => `${to}${row.path.slice(path.length)}`;
}

/** Copies rows to other places, each after the folder that it stands in. */
export async function copyRows(
  write: AgentTransaction,
  rows: readonly FileRow[],
  placeOf: PlaceOf,
): Promise<readonly FileNumber[]> {
  const { tx, agent, at, modseq } = write;
  for (const row of rows) assertPathFits(placeOf(row));
  write.reserveNumbers(rows.length);
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  write.assertRoom(bytes, 0, rows.length);
  const copied: FileNumber[] = [];
  for (const row of rows) {
    const path = placeOf(row);
    await assertFolder(write, path);
    const file = write.takeNumber() as FileNumber;
    const { mediaType, size } = row;
    await copyFile(tx, row, { agent, file, path, mediaType, size, modseq, at });
    copied.push(file);
  }
  write.grow(bytes, 0, rows.length);
  return copied;
}

/** Makes room for a copy or a move (RFC 4918 sections 9.8 and 9.9): a resource at the destination is deleted first. False if there was
 *  none. */
export async function takePlace(
  write: AgentTransaction,
  {
    path,
    to,
    isOverwriting,
  }: { readonly path: string; readonly to: string; readonly isOverwriting: boolean },
): Promise<boolean> {
  const { tx, agent } = write;
  if (to === path || to.startsWith(`${path}/`) || path.startsWith(`${to}/`))
    throw new WaypostError("invalid", "A folder is not put into itself, or in the place of what contains it");
  const standing = await findFile(tx, agent, to);
  if (standing === undefined) {
    await assertFolder(write, to);
    return false;
  }
  if (!isOverwriting) throw taken(standing);
  await removeTree(write, await listTree(write, standing, true));
  await forgetTransfers(tx, agent, to);
  return true;
}

export function numbersOf(rows: readonly FileRow[]): readonly FileNumber[] {
  return rows.map(({ file }) => file);
}

/** Throws for a path that is too long; the members of a moved folder get longer paths with it. */
export function assertPathFits(path: string): void {
  if (Buffer.byteLength(path) > filePathBytesMax)
    throw new WaypostError("invalid", `The path of a file has at most ${filePathBytesMax} octets`);
}

export async function finishFiles(
  write: AgentTransaction,
  operation: "add" | "update" | "remove",
  files: readonly FileNumber[],
): Promise<Modseq> {
  write.log({ kind: "file", parent: 0, operation, ids: formatNumberSet(numberSetOf(files)) });
  return write.finish();
}

/** The rows of a file, or of a folder and its members. */
export async function listTree(
  { tx, agent }: AgentTransaction,
  held: FileRow,
  isDeep: boolean,
): Promise<readonly FileRow[]> {
  if (held.mediaType !== null || !isDeep) return [held];
  const below = await listFilesBelow(tx, agent, held.path, "", itemChangesMax);
  if (below.length === itemChangesMax) throw tooMany();
  return [held, ...below];
}

export function tooMany(): WaypostError {
  return new WaypostError("policy_refused", `One request changes fewer than ${itemChangesMax} files`, {
    reason: "limit_reached",
  });
}

export async function removeTree(write: AgentTransaction, rows: readonly FileRow[]): Promise<void> {
  await deleteFileRows(write.tx, write.agent, numbersOf(rows));
  write.grow(-rows.reduce((sum, { size }) => sum + size, 0), 0, -rows.length);
}

/** Throws when the folder of a path does not exist (RFC 4918 section 9.3.1). */
export async function assertFolder({ tx, agent }: AgentTransaction, path: string): Promise<void> {
  const slash = path.lastIndexOf("/");
  const folder = slash === -1 ? undefined : await findFile(tx, agent, path.slice(0, slash));
  if (slash !== -1 && folder?.mediaType !== null)
    throw new WaypostError("not_found", "The folder of this path does not exist");
}

/** `expected`: the version of what is there, `absent` for nothing, or undefined for no condition. */
export function assertExpected(held: FileRow | undefined, expected: string | undefined): void {
  if (expected === undefined) return;
  if (expected === (held === undefined ? "absent" : String(held.modseq))) return;
  throw new WaypostError(
    "precondition_failed",
    "What stands at this path is not what was expected",
    held === undefined ? {} : { version: String(held.modseq) },
  );
}

export function taken({ modseq }: FileRow): WaypostError {
  return new WaypostError("precondition_failed", "There is something at this path", {
    version: String(modseq),
  });
}
