/** The change log: one row for each transaction, kind, parent and operation, with the set of changed objects. The first row of a
 *  transaction has its author, unless that is the server. */
import type { ChangeKind, ChangeOperation, EventType } from "#/src/model/changes.ts";
import { formatNumberSet, type NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { type AuthorRow, authorColumns } from "../author-row.ts";
import { insertion } from "../schema/insertion.ts";
import type { Sql } from "../sql.ts";

export interface LoggedChange {
  readonly kind: ChangeKind;
  readonly parent: number;
  readonly operation: ChangeOperation;
  readonly ids: NumberSet | string;
  readonly event?: EventType;
  /** A function for what is known only after the rows are written. */
  readonly data?: string | null | (() => string);
}

const rowsPerInsert = 16;

export async function logChanges(
  sql: Sql,
  author: AuthorRow | undefined,
  agent: AgentNumber,
  modseq: Modseq,
  at: number,
  changes: readonly LoggedChange[],
): Promise<void> {
  for (let first = 0; first < changes.length; first += rowsPerInsert) {
    const rows = changes.slice(first, first + rowsPerInsert).map((change, index) => ({
      agent_id: agent,
      modseq,
      ordinal: first + index,
      kind: change.kind,
      parent: change.parent,
      operation: change.operation,
      ids: typeof change.ids === "string" ? change.ids : formatNumberSet(change.ids),
      event: change.event ?? null,
      data: typeof change.data === "function" ? change.data() : (change.data ?? null),
      at,
      ...authorColumns(first + index === 0 ? author : undefined),
    }));
    await sql.send(...insertion("change", rows));
  }
}
