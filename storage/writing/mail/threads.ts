/** Conversations (RFC 8621 section 3): a message joins the oldest thread that has one of its keys. */
import type { AgentNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import { paddedList, placesFor, type Sql } from "../../sql.ts";

/** The oldest thread that has one of the keys. */
export async function findThread(
  tx: Sql,
  agent: AgentNumber,
  keys: readonly Uint8Array[],
): Promise<ThreadNumber | undefined> {
  if (keys.length === 0) return undefined;
  const padded = paddedList(keys);
  const found = await tx.get<{ thread: ThreadNumber | null }>(
    `select min(thread_id) as thread
    from thread_key
    where agent_id = ? and key in (${placesFor(padded)})`,
    agent,
    ...padded,
  );
  return found?.thread ?? undefined;
}

/** The thread of a message. A new thread has the message's number. Keys that another thread has stay with that thread. */
export async function joinThread(
  tx: Sql,
  agent: AgentNumber,
  message: MessageNumber,
  keys: readonly Uint8Array[],
): Promise<ThreadNumber> {
  const thread = (await findThread(tx, agent, keys)) ?? (message as number as ThreadNumber);
  await keepThreadKeys(tx, agent, thread, keys);
  return thread;
}

/** Keys that no thread has are of this one from now on. */
export async function keepThreadKeys(
  tx: Sql,
  agent: AgentNumber,
  thread: ThreadNumber,
  keys: readonly Uint8Array[],
): Promise<void> {
  if (keys.length === 0) return;
  const padded = paddedList(keys);
  await tx.send(
    ...insertion(
      "thread_key",
      padded.map((key) => ({ agent_id: agent, key, thread_id: thread })),
      "on conflict do nothing",
    ),
  );
}
