/** The change log of an agent. */
import type { Change } from "#/src/model/changes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { expression, selectList } from "../schema/select-list.ts";
import type { Reader } from "../sql.ts";

export interface LoggedChangeRow extends Change {
  readonly at: number;
}

const changeList = {
  modseq: "change.modseq",
  ordinal: "change.ordinal",
  kind: "change.kind",
  parent: "change.parent",
  operation: "change.operation",
  ids: "change.ids",
  event: "change.event",
  at: "change.at",
} as const;

/** Without the data of entries: which messages were removed can be long, and no listener needs it. */
const selectChange = `
  select ${selectList<LoggedChangeRow, "change">({
    ...changeList,
    data: expression("case when kind = 'entry' then null else data end"),
  })}
  from change`;

/** Who made the transaction of an event, as the first row of the transaction has it: kind and number of the credential. Both are null
 *  for the server, and for changes that are no events. */
export interface EventAuthor {
  readonly byKind: number | null;
  readonly byCredential: number | null;
}

const eventColumns = selectList<LoggedChangeRow & EventAuthor, "change">({
  ...changeList,
  data: expression("case when change.event is null then null else change.data end"),
  byKind: expression("first.by_kind"),
  byCredential: expression("first.by_credential"),
});

/** Changes after one row of a transaction and up to a MODSEQ, in order, at most `limit`. The row itself need not exist any more. */
export function listChangesBehind(
  reader: Reader,
  agent: AgentNumber,
  place: Pick<Change, "modseq" | "ordinal">,
  upTo: Modseq,
  limit: number,
): Promise<(LoggedChangeRow & EventAuthor)[]> {
  return reader.all(
    `select ${eventColumns}
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
