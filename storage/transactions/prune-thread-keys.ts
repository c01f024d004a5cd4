import type { AgentNumber, ThreadNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";

export interface PruneThreadKeys {
  readonly agent: AgentNumber;
  /** Where the slice before ended; empty for the beginning. */
  readonly after: Uint8Array;
  readonly limit: number;
}

/** Forgets the keys of threads that have no message left. Answers where it came to; undefined at the end. */
export async function pruneThreadKeys(
  tx: Transaction,
  args: PruneThreadKeys,
): Promise<{ reached: Uint8Array | undefined }> {
  const rows = await tx.all<{ key: Uint8Array; thread: ThreadNumber; found: number | null }>(
    `select thread_key.key, thread_key.thread_id as thread,
      (select min(message.message_id)
      from message
      where message.agent_id = thread_key.agent_id and message.thread_id = thread_key.thread_id) as found
    from thread_key
    where agent_id = ? and key > ?
    order by key
    limit ?`,
    args.agent,
    args.after,
    args.limit,
  );
  for (const { key, found } of rows)
    if (found === null)
      await tx.run("delete from thread_key where agent_id = ? and key = ?", args.agent, key);
  return { reached: rows.length < args.limit ? undefined : rows.at(-1)?.key };
}
