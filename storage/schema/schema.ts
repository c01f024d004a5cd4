/** Every table with its columns, as the migrations leave them. */
import type { SqlValue } from "../sql.ts";
import { accountsTables } from "./accounts.ts";
import { collectionsTables } from "./collections.ts";
import type { Column, Journey } from "./column.ts";
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

/** The columns of a table that have the same values after all of the journeys. */
export function carriedColumns(table: TableName, ...journeys: readonly Journey[]): string[] {
  const columns: Readonly<Record<string, Column<SqlValue>>> = schema[table];
  return Object.entries(columns)
    .filter(([, { fates }]) => journeys.every((journey) => fates[journey] === "carried"))
    .map(([column]) => column);
}

/** What a column holds. */
export type Held<C> = C extends Column<infer V> ? V : never;
