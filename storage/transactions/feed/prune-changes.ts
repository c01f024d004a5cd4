import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

export interface PruneChanges {
  readonly agent: AgentNumber;
  /** Changes from before this time are deleted. */
  readonly before: number;
  /** Rows of one slice. */
  readonly limit: number;
}

/** Deletes the oldest changes of an agent, only whole transactions, and raises the floor of its log to the last deleted one. */
export async function pruneChanges(tx: Transaction, args: PruneChanges): Promise<{ isDone: boolean }> {
  const rows = await tx.all<{ modseq: Modseq; at: number }>(
    `select modseq, at
    from change
    where agent_id = ?
    order by modseq, ordinal
    limit ?`,
    args.agent,
    args.limit,
  );
  const kept = rows.findIndex(({ at }) => at >= args.before);
  const old = kept === -1 ? rows : rows.slice(0, kept);
  const floor = old.at(-1)?.modseq;
  if (floor === undefined) return { isDone: true };
  // The last transaction may go on beyond the slice: it is deleted as a whole.
  await tx.run("delete from change where agent_id = ? and modseq <= ?", args.agent, floor);
  await tx.run("update agent set log_floor = ? where agent_id = ?", floor, args.agent);
  return { isDone: kept !== -1 || rows.length < args.limit };
}
