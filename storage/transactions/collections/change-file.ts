import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, FileNumber, Modseq } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "../../queries/collections/collections.ts";
import { type FileRow, findFile, listLastFilesBelow } from "../../queries/collections/files.ts";
import type { Transaction } from "../../sql.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { changeDeadProperties } from "../../writing/collections/dead-properties.ts";
import {
  type FileContent,
  insertContent,
  insertFile,
  moveFile,
  replaceContent,
} from "../../writing/collections/file-rows.ts";
import {
  assertExpected,
  assertFolder,
  assertPathFits,
  copyRows,
  finishFiles,
  listTree,
  numbersOf,
  placesIn,
  removeTree,
  sliceMembersMax,
  taken,
  takePlace,
  tooMany,
} from "../../writing/collections/file-tree.ts";
import { findTransfer, forgetTransfers } from "../../writing/collections/unfinished-transfers.ts";

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
  /** `trim`: a slice of a folder that is too large for one write, its last members. */
  | {
      readonly kind: "remove" | "trim";
      readonly path: string;
      readonly expected: FileExpectation;
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
}

/** The one write of files and folders: each action with everything below its path, all or nothing; a folder with more members than one
 *  write changes is trimmed in slices, or copied and moved as `transfer-folder.ts` does it. Refuses not_found, precondition_failed,
 *  over_quota, limit_reached, too_large. */
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
  assertExpected(held, action.expected);
  if ("to" in action)
    return transfer(write, action, await listTree(write, held, action.kind === "move" || action.isDeep));
  const isSlice = action.kind === "trim";
  const rows = isSlice
    ? await listLastFilesBelow(tx, args.agent, action.path, sliceMembersMax)
    : await listTree(write, held, true);
  await removeTree(write, rows);
  await forgetTransfers(tx, args.agent, action.path);
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

/** COPY and MOVE (RFC 4918 sections 9.8 and 9.9). */
async function transfer(
  write: AgentTransaction,
  action: Extract<FileAction, { readonly kind: "copy" | "move" }>,
  rows: readonly FileRow[],
): Promise<ChangedFile> {
  const { kind, path, to } = action;
  const placeOf = placesIn(path, to);
  const begun = await findTransfer(write.tx, write.agent, to);
  // Its destination has files of the source alone, which are not overwritten.
  if (begun?.path === path && begun.isMove === 1) throw tooMany();
  if (kind === "move") for (const row of rows) assertPathFits(placeOf(row));
  const isCreated = !(await takePlace(write, action));
  if (kind === "copy") return finish(write, "add", await copyRows(write, rows, placeOf), isCreated);
  for (const row of rows) await moveFile(write.tx, write.agent, row, placeOf(row), write.modseq);
  await forgetTransfers(write.tx, write.agent, path);
  return finish(write, "update", numbersOf(rows), isCreated);
}

async function finish(
  write: AgentTransaction,
  operation: "add" | "update" | "remove",
  files: readonly FileNumber[],
  isCreated: boolean,
): Promise<ChangedFile> {
  return { modseq: await finishFiles(write, operation, files), isCreated };
}
