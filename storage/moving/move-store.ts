/** Moves a store to another engine: every row as it is, so ids, UIDs, MODSEQs, cursors and ETags stay what they are. Daemons may use the store
 *  until the last step.
 *
 *  1. The store is checked, and each change to it is written down from then on (changed-rows.ts).
 *  2. All rows are copied. The transaction of each page stores the position of the copy, so a move that was killed goes on from there.
 *  3. Rounds copy what was changed meanwhile. Each brings the copy to one snapshot of the store. After one of them the copy is compared with
 *     the store row by row, and checked, and rounds go on.
 *  4. When no daemon has the store any more, none can open it: what is left is copied, and the numbers of rows are compared. The old side is
 *     marked "left" before the new one can be opened, so both are never in use together. */
import { randomUUID } from "node:crypto";
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { pause } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { movedRowsMax } from "#/src/model/limits.ts";
import { checkStore } from "../checks/check.ts";
import type { Objects } from "../objects/objects.ts";
import { withObjects } from "../objects/with-objects.ts";
import type { Progress } from "../store.ts";
import { catchUp, countChanges } from "./changed-rows.ts";
import { findDifference } from "./compare-tables.ts";
import { insertRows, keyOf, packKey, readPage, unpackKey, withoutMark } from "./copied-rows.ts";
import { findMark, type MoveMark, removeMark, writeMark } from "./move-mark.ts";
import type { MovingSide, MovingSource, TableShape } from "./moving-side.ts";

export interface MoveReport {
  readonly tables: number;
  readonly rows: number;
  /** An earlier call had begun the copy. */
  readonly isResumed: boolean;
  /** From the moment when no daemon had the old side until the new one could be opened. */
  readonly stoppedMs: number;
}

export type MoveStep =
  | "checking"
  | "copying"
  | "catching up"
  | "comparing"
  | "checking the copy"
  /** Until the daemons on the old side are stopped. */
  | "waiting"
  | "switching";

export interface MoveSteps {
  /** Called when a step begins. */
  readonly onStep?: (step: MoveStep) => void;
  readonly onProgress?: Progress;
  /** Of both sides. */
  readonly objects?: Objects | undefined;
  /** Between two looks whether daemons have stopped. */
  readonly lookMs?: number;
}

/** Tables that are not copied: each engine has schema versions of its own, and the others describe running daemons. */
const leftOut = new Set(["schema_version", "daemon", "lease", "delivery_claim"]);

/** Changes that are left to the switch: a fraction of a second. */
const fewChanges = movedRowsMax;
/** Rounds without waiting. A store that changes faster than it is copied has more than few changes after them, and the switch takes longer. */
const roundsMax = 20;

/** Throws `precondition_failed` with a reason when a side is not in the required state; then nothing is copied. */
export async function moveStore(
  from: MovingSource,
  to: MovingSide,
  { onStep = () => {}, onProgress = () => {}, objects, lookMs = 500 }: MoveSteps = {},
): Promise<MoveReport> {
  const tables = await listSameTables(from, to);
  const schema = await findSchema(from, to);
  const earlier = await look(from, to, schema);
  if (earlier.isHandedOver) {
    await to.takePlace();
    await to.inTransaction(() => removeMark(to.sql));
    return { tables: tables.length, rows: await countRows(from, tables), isResumed: true, stoppedMs: 0 };
  }
  onStep("checking");
  const findings = await from.read((reader) => checkStore(withObjects(reader, objects), onProgress));
  if (findings.length > 0)
    throw refusal(`${from.name} is not sound, and is left as it is: ${findings.join("; ")}`);
  const id = earlier.id ?? (await begin(from, to, tables, schema));
  onStep("copying");
  const total = await countRows(from, tables);
  await copyTables(from, to, tables, id, (rows) => onProgress(rows, total));
  onStep("catching up");
  await catchUpMostly(from, to, tables);
  await to.settle();
  onStep("comparing");
  let compared = 0;
  for (const table of tables) {
    const difference = await findDifference(from, to, table, (rows) => {
      compared += rows;
      onProgress(compared, total);
    });
    if (difference !== undefined)
      throw refusal(`The copy in ${to.name} is not what ${from.name} has, and is not used: ${difference}`);
  }
  // As the last round has left it: one state of the store.
  onStep("checking the copy");
  const found = await checkStore(withObjects(to.sql, objects), onProgress);
  if (found.length > 0) throw refusal(`The copy in ${to.name} is not sound: ${found.join("; ")}`);
  for (let isTold = false; ; ) {
    await catchUpMostly(from, to, tables);
    const stopped = performance.now();
    if (await from.keepOut({ id, state: "leaving", other: to.name, schema })) {
      onStep("switching");
      const rows = await switchOver(from, to, tables, id);
      return {
        tables: tables.length,
        rows,
        isResumed: earlier.id !== undefined,
        stoppedMs: Math.round(performance.now() - stopped),
      };
    }
    if (!isTold) onStep("waiting");
    isTold = true;
    await pause(lookMs);
  }
}

/** Removes the mark, so that the store can be opened again. The unfinished copy keeps its own and cannot be opened; another move may take
 *  its place. */
export async function cancelMove(from: MovingSource): Promise<void> {
  const mark = await findMark(from.sql);
  if (mark === undefined) throw refusal(`${from.name} is not being moved`);
  if (mark.state !== "leaving" && mark.state !== "copying")
    throw refusal(
      `${from.name} cannot be used again: ${mark.state === "left" ? "it was moved to" : "it is a copy of"} ${mark.other}`,
    );
  // Without a schema no copy goes on with it: changes are not written down any more then.
  await from.inTransaction(() => writeMark(from.sql, { ...mark, schema: undefined }));
  await from.release();
  await from.inTransaction(() => removeMark(from.sql));
}

async function listSameTables(from: MovingSide, to: MovingSide): Promise<TableShape[]> {
  const [tables, others] = [await from.listTables(), await to.listTables()];
  const shape = (of: readonly TableShape[]) =>
    JSON.stringify(of.map(({ name, columns, key }) => ({ name, columns, key })));
  if (shape(tables) !== shape(others))
    throw new Error(`${from.name} and ${to.name} do not have the same tables`);
  return tables.filter(({ name }) => !leftOut.has(name));
}

/** The old side may be in use by a daemon of another version. */
async function findSchema(from: MovingSide, to: MovingSide): Promise<number> {
  const [schema, other] = await Promise.all(
    [from, to].map(({ sql }) =>
      sql.get<{ version: number }>("select max(version) as version from schema_version"),
    ),
  );
  if (schema!.version !== other!.version)
    throw refusal(
      `${from.name} has schema ${schema!.version}, and this version of Waypost ${other!.version}`,
    );
  return schema!.version;
}

interface Earlier {
  /** Of the move, when its copy can go on. */
  readonly id?: string;
  /** An earlier call had compared and checked all of it, and given the old side up. */
  readonly isHandedOver?: boolean;
}

/** What an earlier call has left. Writes nothing. */
async function look(from: MovingSide, to: MovingSide, schema: number): Promise<Earlier> {
  const leaving = await findMark(from.sql);
  const arriving = await findMark(to.sql);
  if (leaving?.state === "left" && arriving?.id === leaving.id) return { isHandedOver: true };
  if (leaving !== undefined && leaving.state !== "leaving" && leaving.state !== "copying")
    throw refusal(
      `${from.name} cannot be moved: ${leaving.state === "left" ? "it was moved to" : "it is an unfinished copy of"} ${leaving.other}`,
    );
  if (arriving !== undefined && arriving.id === leaving?.id && leaving.schema === schema)
    return { id: arriving.id };
  if (arriving === undefined && (await hasAccount(to))) throw refusal(`${to.name} has a store already`);
  // A partial copy was never used, and its original was not given up.
  if (arriving !== undefined && arriving.state !== "partial" && arriving.id !== leaving?.id)
    throw refusal(
      `${to.name} has ${arriving.state === "arriving" ? "the copy of another store" : "a store that was moved away, or is being moved"}: name an empty one`,
    );
  return {};
}

/** Marks the old side, writes down its changes from now on, and empties the new one. Answers the id of the move. */
async function begin(
  from: MovingSource,
  to: MovingSide,
  tables: readonly TableShape[],
  schema: number,
): Promise<string> {
  const id = randomUUID();
  const before = await findMark(to.sql);
  const mark: MoveMark = { id, state: "partial", other: from.name };
  // Keeps others out before a daemon is looked for, which may have made an account since the move began.
  await to.inTransaction(() => writeMark(to.sql, mark));
  const reason = await reasonAgainst(to, before);
  if (reason !== undefined) {
    await to.inTransaction(() => (before === undefined ? removeMark(to.sql) : writeMark(to.sql, before)));
    throw refusal(reason);
  }
  // An earlier copy of this store cannot go on behind this: its id is another one.
  await from.inTransaction(() => writeMark(from.sql, { id, state: "copying", other: to.name }));
  await from.capture(tables);
  await to.inTransaction(async () => {
    for (const { name } of tables) await to.sql.run(`delete from ${name}`);
    await writeMark(to.sql, mark);
  });
  // With the schema the copy can go on after a kill.
  await from.inTransaction(() => writeMark(from.sql, { id, state: "copying", other: to.name, schema }));
  return id;
}

async function reasonAgainst(to: MovingSide, before: MoveMark | undefined): Promise<string | undefined> {
  if (await to.isInUse()) return `A daemon runs on ${to.name}: stop it first`;
  return before === undefined && (await hasAccount(to)) ? `${to.name} has a store already` : undefined;
}

async function hasAccount({ sql }: MovingSide): Promise<boolean> {
  return (await sql.get("select 1 from account limit 1")) !== undefined;
}

/** Without the mark. */
async function countRows(side: MovingSide, tables: readonly TableShape[]): Promise<number> {
  let rows = 0;
  for (const { name } of tables) rows += await countOf(side, name);
  return rows - 1;
}

async function countOf({ sql }: MovingSide, table: string): Promise<number> {
  return (await sql.get<{ count: number }>(`select count(*) as count from ${table}`))!.count;
}

async function copyTables(
  from: MovingSource,
  to: MovingSide,
  tables: readonly TableShape[],
  id: string,
  onProgress: (rows: number) => void,
): Promise<void> {
  const mark: MoveMark = { id, state: "partial", other: from.name };
  const reached = (await findMark(to.sql))?.reached;
  if (reached === "whole") return;
  let copied = 0;
  for (const table of tables) {
    if (reached !== undefined && table.name < reached.table) continue;
    let after = reached?.table === table.name ? unpackKey(reached.key) : undefined;
    for (;;) {
      const page = await from.read((reader) => readPage(reader, table, after));
      if (page.length === 0) break;
      const key = keyOf(table, page.at(-1)!);
      await to.inTransaction(async () => {
        // A row that has a unique value of an older one was changed after that was read: a round brings it.
        await insertRows(to.sql, table, withoutMark(table, page), { isFirst: true });
        await writeMark(to.sql, { ...mark, reached: { table: table.name, key: packKey(key) } });
      });
      after = key;
      copied += page.length;
      onProgress(copied);
      await nextTurn();
    }
  }
  await to.inTransaction(() => writeMark(to.sql, { ...mark, reached: "whole" }));
}

/** Rounds until few changes are left, one at least: the copy is one state of the store then. */
async function catchUpMostly(
  from: MovingSource,
  to: MovingSide,
  tables: readonly TableShape[],
): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    await catchUp(from, to, tables);
    if ((await countChanges(from.sql, tables)) <= fewChanges) return;
  }
}

/** Nobody changes the old side any more. Answers the number of rows. If the process is killed before the end, neither side can be opened, and
 *  the next call finishes the move. */
async function switchOver(
  from: MovingSource,
  to: MovingSide,
  tables: readonly TableShape[],
  id: string,
): Promise<number> {
  await catchUp(from, to, tables);
  if ((await countChanges(from.sql, tables)) > 0)
    throw refusal(`${from.name} was changed while it was kept from being opened; call waypost move again`);
  let rows = 0;
  for (const { name } of tables) {
    const count = await countOf(from, name);
    if (count !== (await countOf(to, name)))
      throw refusal(`The copy in ${to.name} has another number of rows in ${name} than ${from.name}`);
    rows += count;
  }
  await to.inTransaction(() =>
    writeMark(to.sql, { id, state: "arriving", other: from.name, reached: "whole" }),
  );
  await from.inTransaction(() => writeMark(from.sql, { id, state: "left", other: to.name }));
  await to.takePlace();
  await to.inTransaction(() => removeMark(to.sql));
  return rows - 1;
}

function refusal(sentence: string): WaypostError {
  return new WaypostError("precondition_failed", sentence);
}
