/** The change log: one row for each transaction, kind, parent and operation, with the set of changed objects. */
import type { ChangeKind, ChangeOperation, EventType } from "#/src/model/changes.ts";
import { formatNumberSet, type NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Sql, SqlValue } from "../sql.ts";

export interface LoggedChange {
  readonly kind: ChangeKind;
  readonly parent: number;
  readonly operation: ChangeOperation;
  readonly ids: NumberSet | string;
  readonly event?: EventType;
  readonly data?: string | null;
}

const rowsPerInsert = 16;

export async function logChanges(
  tx: Sql,
  agent: AgentNumber,
  modseq: Modseq,
  at: number,
  changes: readonly LoggedChange[],
): Promise<void> {
  for (let first = 0; first < changes.length; first += rowsPerInsert) {
    const rows = changes.slice(first, first + rowsPerInsert);
    const parameters = rows.flatMap((change, index): SqlValue[] => [
      agent,
      modseq,
      first + index,
      change.kind,
      change.parent,
      change.operation,
      typeof change.ids === "string" ? change.ids : formatNumberSet(change.ids),
      change.event ?? null,
      change.data ?? null,
      at,
    ]);
    await tx.send(
      `insert into change (agent_id, modseq, ordinal, kind, parent, operation, ids, event, data, at)
      values ${rows.map(() => "(?,?,?,?,?,?,?,?,?,?)").join(",")}`,
      ...parameters,
    );
  }
}
