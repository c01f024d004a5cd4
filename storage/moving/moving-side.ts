/** The interface of an engine to the two stores of a move. */
import type { Reader, Sql } from "../sql.ts";
import type { MoveMark } from "./move-mark.ts";

export interface TableShape {
  readonly name: string;
  /** All columns, in the order of their names. */
  readonly columns: readonly string[];
  /** Columns of text and octets, whose values may be long. */
  readonly longColumns: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** Their types: bigint, text or bytea. */
  readonly keyTypes: readonly string[];
}

export interface MovingSide extends AsyncDisposable {
  /** The name of the store for people, without a password. */
  readonly name: string;
  readonly sql: Sql;
  /** Every table of the store, in the order of their names. */
  listTables(): Promise<TableShape[]>;
  /** Runs `run` in one transaction, which is durable when the promise resolves. */
  inTransaction(run: () => Promise<void>): Promise<void>;
  /** Whether a daemon writes heartbeats. On an engine without them a lock keeps daemons away. */
  isInUse(): Promise<boolean>;
  /** Called after the last row: statistics for query plans, and a checkpoint where the engine needs one. */
  settle(): Promise<void>;
  /** Called when the former store is given up, and the copy is still marked. Called again after a kill. */
  takePlace(): Promise<void>;
}

/** The side that is copied. Daemons may write to it meanwhile. */
export interface MovingSource extends MovingSide {
  /** Runs `run` over one snapshot. */
  read<R>(run: (reader: Reader) => Promise<R>): Promise<R>;
  /** From now on each transaction that changes a row of these tables writes the key of the row down (changed-rows.ts). Keys that an earlier
   *  capture has left are forgotten. */
  capture(tables: readonly TableShape[]): Promise<void>;
  /** Ends the capture. */
  release(): Promise<void>;
  /** Removes keys that were written down, unless their rows were changed again: their stamps are others then. */
  forget(table: TableShape, changes: readonly ChangedKey[]): Promise<void>;
  /** False while a daemon has the store. After true there is none, `mark` is written, and none can open the store or change a row. */
  keepOut(mark: MoveMark): Promise<boolean>;
}

export type ChangedKey = Readonly<Record<string, number | string | Uint8Array | null>> & {
  /** How many changes were written down since the key was forgotten last. */
  readonly stamp: number;
};

/** Names of tables that are there while a store is moved begin so. */
const changesPrefix = "moved_";

/** The table with the keys of changed rows of a table. */
export function changesOf(table: string): string {
  return `${changesPrefix}${table}`;
}

/** The shapes of tables, from the list of columns of an engine. */
export function shapesOf(
  columns: readonly {
    readonly table: string;
    readonly column: string;
    readonly type: string;
    /** From 1; 0 for a column that is in no key. */
    readonly keyPlace: number;
  }[],
): TableShape[] {
  const tables = Map.groupBy(columns, ({ table }) => table);
  return [...tables]
    .filter(([name]) => !name.startsWith(changesPrefix))
    .sort(byName)
    .map(([name, own]) => {
      const key = own.filter(({ keyPlace }) => keyPlace > 0).sort((a, b) => a.keyPlace - b.keyPlace);
      return {
        name,
        columns: own.map(({ column }) => column).sort(),
        longColumns: own.filter(({ type }) => type !== "bigint").map(({ column }) => column),
        key: key.map(({ column }) => column),
        keyTypes: key.map(({ type }) => type),
      };
    });
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** A quoted column name, because names such as `key` and `at` are keywords of SQL. */
export function quoted(column: string): string {
  return `"${column}"`;
}
