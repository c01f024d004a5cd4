/** The one door to a database engine. Every text of SQL in the product goes through these four verbs, keeps to what SQLite
 *  and PostgreSQL both understand (README, "SQL subset") and marks its parameters with `?`. */
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";

export type SqlValue = string | number | bigint | Uint8Array | null;

export interface Sql {
  /** The first row, or undefined. */
  get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined>;
  all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]>;
  /** The one column of all rows, without an object for each: for many numbers. */
  column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]>;
  /** The number of rows changed. */
  run(query: string, ...parameters: SqlValue[]): Promise<number>;
}

export type Reader = Pick<Sql, "get" | "all" | "column">;

/** What a named write is given. */
export interface Transaction extends Sql {
  /** Rings the doorbell after the commit: the log of an agent now reaches to `modseq`. */
  touch(agent: AgentNumber, modseq: Modseq): void;
  /** Leaves work for the store's idle time: something was made unreachable that is still to be freed. */
  sweepLater(): void;
}

/** Places for a list of parameters: "?,?,?,?". */
export function placesFor(values: readonly unknown[]): string {
  return Array(values.length).fill("?").join(",");
}

/** A list for `in (…)`, padded to a power of two by repeating its last value, so that few texts of SQL exist. Not empty. */
export function paddedList<T extends SqlValue>(values: readonly T[]): T[] {
  let size = 1;
  while (size < values.length) size *= 2;
  return [...values, ...Array<T>(size - values.length).fill(values.at(-1)!)];
}
