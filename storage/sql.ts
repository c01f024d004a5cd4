/** The one door to a database engine. Every text of SQL in the product goes through these four verbs, keeps to what SQLite
 *  and PostgreSQL both understand (README, "SQL subset") and marks its parameters with `?`. */
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Objects } from "./objects/objects.ts";

export type SqlValue = string | number | bigint | Uint8Array | null;

export interface Sql {
  /** The first row, or undefined. */
  get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined>;
  all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]>;
  /** The one column of all rows, without an object for each: for many numbers. */
  column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]>;
  /** The number of rows changed. */
  run(query: string, ...parameters: SqlValue[]): Promise<number>;
  /** For a statement whose number nobody needs. In a transaction it is carried out in its turn and, where that would be a round trip, not
   *  waited for: if it fails, what comes after it in the transaction fails too. */
  send(query: string, ...parameters: SqlValue[]): Promise<void>;
}

export interface Reader extends Pick<Sql, "get" | "all" | "column"> {
  /** Where bodies are that are in no row. */
  readonly objects?: Objects | undefined;
}

/** What a named write is given. */
export interface Transaction extends Sql {
  /** Rings the doorbell after the commit: the log of an agent now reaches to `modseq`. */
  touch(agent: AgentNumber, modseq: Modseq): void;
  /** Leaves work for the store's idle time: something was made unreachable that is still to be freed. */
  sweepLater(): void;
}

/** An expression for the octets of a column that are ASCII as a rule. SQLite gives them as text, which takes a third of the time of an
 *  array; `octet-text.ts` says whether the text is what is stored. PostgreSQL gives them as they are. */
export function octetText(column: string): string {
  return `octet_text(${column})`;
}

/** What `octetText` becomes in a statement. */
export function withOctetText(query: string, expressionOf: (column: string) => string): string {
  return query.replaceAll(/\boctet_text\(([\w.]+)\)/g, (_, column: string) => expressionOf(column));
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

/** Statements of a transaction that are sent before the answers of those before them have come. Ends when all have ended, also when one has
 *  failed: nothing of a write goes on after its failure. */
export async function together<const T extends readonly unknown[]>(
  work: { readonly [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as T;
}
