/** Pruning by age: one low-priority slice after the other, so that mail always goes first. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { MaintainOptions, Store } from "../store.ts";
import type { ArgumentsOf, ResultOf, TransactionName } from "../transactions/index.ts";

export type WriteSlice = <N extends TransactionName>(name: N, args: ArgumentsOf<N>) => Promise<ResultOf<N>>;

const rowsPerSlice = 1000;
/** Each may be many chunks. */
const uploadsPerSlice = 16;

export async function maintainStore(
  store: Pick<Store, "pages" | "clock">,
  write: WriteSlice,
  options: MaintainOptions,
): Promise<void> {
  const now = store.clock.now();
  while (!(await write("pruneIdempotency", { now, limit: rowsPerSlice })).isDone);
  while (!(await write("pruneUploads", { now, limit: uploadsPerSlice })).isDone);
  const closedBefore = now - options.changesMs;
  while (!(await write("pruneSubmissions", { before: closedBefore, limit: rowsPerSlice / 10 })).isDone);
  while (!(await write("pruneHolds", { before: closedBefore, limit: rowsPerSlice / 10 })).isDone);
  const pages = store.pages<{ agent: AgentNumber }>(
    `select agent_id as agent
    from agent
    where agent_id > ? and state <> 'deleted'
    order by agent_id
    limit ?`,
    (row) => [row.agent],
    [0],
  );
  for await (const agents of pages)
    for (const { agent } of agents) {
      const before = now - options.changesMs;
      while (!(await write("pruneChanges", { agent, before, limit: rowsPerSlice })).isDone);
      let after: Uint8Array | undefined = new Uint8Array();
      while (after !== undefined)
        after = (await write("pruneThreadKeys", { agent, after, limit: rowsPerSlice })).reached;
    }
}
