/** What the columns say about their journeys. */
import type { Column, Journey } from "#/storage/schema/column.ts";
import { schema, type TableName } from "#/storage/schema/schema.ts";
import type { SqlValue } from "#/storage/sql.ts";

export function carriedColumns(table: TableName, ...journeys: readonly Journey[]): string[] {
  const columns: Readonly<Record<string, Column<SqlValue>>> = schema[table];
  return Object.entries(columns)
    .filter(([, { fates }]) => journeys.every((journey) => fates[journey] === "carried"))
    .map(([column]) => column);
}
