/** The change log of an agent. */
import type { Change } from "#/src/model/changes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Reader } from "../sql.ts";

export interface LoggedChangeRow extends Change {
  readonly at: number;
}

const selectChange = `
  select modseq, ordinal, kind, parent, operation, ids, event, data, at
  from change`;

/** Changes after one row of a transaction and up to a MODSEQ, in order, at most `limit`. The row itself need not exist any more. */
export function listChangesBehind(
  reader: Reader,
  agent: AgentNumber,
  place: Pick<Change, "modseq" | "ordinal">,
  upTo: Modseq,
  limit: number,
): Promise<LoggedChangeRow[]> {
  return reader.all(
    `${selectChange}
    where agent_id = ? and (modseq, ordinal) > (?, ?) and modseq <= ?
    order by modseq, ordinal
    limit ?`,
    agent,
    place.modseq,
    place.ordinal,
    upTo,
    limit,
  );
}

/** Changes after one MODSEQ and up to another, in order, at most `limit`. A page may end inside a transaction. */
export function listChanges(
  reader: Reader,
  agent: AgentNumber,
  after: Modseq,
  upTo: Modseq,
  limit: number,
): Promise<LoggedChangeRow[]> {
  return reader.all(
    `${selectChange}
    where agent_id = ? and modseq > ? and modseq <= ?
    order by modseq, ordinal
    limit ?`,
    agent,
    after,
    upTo,
    limit,
  );
}
