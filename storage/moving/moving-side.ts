/** One of the two stores of a move, as its engine shows it. */
import type { Sql } from "../sql.ts";

export interface TableShape {
  readonly name: string;
  /** In the order of their names. */
  readonly columns: readonly string[];
  /** Those of text and octets, whose values may be long. */
  readonly longColumns: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
}

export interface MovingSide extends AsyncDisposable {
  /** As a sentence calls it, without a password. */
  readonly name: string;
  readonly sql: Sql;
  /** Every table of the store, in the order of their names. */
  listTables(): Promise<TableShape[]>;
  /** Whole and on the disk when it resolves, or not at all. */
  inTransaction(run: () => Promise<void>): Promise<void>;
  /** Whether a daemon gives signs of life. Where that cannot be seen, a lock keeps daemons away. */
  isInUse(): Promise<boolean>;
  /** After the last row: what the engine needs for good plans, or to have everything in its place. */
  settle(): Promise<void>;
}

/** Of tables with the columns that each engine lists. */
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
