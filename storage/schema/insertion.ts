/** `insert` of rows that have every column of their table, so that a column that is added does not compile before each insert of it says
 *  what a new row has. */
import type { SqlValue } from "../sql.ts";
import { type Held, type Schema, schema, type TableName } from "./schema.ts";

export type NewRow<Table extends TableName> = {
  readonly [Name in keyof Schema[Table]]: Held<Schema[Table][Name]>;
};

interface Form {
  readonly columns: readonly string[];
  readonly begin: string;
  readonly places: string;
}

const forms = new Map<TableName, Form>();

function formOf(table: TableName): Form {
  let form = forms.get(table);
  if (form === undefined) {
    const columns = Object.keys(schema[table]);
    const begin = `insert into ${table} (${columns.join(", ")}) values `;
    form = { columns, begin, places: `(${columns.map(() => "?").join(", ")})` };
    forms.set(table, form);
  }
  return form;
}

/** The statement and its parameters. `further` is what follows the rows: `on conflict …`, `returning …`. */
export function insertion<Table extends TableName>(
  table: Table,
  rows: NewRow<Table> | readonly NewRow<Table>[],
  further = "",
): [query: string, ...parameters: SqlValue[]] {
  const { columns, begin, places } = formOf(table);
  const list = (Array.isArray(rows) ? rows : [rows]) as readonly Readonly<Record<string, SqlValue>>[];
  const parameters: SqlValue[] = [];
  for (const row of list) for (const column of columns) parameters.push(row[column]!);
  return [`${begin}${list.map(() => places).join(", ")} ${further}`, ...parameters];
}

/** The same for one row, which replaces the row that has its key already. */
export function replacement<Table extends TableName>(
  table: Table,
  row: NewRow<Table>,
  ...key: readonly (keyof Schema[Table] & string)[]
): [query: string, ...parameters: SqlValue[]] {
  const others = formOf(table).columns.filter((column) => !(key as readonly string[]).includes(column));
  const set = others.map((column) => `${column} = excluded.${column}`).join(", ");
  return insertion(table, row, `on conflict (${key.join(", ")}) do update set ${set}`);
}
