import type { AgentNumber, ThreadNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

interface ThreadKey {
  readonly agent: AgentNumber;
  readonly key: Uint8Array;
}

/** The row of `deployment` with the position: agent and key, in hexadecimal digits. */
const placeName = "thread keys pruned up to";

/** Deletes keys of threads that have no message left. Examines a number of keys from the stored position on, also after a restart. It is
 *  done at the end of all keys; the next call begins at the first one. */
export async function pruneThreadKeys(
  tx: Transaction,
  args: { limit: number },
): Promise<{ isDone: boolean }> {
  const place = await readPlace(tx);
  const rows = await tx.all<ThreadKey & { thread: ThreadNumber; found: number | null }>(
    `select thread_key.agent_id as agent, thread_key.key, thread_key.thread_id as thread,
      (select min(message.message_id)
      from message
      where message.agent_id = thread_key.agent_id and message.thread_id = thread_key.thread_id) as found
    from thread_key
    where (agent_id, key) > (?, ?)
    order by agent_id, key
    limit ?`,
    place.agent,
    place.key,
    args.limit,
  );
  for (const { agent, key, found } of rows)
    if (found === null) await tx.run("delete from thread_key where agent_id = ? and key = ?", agent, key);
  const last = rows.at(-1);
  await tx.run("delete from deployment where name = ?", placeName);
  if (last === undefined || rows.length < args.limit) return { isDone: true };
  const reached = `${last.agent} ${Buffer.from(last.key).toString("hex")}`;
  await tx.run(...insertion("deployment", { name: placeName, value: Buffer.from(reached) }));
  return { isDone: false };
}

async function readPlace(tx: Transaction): Promise<ThreadKey> {
  const row = await tx.get<{ value: Uint8Array }>("select value from deployment where name = ?", placeName);
  const [agent, key] = row === undefined ? ["0", ""] : Buffer.from(row.value).toString().split(" ");
  return { agent: Number(agent) as AgentNumber, key: Buffer.from(key!, "hex") };
}
