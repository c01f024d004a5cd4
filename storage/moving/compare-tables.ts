/** Compares both sides of a move row by row, while the former store is in use. A row that is not the same was changed since it was copied, or
 *  the copy is wrong: the keys that were written down say which (changed-rows.ts). A key is written down in the transaction that changes its
 *  row, and stays until the row was copied again, so it is there when a row that was read before is looked for. */
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import type { SqlValue } from "../sql.ts";
import { isChanged } from "./changed-rows.ts";
import { isSame, isSameRow, keyOf, nameOfRow, type Row, readPage, withoutMark } from "./copied-rows.ts";
import type { MovingSide, MovingSource, TableShape } from "./moving-side.ts";

/** A sentence about the first row that differs and was not changed meanwhile; undefined when there is none. */
export async function findDifference(
  from: MovingSource,
  to: MovingSide,
  table: TableShape,
  onPage: (rows: number) => void,
): Promise<string | undefined> {
  const rows = new RowsInOrder(table, async (after) => {
    const page = await from.read((reader) => readPage(reader, table, after));
    onPage(page.length);
    return page;
  });
  const copies = new RowsInOrder(table, (after) => readPage(to.sql, table, after));
  for (;;) {
    const row = await rows.peek();
    const copy = await copies.peek();
    const one = row ?? copy;
    if (one === undefined) return undefined;
    const order = orderOf(table, row, copy);
    if (order <= 0) rows.take();
    if (order >= 0) copies.take();
    if (row !== undefined && copy !== undefined && order === 0 && isSameRow(table, row, copy)) continue;
    const different = order <= 0 ? one : copy!;
    if (await isChanged(from.sql, table, keyOf(table, different))) continue;
    const fault = order === 0 ? "is not the same" : order < 0 ? "is missing" : "is one too many";
    return `${nameOfRow(table, different)} ${fault}`;
  }
}

/** The rows of a table in the order of their keys, a page of them at a time. */
class RowsInOrder {
  readonly #table: TableShape;
  readonly #read: (after: SqlValue[] | undefined) => Promise<Row[]>;
  #page: readonly Row[] = [];
  #at = 0;
  #after: SqlValue[] | undefined;
  #isAtEnd = false;

  constructor(table: TableShape, read: (after: SqlValue[] | undefined) => Promise<Row[]>) {
    this.#table = table;
    this.#read = read;
  }

  /** The next row; undefined after the last one. */
  async peek(): Promise<Row | undefined> {
    while (this.#at === this.#page.length && !this.#isAtEnd) {
      await nextTurn();
      const page = await this.#read(this.#after);
      const last = page.at(-1);
      this.#isAtEnd = last === undefined;
      if (last !== undefined) this.#after = keyOf(this.#table, last);
      this.#page = withoutMark(this.#table, page);
      this.#at = 0;
    }
    return this.#page[this.#at];
  }

  take(): void {
    this.#at++;
  }
}

/** As both engines order keys: text by its octets. A row that is not there comes after all others. */
function orderOf({ key }: TableShape, a: Row | undefined, b: Row | undefined): number {
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  for (const column of key) {
    const [one, other] = [a[column]!, b[column]!];
    if (!isSame(one, other)) return typeof one === "number" ? one - Number(other) : compareOctets(one, other);
  }
  return 0;
}

function compareOctets(a: SqlValue, b: SqlValue): number {
  return Buffer.compare(octetsOf(a), octetsOf(b));
}

function octetsOf(value: SqlValue): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(String(value), "utf8");
}
