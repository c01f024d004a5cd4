/** Rows of a table, in pages by key: read, and written elsewhere. */
import { movedBytesMax, movedRowsMax } from "#/src/model/limits.ts";
import type { Reader, Sql, SqlValue } from "../sql.ts";
import { type KeyValue, markName } from "./move-mark.ts";
import { quoted, type TableShape } from "./moving-side.ts";

export type Row = Readonly<Record<string, SqlValue>>;

/** Rows of one insert statement. */
const statementRows = 32;

/** At most `movedRowsMax` rows and about `movedBytesMax` at once, or one row that is longer. */
export async function readPage(
  sql: Reader,
  table: TableShape,
  after: readonly SqlValue[] | undefined,
): Promise<Row[]> {
  const rows = await countPage(sql, table, after);
  return rows === 0 ? [] : selectRows(sql, table, after, rows);
}

async function selectRows(
  sql: Reader,
  table: TableShape,
  after: readonly SqlValue[] | undefined,
  limit: number,
): Promise<Row[]> {
  const { where, order } = behind(table, after);
  return await sql.all<Row>(
    `select ${table.columns.map(quoted).join(", ")}
    from ${table.name}${where}
    order by ${order}
    limit ?`,
    ...(after ?? []),
    limit,
  );
}

/** The number of rows that fit into one page. Only their lengths are read, so that long values are not loaded twice. */
async function countPage(
  sql: Reader,
  table: TableShape,
  after: readonly SqlValue[] | undefined,
): Promise<number> {
  const { where, order } = behind(table, after);
  const lengths = table.longColumns.map((column) => `coalesce(length(${quoted(column)}), 0)`);
  const sizes = await sql.column<number>(
    `select ${["0", ...lengths].join(" + ")} as size
    from ${table.name}${where}
    order by ${order}
    limit ?`,
    ...(after ?? []),
    movedRowsMax,
  );
  let bytes = 0;
  let rows = 0;
  for (const size of sizes) {
    bytes += size;
    if (rows > 0 && bytes > movedBytesMax) break;
    rows++;
  }
  return rows;
}

function behind({ key }: TableShape, after: readonly SqlValue[] | undefined) {
  const order = key.map(quoted).join(", ");
  const places = key.map(() => "?").join(", ");
  return { order, where: after === undefined ? "" : `\n    where (${order}) > (${places})` };
}

/** `isFirst`: a row whose key or unique value is taken is left out. */
export async function insertRows(
  sql: Sql,
  table: TableShape,
  rows: readonly Row[],
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): Promise<void> {
  const { columns } = table;
  const end = isFirst ? " on conflict do nothing" : "";
  const place = `(${columns.map(() => "?").join(", ")})`;
  const begin = `insert into ${table.name} (${columns.map(quoted).join(", ")}) values `;
  const sent: Promise<unknown>[] = [];
  for (let at = 0; at < rows.length; ) {
    // Only two texts of SQL for each table, so that both stay prepared.
    const size = rows.length - at >= statementRows ? statementRows : 1;
    const values = rows.slice(at, at + size).flatMap((row) => columns.map((column) => row[column]!));
    sent.push(sql.send(begin + Array(size).fill(place).join(", ") + end, ...values));
    at += size;
  }
  await Promise.allSettled(sent);
  await Promise.all(sent);
}

/** Rows without the mark of the move, which each side has for itself. */
export function withoutMark({ name }: TableShape, rows: readonly Row[]): readonly Row[] {
  return name === "deployment" ? rows.filter((row) => row.name !== markName) : rows;
}

export function keyOf({ key }: TableShape, row: Row): SqlValue[] {
  return key.map((column) => row[column]!);
}

/** The form of a key in a mark. */
export function packKey(key: readonly SqlValue[]): KeyValue[] {
  return key.map((value) =>
    value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : (value as number | string),
  );
}

export function unpackKey(key: readonly KeyValue[]): SqlValue[] {
  return key.map((value) => (typeof value === "object" ? Buffer.from(value.hex, "hex") : value));
}

/** Whether two rows are the same, as far as both engines can keep it. */
export function isSameRow({ columns }: TableShape, a: Row, b: Row): boolean {
  return columns.every((column) => isSame(a[column]!, b[column]!));
}

/** PostgreSQL keeps no NUL in text: U+FFFD stands there (storage/postgres/values.ts). */
export function isSame(a: SqlValue, b: SqlValue): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (typeof a === "string" && typeof b === "string")
    return a === b || a.replaceAll("\0", "\uFFFD") === b.replaceAll("\0", "\uFFFD");
  return a === b;
}

/** For people. */
export function nameOfRow(table: TableShape, row: Row): string {
  return `the row ${JSON.stringify(packKey(keyOf(table, row)))} of ${table.name}`;
}
