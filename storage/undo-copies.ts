/** Undoes copies that were not finished when their daemon ended, and continues moves of folders, when the writer is idle. */
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Store, WritePiece } from "./store.ts";
import { listOrphanTransfers } from "./writing/collections/unfinished-transfers.ts";

/** Called before the first write, and when another daemon has ended: copies of daemons that do not run any more will not be
 *  finished. */
export async function undoUnfinishedCopies(
  store: Pick<Store, "all" | "clock">,
  write: WritePiece,
  tell: (trouble: string) => void,
): Promise<void> {
  const at = (): number => store.clock.now();
  const works = await listWorks(store).catch((error: unknown) => {
    tell(`what was not finished could not be read: ${String(error)}`);
    return { copies: [], transfers: [] };
  });
  const finish = async (agent: AgentNumber, step: () => Promise<{ isDone: boolean }>): Promise<void> => {
    try {
      while (!(await step()).isDone);
    } catch (error) {
      if (!isWaypostError(error)) throw error;
      // A closed or full store does it after its next start, and the sweep deletes the rows of a deleted agent.
      if (error.code === "internal")
        tell(
          `what agent ${agent} had begun could not be finished or taken back: ${String(error.details.cause)}`,
        );
    }
  };
  for (const { agent, copy } of works.copies)
    await finish(agent, () => write("undoCopy", { agent, copy, at: at() }));
  for (const { agent, path, to, transfer } of works.transfers) {
    const named = { agent, actor: undefined, path, to, transfer, isTakenBack: true };
    await finish(agent, () => write("continueFolderTransfer", { ...named, at: at() }));
  }
}

async function listWorks(store: Pick<Store, "all">) {
  return { copies: await listUnfinished(store), transfers: await listOrphanTransfers(store) };
}

function listUnfinished(store: Pick<Store, "all">): Promise<{ agent: AgentNumber; copy: Modseq }[]> {
  return store.all(
    `select distinct agent_id as agent, copy_id as copy
    from unfinished_copy
    where daemon not in (select daemon from daemon)
    order by agent_id, copy_id`,
  );
}
