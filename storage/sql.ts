/** The interface of a database engine. All SQL of the product outside the engines goes through these methods. It uses only what SQLite
 *  and PostgreSQL both understand (README, "SQL subset") and marks its parameters with `?`. */
import type { AccountNumber, AgentNumber, BlobNumber, Modseq } from "#/src/model/numbers.ts";
import type { WritingAuthor } from "./author-row.ts";
import type { Objects } from "./objects/objects.ts";

export type SqlValue = string | number | bigint | Uint8Array | null;

export interface Sql {
  /** The first row, or undefined. */
  get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined>;
  all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]>;
  /** The single column of all rows, without an object for each row: for many numbers. */
  column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]>;
  /** The number of rows changed. */
  run(query: string, ...parameters: SqlValue[]): Promise<number>;
  /** Runs a statement without answering the number of rows. In a transaction it runs in order; on an engine with round trips it is not
   *  waited for. If it fails, every later statement of the transaction fails too. */
  send(query: string, ...parameters: SqlValue[]): Promise<void>;
}

export interface Reader extends Pick<Sql, "get" | "all" | "column"> {
  /** Where bodies are that are in no row. */
  readonly objects?: Objects | undefined;
  /** Those of the keys of a mailbox's references (`src/model/likeness.ts`) that may have a row; absent where nobody keeps account of it. */
  nearKeys?(agent: AgentNumber, keys: readonly string[]): Promise<readonly string[]>;
}

/** The transaction that a named write gets. */
export interface Transaction extends Sql {
  /** Who makes the change; undefined for the server. */
  readonly by: WritingAuthor | undefined;
  /** Notifies listeners after the commit: the log of an agent now ends at `modseq`. */
  touch(agent: AgentNumber, modseq: Modseq): void;
  /** The number of a new blob; each is given once. Throws not_found if there is no such account. */
  takeBlobNumber(account: AccountNumber): Promise<BlobNumber>;
  /** Starts the sweep when the store is idle: rows have become unreachable and have to be deleted. */
  sweepLater(): void;
}

/** An expression for the octets of a column that are ASCII as a rule. SQLite gives them as text, which takes a third of the time of an
 *  array; `octet-text.ts` says whether the text is what is stored. PostgreSQL gives them as they are. */
export function octetText(column: string): string {
  return `octet_text(${column})`;
}

/** Replaces each `octetText` of a statement by the expression of the engine. */
export function withOctetText(query: string, expressionOf: (column: string) => string): string {
  return query.replaceAll(/\boctet_text\(([\w.]+)\)/g, (_, column: string) => expressionOf(column));
}

/** Placeholders for a list of parameters: "?,?,?,?". */
export function placesFor(values: readonly unknown[]): string {
  return Array(values.length).fill("?").join(",");
}

/** A list for `in (…)`, padded to a power of two by repeating its last value, so that few texts of SQL exist. Not empty. */
export function paddedList<T extends SqlValue>(values: readonly T[]): T[] {
  let size = 1;
  while (size < values.length) size *= 2;
  return [...values, ...Array<T>(size - values.length).fill(values.at(-1)!)];
}

/** Runs statements of a transaction without waiting for the results of earlier ones. Ends when all have ended, also when one has failed, so
 *  that no statement of a write runs after its failure. */
export async function together<const T extends readonly unknown[]>(
  work: { readonly [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as T;
}
