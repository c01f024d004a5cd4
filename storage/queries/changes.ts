/** The change log of an agent. */
import type { Change } from "#/src/model/changes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Reader } from "../sql.ts";

export interface LoggedChangeRow extends Change {
  readonly at: number;
}

/** Without the data of entries: which messages were removed can be long, and no listener needs it. */
const selectChange = `
  select modseq, ordinal, kind, parent, operation, ids, event, case when kind = 'entry' then null else data end as data, at
  from change`;

/** Who made the transaction of an event, as the first row of the transaction has it: kind and number of the credential. Both are null
 *  for the server, and for changes that are no events. */
export interface EventAuthor {
  readonly byKind: number | null;
  readonly byCredential: number | null;
}

/** Changes after one row of a transaction and up to a MODSEQ, in order, at most `limit`. The row itself need not exist any more. */
export function listChangesBehind(
  reader: Reader,
  agent: AgentNumber,
  place: Pick<Change, "modseq" | "ordinal">,
  upTo: Modseq,
  limit: number,
): Promise<(LoggedChangeRow & EventAuthor)[]> {
  return reader.all(
    `select change.modseq, change.ordinal, change.kind, change.parent, change.operation, change.ids, change.event,
      case when change.event is null then null else change.data end as data, change.at, first.by_kind as "byKind", first.by_credential as "byCredential"
    from change
    left join change first on change.event is not null and first.agent_id = change.agent_id
      and first.modseq = change.modseq and first.ordinal = 0
    where change.agent_id = ? and (change.modseq, change.ordinal) > (?, ?) and change.modseq <= ?
    order by change.modseq, change.ordinal
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
