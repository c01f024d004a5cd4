/** Moves a store to another engine: every row as it is, so ids, UIDs, MODSEQs, cursors and ETags stay what they are. No daemon runs on either
 *  side meanwhile.
 *
 *  Both sides are marked before the first row is copied, and nothing else opens a marked store. The transaction of each page stores the
 *  position of the copy, so a move that was killed goes on from there. The old side is marked "left" before the new one can be opened, so
 *  both are never in use together. */
import { randomUUID } from "node:crypto";
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { checkStore } from "../check.ts";
import type { Objects } from "../objects/objects.ts";
import { withObjects } from "../objects/with-objects.ts";
import type { Progress } from "../store.ts";
import {
  findDifference,
  insertRows,
  keyOf,
  packKey,
  readPage,
  unpackKey,
  withoutMark,
} from "./copied-rows.ts";
import { findMark, type MoveMark, removeMark, writeMark } from "./move-mark.ts";
import type { MovingSide, TableShape } from "./moving-side.ts";

export interface MoveReport {
  readonly tables: number;
  readonly rows: number;
  /** An earlier call had begun the copy. */
  readonly isResumed: boolean;
}

export interface MoveSteps {
  /** Called when a step begins. */
  readonly onStep?: (step: "checking" | "copying" | "comparing" | "checking the copy") => void;
  readonly onProgress?: Progress;
  /** Of both sides. */
  readonly objects?: Objects | undefined;
}

/** Tables that are not copied: each engine has schema versions of its own, and the others describe running daemons, of which there are
 *  none. */
const leftOut = new Set(["schema_version", "daemon", "lease", "delivery_claim"]);

/** Throws `precondition_failed` with a reason when a side is not in the required state; then nothing is copied. */
export async function moveStore(
  from: MovingSide,
  to: MovingSide,
  { onStep = () => {}, onProgress = () => {}, objects }: MoveSteps = {},
): Promise<MoveReport> {
  const tables = await listSameTables(from, to);
  const { id, isHandedOver } = await begin(from, to);
  if (isHandedOver) {
    await removeMark(to.sql);
    return { tables: tables.length, rows: await countRows(from, tables), isResumed: true };
  }
  const arriving = await findMark(to.sql);
  const isResumed = arriving?.reached !== undefined;
  if (await from.isInUse()) {
    if (arriving === undefined) await removeMark(from.sql);
    throw refusal(`A daemon runs on ${from.name}: stop it first`);
  }
  onStep("checking");
  const findings = await checkStore(withObjects(from.sql, objects), onProgress);
  if (findings.length > 0) {
    if (arriving === undefined) await removeMark(from.sql);
    throw refusal(`${from.name} is not sound, and is left as it is: ${findings.join("; ")}`);
  }
  if (!isResumed) await take(from, to, tables, { id, isFirst: arriving === undefined });
  const total = await countRows(from, tables);
  onStep("copying");
  await copyTables(from, to, tables, id, (rows) => onProgress(rows, total));
  await to.settle();
  onStep("comparing");
  let compared = 0;
  for (const table of tables) {
    const difference = await findDifference(from.sql, to.sql, table, (rows) => {
      compared += rows;
      onProgress(compared, total);
    });
    if (difference !== undefined)
      throw refusal(`The copy in ${to.name} is not what ${from.name} has, and is not used: ${difference}`);
  }
  onStep("checking the copy");
  const found = await checkStore(withObjects(to.sql, objects), onProgress);
  if (found.length > 0) throw refusal(`The copy in ${to.name} is not sound: ${found.join("; ")}`);
  await handOver(from, to, id);
  return { tables: tables.length, rows: total, isResumed };
}

/** Removes the mark, so that the store can be opened again. The unfinished copy keeps its mark and cannot be opened. */
export async function cancelMove(from: MovingSide): Promise<void> {
  const mark = await findMark(from.sql);
  if (mark === undefined) throw refusal(`${from.name} is not being moved`);
  if (mark.state !== "leaving")
    throw refusal(
      `${from.name} cannot be used again: ${mark.state === "left" ? "it was moved to" : "it is a copy of"} ${mark.other}`,
    );
  await removeMark(from.sql);
}

async function listSameTables(from: MovingSide, to: MovingSide): Promise<TableShape[]> {
  const [tables, others] = [await from.listTables(), await to.listTables()];
  const shape = (of: readonly TableShape[]) =>
    JSON.stringify(of.map(({ name, columns, key }) => ({ name, columns, key })));
  if (shape(tables) !== shape(others))
    throw new Error(`${from.name} and ${to.name} do not have the same tables`);
  return tables.filter(({ name }) => !leftOut.has(name));
}

interface Begun {
  /** Of the move. */
  readonly id: string;
  /** An earlier call had compared and checked all of it, and given the old side up. */
  readonly isHandedOver: boolean;
}

/** Marks the old side, or finds the mark of an earlier call. */
async function begin(from: MovingSide, to: MovingSide): Promise<Begun> {
  const leaving = await findMark(from.sql);
  const arriving = await findMark(to.sql);
  if (leaving?.state === "left" && arriving?.id === leaving.id) return { id: leaving.id, isHandedOver: true };
  if (leaving !== undefined && leaving.state !== "leaving")
    throw refusal(
      `${from.name} cannot be moved: ${leaving.state === "left" ? "it was moved to" : "it is an unfinished copy of"} ${leaving.other}`,
    );
  if (arriving !== undefined && arriving.id !== leaving?.id)
    throw refusal(
      `${to.name} has ${arriving.state === "arriving" ? "an unfinished copy of another store, or of another time" : "a store that was moved away"}: name an empty one`,
    );
  if (arriving === undefined && (await hasAccount(to))) throw refusal(`${to.name} has a store already`);
  if (leaving !== undefined) return { id: leaving.id, isHandedOver: false };
  const id = randomUUID();
  await writeMark(from.sql, { id, state: "leaving", other: to.name });
  return { id, isHandedOver: false };
}

/** Deletes the rows that a new store has, such as its secret. A daemon may run on it and have made an account since the move began: the
 *  mark keeps others out first, then it is looked for, and then nothing is deleted. */
async function take(
  from: MovingSide,
  to: MovingSide,
  tables: readonly TableShape[],
  { id, isFirst }: { readonly id: string; readonly isFirst: boolean },
): Promise<void> {
  const mark: MoveMark = { id, state: "arriving", other: from.name };
  await writeMark(to.sql, mark);
  const reason = await reasonAgainst(to);
  if (reason !== undefined) {
    if (isFirst) {
      await removeMark(to.sql);
      await removeMark(from.sql);
    }
    throw refusal(reason);
  }
  await to.inTransaction(async () => {
    for (const { name } of tables) await to.sql.run(`delete from ${name}`);
    await writeMark(to.sql, mark);
  });
}

async function reasonAgainst(to: MovingSide): Promise<string | undefined> {
  if (await to.isInUse()) return `A daemon runs on ${to.name}: stop it first`;
  return (await hasAccount(to)) ? `${to.name} has a store already` : undefined;
}

async function hasAccount({ sql }: MovingSide): Promise<boolean> {
  return (await sql.get("select 1 from account limit 1")) !== undefined;
}

async function countRows({ sql }: MovingSide, tables: readonly TableShape[]): Promise<number> {
  let rows = 0;
  for (const { name } of tables)
    rows += (await sql.get<{ count: number }>(`select count(*) as count from ${name}`))!.count;
  return rows - 1;
}

async function copyTables(
  from: MovingSide,
  to: MovingSide,
  tables: readonly TableShape[],
  id: string,
  onProgress: (rows: number) => void,
): Promise<void> {
  const reached = (await findMark(to.sql))?.reached;
  let copied = 0;
  for (const table of tables) {
    if (reached !== undefined && table.name < reached.table) continue;
    let after = reached?.table === table.name ? unpackKey(reached.key) : undefined;
    for (;;) {
      const page = await readPage(from.sql, table, after);
      if (page.length === 0) break;
      const key = keyOf(table, page.at(-1)!);
      const mark: MoveMark = {
        id,
        state: "arriving",
        other: from.name,
        reached: { table: table.name, key: packKey(key) },
      };
      await to.inTransaction(async () => {
        await insertRows(to.sql, table, withoutMark(table, page));
        await writeMark(to.sql, mark);
      });
      after = key;
      copied += page.length;
      onProgress(copied);
      await nextTurn();
    }
  }
}

/** Marks the old side "left" first. If the process is killed in between, neither side can be opened, and the next call finishes the move. */
async function handOver(from: MovingSide, to: MovingSide, id: string): Promise<void> {
  await writeMark(from.sql, { id, state: "left", other: to.name });
  await removeMark(to.sql);
}

function refusal(sentence: string): WaypostError {
  return new WaypostError("precondition_failed", sentence);
}
