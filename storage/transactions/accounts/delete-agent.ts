import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { tablesFreedAtOnce } from "../../kinds.ts";
import type { Transaction } from "../../sql.ts";

/** Deletes an agent with all its data. From the commit on no access to it is possible; the sweep deletes its mail. */
export async function deleteAgent(tx: Transaction, args: { agent: AgentNumber }): Promise<void> {
  const deleted = await tx.get<{ modseq: Modseq }>(
    "update agent set state = 'deleted' where agent_id = ? and state <> 'deleted' returning modseq",
    args.agent,
  );
  if (deleted === undefined) throw new WaypostError("not_found", "There is no such agent");
  // Open streams of events end.
  tx.touch(args.agent, deleted.modseq);
  await tx.run(
    "delete from webhook_attempt where webhook_id in (select webhook_id from webhook where agent_id = ?)",
    args.agent,
  );
  for (const table of tablesFreedAtOnce) await tx.run(`delete from ${table} where agent_id = ?`, args.agent);
  for (const table of ["agent_grant", "grant_object"])
    await tx.run(`delete from ${table} where target_agent_id = ?`, args.agent);
  await tx.run("delete from mailbox_metadata where holder_id = ? and holder_id <> 0", args.agent);
  tx.sweepLater();
}
