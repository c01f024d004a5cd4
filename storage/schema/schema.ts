/** Every table with its columns, as the migrations leave them. */
import type { SqlValue } from "../sql.ts";
import { accountsTables } from "./accounts.ts";
import { collectionsTables } from "./collections.ts";
import type { Column, Fates, Journey } from "./column.ts";
import { mailTables } from "./mail.ts";
import { outboundTables } from "./outbound.ts";
import { serverTables } from "./server.ts";

export const schema = {
  ...mailTables,
  ...collectionsTables,
  ...accountsTables,
  ...outboundTables,
  ...serverTables,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Column<SqlValue>>>>>;

export type Schema = typeof schema;
export type TableName = keyof Schema;

const columnsOf = (table: TableName): Readonly<Record<string, Column<SqlValue>>> => schema[table];

export function fatesOf(table: TableName, column: string): Fates {
  return columnsOf(table)[column]!.fates;
}

/** The columns of a table that have the same values after all of the journeys. */
export function carriedColumns(table: TableName, ...journeys: readonly Journey[]): string[] {
  return Object.entries(columnsOf(table))
    .filter(([, { fates }]) => journeys.every((journey) => fates[journey] === "carried"))
    .map(([column]) => column);
}

/** What a column holds. */
export type Held<C> = C extends Column<infer V> ? V : never;
