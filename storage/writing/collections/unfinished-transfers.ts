/** Rows of `unfinished_transfer`: copies and moves of folders that are made in several transactions. Each is known until the last one. */
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { replacement } from "../../schema/insertion.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader, Sql } from "../../sql.ts";

export interface UnfinishedTransfer {
  readonly agent: AgentNumber;
  readonly path: string;
  readonly to: string;
  /** Another one with the same destination has another number. */
  readonly transfer: Modseq;
  readonly isMove: number;
  /** The last member that has its place. */
  readonly after: string;
  /** Which daemon makes it: `Leases.daemon`. */
  readonly daemon: string;
}

const selectTransfer = `
  select ${selectList<UnfinishedTransfer, "unfinished_transfer">({
    agent: "unfinished_transfer.agent_id",
    path: "unfinished_transfer.path",
    to: "unfinished_transfer.to_path",
    transfer: "unfinished_transfer.transfer_id",
    isMove: "unfinished_transfer.is_move",
    after: "unfinished_transfer.after_path",
    daemon: "unfinished_transfer.daemon",
  })}
  from unfinished_transfer`;

export function findTransfer(
  reader: Pick<Reader, "get">,
  agent: AgentNumber,
  to: string,
): Promise<UnfinishedTransfer | undefined> {
  return reader.get(`${selectTransfer} where agent_id = ? and to_path = ?`, agent, to);
}

/** Those of daemons that have ended. */
export function listOrphanTransfers(reader: Pick<Reader, "all">): Promise<UnfinishedTransfer[]> {
  return reader.all(
    `${selectTransfer} where daemon not in (select daemon from daemon) order by agent_id, to_path`,
  );
}

export async function noteTransfer(tx: Sql, made: UnfinishedTransfer): Promise<void> {
  const { agent, path, to, transfer, isMove, after, daemon } = made;
  await tx.run(
    ...replacement(
      "unfinished_transfer",
      {
        agent_id: agent,
        to_path: to,
        path,
        transfer_id: transfer,
        is_move: isMove,
        after_path: after,
        daemon,
      },
      "agent_id",
      "to_path",
    ),
  );
}

/** Of the folder at a path, wherever it comes from or goes to. */
export async function forgetTransfers(tx: Sql, agent: AgentNumber, path: string): Promise<void> {
  await tx.run(
    "delete from unfinished_transfer where agent_id = ? and (to_path = ? or path = ?)",
    agent,
    path,
    path,
  );
}
