/** Undoes copies that were not finished when their daemon ended, when the writer is idle. */
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { Store, WritePiece } from "./store.ts";

/** Called before the first write, and when another daemon has ended: copies of daemons that do not run any more will not be
 *  finished. */
export async function undoUnfinishedCopies(
  store: Pick<Store, "all" | "clock">,
  write: WritePiece,
  tell: (trouble: string) => void,
): Promise<void> {
  const copies = await listUnfinished(store).catch((error: unknown) => {
    tell(`the copies that were not finished could not be read: ${String(error)}`);
    return [];
  });
  for (const { agent, copy } of copies)
    try {
      while (!(await write("undoCopy", { agent, copy, at: store.clock.now() })).isDone);
    } catch (error) {
      if (!isWaypostError(error)) throw error;
      // A closed or full store does it after its next start, and the sweep deletes the rows of a deleted agent.
      if (error.code === "internal")
        tell(
          `a copy of agent ${agent} that was not finished could not be taken back: ${String(error.details.cause)}`,
        );
    }
}

function listUnfinished(store: Pick<Store, "all">): Promise<{ agent: AgentNumber; copy: Modseq }[]> {
  return store.all(
    `select distinct agent_id as agent, copy_id as copy
    from unfinished_copy
    where daemon not in (select daemon from daemon)
    order by agent_id, copy_id`,
  );
}
