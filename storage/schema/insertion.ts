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
  /** Texts for one row, by what follows it. A text that is made anew is hashed anew when its statement is looked up. */
  readonly ofOne: Map<string, string>;
}

const forms = new Map<TableName, Form>();

function formOf(table: TableName): Form {
  let form = forms.get(table);
  if (form === undefined) {
    const columns = Object.keys(schema[table]);
    const begin = `insert into ${table} (${columns.join(", ")}) values `;
    form = { columns, begin, places: `(${columns.map(() => "?").join(", ")})`, ofOne: new Map() };
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
  const form = formOf(table);
  const { columns } = form;
  const list = (Array.isArray(rows) ? rows : [rows]) as readonly Readonly<Record<string, SqlValue>>[];
  const parameters: SqlValue[] = [];
  for (const row of list) for (const column of columns) parameters.push(row[column]!);
  return [textOf(form, list.length, further), ...parameters];
}

function textOf({ begin, places, ofOne }: Form, count: number, further: string): string {
  if (count > 1) return `${begin}${Array(count).fill(places).join(", ")} ${further}`;
  let text = ofOne.get(further);
  if (text === undefined) {
    text = `${begin}${places} ${further}`;
    ofOne.set(further, text);
  }
  return text;
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
