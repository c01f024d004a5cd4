/** The plan of an upgrade: what the missing steps of the schema will do. */
import { schemaBytesUnaskedMax, schemaRowsUnaskedMax } from "#/src/model/limits.ts";
import { type Migration, migrations } from "../migrations/index.ts";
import type { Reader } from "../sql.ts";

export interface UpgradePlan {
  /** Schema of the store. */
  readonly from: number;
  /** Schema of this version of Waypost. */
  readonly to: number;
  readonly steps: readonly {
    readonly step: number;
    readonly does: string;
    /** Rows that the step reads or writes one by one. */
    readonly rows: number;
  }[];
}

/** `tables`: the tables that the store has now. Rows of a table that an earlier step creates are not counted. */
export async function planUpgrade(
  sql: Reader,
  version: number,
  tables: readonly string[],
  steps: readonly Migration[] = migrations,
): Promise<UpgradePlan> {
  const counts = new Map<string, number>();
  const countOf = async (table: string): Promise<number> => {
    const known = counts.get(table);
    if (known !== undefined) return known;
    const found = tables.includes(table)
      ? (await sql.get<{ count: number }>(`select count(*) as count from ${table}`))!.count
      : 0;
    counts.set(table, found);
    return found;
  };
  const planned = [];
  for (const [at, { does, goesThrough = [] }] of steps.entries()) {
    if (at < version) continue;
    let rows = 0;
    for (const table of goesThrough) rows += await countOf(table);
    planned.push({ step: at + 1, does, rows });
  }
  return { from: version, to: steps.length, steps: planned };
}

/** A start runs only upgrades that take seconds. Throws for longer ones: the operator decides when a server is unavailable for
 *  minutes. `bytes`: the size of the copy that is made before. */
export function assertUnasked({ from, to, steps }: UpgradePlan, bytes: number): void {
  const rows = steps.reduce((sum, step) => sum + step.rows, 0);
  if (rows <= schemaRowsUnaskedMax && bytes <= schemaBytesUnaskedMax) return;
  const why =
    rows > schemaRowsUnaskedMax
      ? `go through ${rows} rows`
      : `need a copy of ${bytes} bytes before the first one`;
  throw new Error(
    `The store has schema ${from}, and the steps to schema ${to} ${why}; run waypost upgrade, which says what it will do`,
  );
}
