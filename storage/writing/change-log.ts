/** The change log: one row for each transaction, kind, parent and operation, with the set of changed objects. The first row of a
 *  transaction has its author, unless that is the server. */
import type { ChangeKind, ChangeOperation, EventType } from "#/src/model/changes.ts";
import { formatNumberSet, type NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { type AuthorRow, authorColumns, authorValues, noAuthor } from "../author-row.ts";
import type { Sql, SqlValue } from "../sql.ts";

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
    const rows = changes.slice(first, first + rowsPerInsert);
    const by = first === 0 ? author : undefined;
    const parameters = rows.flatMap((change, index): SqlValue[] => [
      agent,
      modseq,
      first + index,
      change.kind,
      change.parent,
      change.operation,
      typeof change.ids === "string" ? change.ids : formatNumberSet(change.ids),
      change.event ?? null,
      typeof change.data === "function" ? change.data() : (change.data ?? null),
      at,
      ...(by === undefined ? [] : index === 0 ? authorValues(by) : noAuthor),
    ]);
    await sql.send(
      `insert into change (agent_id, modseq, ordinal, kind, parent, operation, ids, event, data, at${by === undefined ? "" : `, ${authorColumns}`})
      values ${rows.map(() => (by === undefined ? "(?,?,?,?,?,?,?,?,?,?)" : "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")).join(",")}`,
      ...parameters,
    );
  }
}
