/** Every table with its columns, as the migrations leave them. */
import type { SqlValue } from "../sql.ts";
import { accountsTables } from "./accounts.ts";
import { collectionsTables } from "./collections.ts";
import type { Column } from "./column.ts";
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

/** What a column holds. */
export type Held<C> = C extends Column<infer V> ? V : never;
