import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { pageRows } from "#/src/model/limits.ts";
import type { Reader, SqlValue } from "./sql.ts";

interface Pages<R> {
  readonly query: string;
  readonly key: (row: R) => SqlValue[];
  readonly first: readonly SqlValue[];
  readonly size?: number | undefined;
}

/** Rows in pages by key, as `Store.pages` describes it. */
export async function* readPages<R>(
  reader: Pick<Reader, "all">,
  { query, key, first, size = pageRows }: Pages<R>,
): AsyncGenerator<R[]> {
  let after = first;
  for (;;) {
    const rows = await reader.all<R>(query, ...after, size);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    after = key(rows.at(-1)!);
    await nextTurn();
  }
}
