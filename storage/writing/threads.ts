/** Conversations (RFC 8621 section 3): a message joins the oldest thread that has one of its keys. */
import type { AgentNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import { paddedList, placesFor, type Sql, type SqlValue } from "../sql.ts";

/** The thread of a message. A new thread has the message's number. Keys that another thread has stay with that thread. */
export async function joinThread(
  tx: Sql,
  agent: AgentNumber,
  message: MessageNumber,
  keys: readonly Uint8Array[],
): Promise<ThreadNumber> {
  if (keys.length === 0) return message as number as ThreadNumber;
  const padded = paddedList(keys);
  const found = await tx.get<{ thread: ThreadNumber | null }>(
    `select min(thread_id) as thread
    from thread_key
    where agent_id = ? and key in (${placesFor(padded)})`,
    agent,
    ...padded,
  );
  const thread = found?.thread ?? (message as number as ThreadNumber);
  await tx.send(
    `insert into thread_key (agent_id, key, thread_id)
    values ${padded.map(() => "(?,?,?)").join(",")}
    on conflict do nothing`,
    ...padded.flatMap((key): SqlValue[] => [agent, key, thread]),
  );
  return thread;
}
