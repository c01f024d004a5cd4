/** COPY and MOVE of a folder with more members than one write changes: one write begins it, and each further one is a slice. Others see it half
 *  done. It is known until its last slice, so that no member is lost or doubled when the daemon is killed in between:
 *
 *  - a move goes on where it was: by the same request, or at the next start;
 *  - a copy is taken back at the next start. */
import { type Actor, nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, FileNumber } from "#/src/model/numbers.ts";
import {
  type FileRow,
  findFile,
  listFilesBelow,
  listLastFilesBelow,
} from "../../queries/collections/files.ts";
import type { Transaction } from "../../sql.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { moveFile } from "../../writing/collections/file-rows.ts";
import {
  assertExpected,
  assertFolder,
  copyRows,
  finishFiles,
  numbersOf,
  placesIn,
  removeTree,
  sliceBytesMax,
  sliceMembersMax,
  takePlace,
} from "../../writing/collections/file-tree.ts";
import {
  findTransfer,
  forgetTransfers,
  noteTransfer,
  type UnfinishedTransfer,
} from "../../writing/collections/unfinished-transfers.ts";
import type { ChangedFile, FileExpectation } from "./change-file.ts";

export interface BeginFolderTransfer {
  readonly agent: AgentNumber;
  readonly actor: Actor;
  readonly path: string;
  readonly to: string;
  readonly isMove: boolean;
  readonly isOverwriting: boolean;
  readonly expected: FileExpectation;
  /** `Leases.daemon`. */
  readonly daemon: string;
  readonly at: number;
}

/** Makes the folder, without members. The move that was begun before with the same folders goes on. */
export async function beginFolderTransfer(
  tx: Transaction,
  args: BeginFolderTransfer,
): Promise<ChangedFile & Pick<UnfinishedTransfer, "transfer">> {
  const { agent, path, to, isMove, daemon } = args;
  const write = await beginAgentTransaction(tx, agent, args.at, args.actor);
  const held = await findFile(tx, agent, path);
  if (held === undefined) throw new WaypostError("not_found", "There is nothing at this path");
  assertExpected(held, args.expected);
  const begun = await findTransfer(tx, agent, to);
  if (isMove && begun?.isMove === 1 && begun.path === path) {
    await noteTransfer(tx, { ...begun, daemon });
    return { transfer: begun.transfer, modseq: held.modseq, isCreated: false };
  }
  const isCreated = !(await takePlace(write, args));
  const made = await copyRows(write, [held], () => to);
  const transfer = write.modseq;
  await noteTransfer(tx, { agent, path, to, transfer, isMove: isMove ? 1 : 0, after: "", daemon });
  return { transfer, modseq: await finishFiles(write, "add", made), isCreated };
}

export interface ContinueFolderTransfer
  extends Pick<UnfinishedTransfer, "agent" | "path" | "to" | "transfer"> {
  /** Of the request; undefined at a start. */
  readonly actor: Actor | undefined;
  /** The one who copies has failed. */
  readonly isTakenBack: boolean;
  readonly at: number;
}

/** One slice. */
export async function continueFolderTransfer(
  tx: Transaction,
  args: ContinueFolderTransfer,
): Promise<{ readonly isDone: boolean }> {
  const { agent, path, to, isTakenBack } = args;
  const write = await beginAgentTransaction(tx, agent, args.at, args.actor ?? nobody);
  const begun = await findTransfer(tx, agent, to);
  const [source, target] = [await findFile(tx, agent, path), await findFile(tx, agent, to)];
  if (begun?.transfer !== args.transfer) {
    // Somebody has finished the move, or has removed or replaced a folder of it.
    if (isTakenBack || (source === undefined && target !== undefined)) return { isDone: true };
    throw new WaypostError("precondition_failed", "The folders have changed meanwhile");
  }
  if (target !== undefined && isTakenBack && begun.isMove === 0) return takeBack(write, target);
  if (source === undefined || target === undefined) {
    await forgetTransfers(tx, agent, to);
    if (isTakenBack) return { isDone: true };
    throw new WaypostError("not_found", "The folders have changed meanwhile");
  }
  return begun.isMove === 1 ? moveSlice(write, begun, source) : copySlice(write, begun);
}

async function takeBack(write: AgentTransaction, target: FileRow): Promise<{ isDone: boolean }> {
  const last = await listLastFilesBelow(write.tx, write.agent, target.path, sliceMembersMax);
  const removed = last.length > 0 ? last : [target];
  await removeTree(write, removed);
  if (last.length === 0) await forgetTransfers(write.tx, write.agent, target.path);
  await finishFiles(write, "remove", numbersOf(removed));
  return { isDone: last.length === 0 };
}

async function copySlice(write: AgentTransaction, begun: UnfinishedTransfer): Promise<{ isDone: boolean }> {
  const rows = await listSlice(write, begun, begun.after);
  if (rows.length === 0) {
    await forgetTransfers(write.tx, write.agent, begun.to);
    return { isDone: true };
  }
  const placeOf = placesIn(begun.path, begun.to);
  const places = await Promise.all(rows.map((row) => findFile(write.tx, write.agent, placeOf(row))));
  const copied = await copyRows(
    write,
    rows.filter((_, at) => places[at] === undefined),
    placeOf,
  );
  await noteTransfer(write.tx, { ...begun, after: rows.at(-1)!.path });
  await finishFiles(write, "add", copied);
  return { isDone: false };
}

/** Files are moved. Folders are made anew at the destination, and removed when no file is in them any more. */
async function moveSlice(
  write: AgentTransaction,
  begun: UnfinishedTransfer,
  source: FileRow,
): Promise<{ isDone: boolean }> {
  const { tx, agent } = write;
  let rows = await listSlice(write, begun, begun.after);
  if (rows.length === 0) {
    const last = await listLastFilesBelow(tx, agent, begun.path, sliceMembersMax);
    if (last.every(({ mediaType }) => mediaType === null)) {
      const removed = last.length > 0 ? last : [source];
      await removeTree(write, removed);
      if (last.length === 0) await forgetTransfers(tx, agent, begun.to);
      await finishFiles(write, "remove", numbersOf(removed));
      return { isDone: last.length === 0 };
    }
    // Somebody has put a file into one of them.
    rows = await listSlice(write, begun, "");
  }
  const placeOf = placesIn(begun.path, begun.to);
  const folders: FileRow[] = [];
  const replaced: FileRow[] = [];
  const moved: FileRow[] = [];
  for (const row of rows) {
    const isTaken = (await findFile(tx, agent, placeOf(row))) !== undefined;
    if (row.mediaType !== null) (isTaken ? replaced : moved).push(row);
    else if (!isTaken) folders.push(row);
  }
  const made = await copyRows(write, folders, placeOf);
  for (const row of moved) {
    await assertFolder(write, placeOf(row));
    await moveFile(tx, agent, row, placeOf(row), write.modseq);
  }
  // By what was put at the destination since then.
  if (replaced.length > 0) await removeTree(write, replaced);
  await noteTransfer(tx, { ...begun, after: rows.at(-1)!.path });
  const changed: readonly FileNumber[] = [...made, ...numbersOf(moved), ...numbersOf(replaced)];
  await finishFiles(write, "update", changed);
  return { isDone: false };
}

/** The next members. */
async function listSlice(
  { tx, agent }: AgentTransaction,
  { path }: UnfinishedTransfer,
  after: string,
): Promise<readonly FileRow[]> {
  const rows: FileRow[] = [];
  let bytes = 0;
  for (const row of await listFilesBelow(tx, agent, path, after, sliceMembersMax)) {
    if (bytes >= sliceBytesMax) break;
    rows.push(row);
    bytes += row.size;
  }
  return rows;
}
