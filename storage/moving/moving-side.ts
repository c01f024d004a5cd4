/** The interface of an engine to one of the two stores of a move. */
import type { Sql } from "../sql.ts";

export interface TableShape {
  readonly name: string;
  /** All columns, in the order of their names. */
  readonly columns: readonly string[];
  /** Columns of text and octets, whose values may be long. */
  readonly longColumns: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
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
  return [...tables].sort(byName).map(([name, own]) => ({
    name,
    columns: own.map(({ column }) => column).sort(),
    longColumns: own.filter(({ type }) => type !== "bigint").map(({ column }) => column),
    key: own
      .filter(({ keyPlace }) => keyPlace > 0)
      .sort((a, b) => a.keyPlace - b.keyPlace)
      .map(({ column }) => column),
  }));
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
