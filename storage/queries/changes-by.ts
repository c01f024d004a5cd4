/** The changes of an agent with their authors. */
import type { Change } from "#/src/model/changes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { AuthorRow } from "../author-row.ts";
import { selectList } from "../schema/select-list.ts";
import { paddedList, placesFor, type Reader } from "../sql.ts";

/** One transaction. */
export interface AuthoredRow {
  readonly modseq: Modseq;
  readonly at: number;
  /** undefined: the server, or a change from before authors were kept. */
  readonly by: AuthorRow | undefined;
}

type Stored = Omit<AuthoredRow, "by"> & { readonly [K in keyof AuthorRow]: AuthorRow[K] | null };

/** Transactions before a MODSEQ, the newest first, down to a time. */
export async function listAuthored(
  reader: Reader,
  agent: AgentNumber,
  before: number,
  since: number,
  limit: number,
): Promise<AuthoredRow[]> {
  const rows = await reader.all<Stored>(
    `select ${selectList<Stored, "change">({
      modseq: "change.modseq",
      at: "change.at",
      kind: "change.by_kind",
      agent: "change.by_agent",
      credential: "change.by_credential",
      door: "change.by_door",
      request: "change.by_request",
    })}
    from change
    where agent_id = ? and modseq < ? and ordinal = 0 and at >= ?
    order by modseq desc
    limit ?`,
    agent,
    before,
    since,
    limit,
  );
  return rows.map(({ modseq, at, kind, ...by }) => ({
    modseq,
    at,
    by: kind === null ? undefined : { kind, ...(by as Omit<AuthorRow, "kind">) },
  }));
}

/** Characters of the data of a removal that are read: enough for some hundred messages. */
const removalCharactersMax = 4000;

/** The rows of some transactions. `data`: of a removal of few messages, for `parseRemoval`. */
export function listChangesAt(
  reader: Reader,
  agent: AgentNumber,
  modseqs: readonly Modseq[],
): Promise<Pick<Change, "modseq" | "kind" | "operation" | "ids" | "event" | "data">[]> {
  const named = paddedList(modseqs);
  return reader.all(
    `select modseq, kind, operation, ids, event,
      case when kind = 'entry' and operation = 'remove' and length(data) <= ${removalCharactersMax} then data end as data
    from change
    where agent_id = ? and modseq in (${placesFor(named)})
    order by modseq desc, ordinal`,
    agent,
    ...named,
  );
}
