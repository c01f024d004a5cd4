/** The select list of a row: each member with its column, so that leaving out either does not compile, nor does a column that holds something
 *  else. Statements are written around it by hand. */
import type { SqlValue } from "../sql.ts";
import type { Held, Schema, TableName } from "./schema.ts";

/** SQL that is no column, for a member that holds `V`. */
export interface Expression<V extends SqlValue> {
  readonly sql: string;
  /** For the compiler alone. */
  readonly holds?: V;
}

export function expression<V extends SqlValue>(sql: string): Expression<V> {
  return { sql };
}

/** A null must be expected. A member may know more of a value than the column does: which numbers, which words. */
type Holds<Column, V> = [V] extends [Held<Column>]
  ? null extends Held<Column>
    ? null extends V
      ? true
      : false
    : true
  : false;

type ColumnOf<Table extends TableName, V> = Table extends TableName
  ? {
      [Name in keyof Schema[Table] & string]: [Holds<Schema[Table][Name], V>] extends [true]
        ? `${Table}.${Name}`
        : never;
    }[keyof Schema[Table] & string]
  : never;

export type SelectList<Row, Table extends TableName> = {
  readonly [Member in keyof Row]-?: ColumnOf<Table, Row[Member]> | Expression<Extract<Row[Member], SqlValue>>;
};

/** Text such as `message.message_id as "message", message.size`. */
export function selectList<Row, Table extends TableName>(list: SelectList<Row, Table>): string {
  return selectItems(list).join(", ");
}

/** The same, one by one. */
export function selectItems<Row, Table extends TableName>(list: SelectList<Row, Table>): string[] {
  return Object.entries<string | Expression<SqlValue>>(list).map(([member, value]) => {
    const sql = typeof value === "string" ? value : value.sql;
    return sql.endsWith(`.${member}`) ? sql : `${sql} as "${member}"`;
  });
}

type ColumnsIn<List> = {
  [Member in keyof List]: List[Member] extends `${string}.${infer Name}` ? Name : never;
}[keyof List];

type LeftOut<Table extends TableName, List> = Readonly<
  Record<Exclude<keyof Schema[Table] & string, ColumnsIn<List>>, string>
>;

/** The select list of a row that stands for the whole object. Each column that it has no member for is named with the reason, so a column
 *  that is added does not compile before it is read, or is said not to be. */
export function wholeRow<Row, Table extends TableName>() {
  return <const List extends SelectList<Row, Table>>(
    list: List & Readonly<Record<Exclude<keyof List, keyof Row>, never>>,
    _leftOut: LeftOut<Table, List>,
  ): string => selectList<Row, Table>(list);
}
