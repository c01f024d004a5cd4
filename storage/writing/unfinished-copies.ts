/** Rows of `unfinished_copy`: copies that are made in several transactions. Each transaction is recorded until the last one. */
import { WaypostError } from "#/src/model/errors.ts";
import { formatNumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import { insertion } from "../schema/insertion.ts";
import type { Sql } from "../sql.ts";
import type { MailboxWrite } from "./mail/mailbox-write.ts";

/** One transaction of such a copy. */
export interface CopyPart {
  /** The result of the transaction before; undefined for the first. */
  readonly copy: Modseq | undefined;
  readonly isLast: boolean;
  /** Which daemon makes it: `Leases.daemon`. */
  readonly daemon: string;
}

/** A copy into or out of mailboxes of holds or scheduled mail cannot be undone, so it must be made in one transaction or not at all. */
export function assertCanBeTakenBack(source: MailboxWrite, target: MailboxWrite): void {
  for (const { isForHolds, role } of [source, target])
    if (isForHolds || role === "scheduled")
      throw new WaypostError("policy_refused", "These are too many messages for one COPY", {
        reason: "limit_reached",
        hint: "Copy them in several commands, or move them.",
      });
}

/** Records what a transaction has copied, or that it was the last one. Gives the number of the copy, once it has one. */
export async function noteCopied(
  tx: Sql,
  agent: AgentNumber,
  part: CopyPart,
  copied: { readonly target: MailboxWrite; readonly uids: readonly Uid[]; readonly modseq: Modseq },
): Promise<Modseq | undefined> {
  if (part.copy !== undefined) await assertUnderWay(tx, agent, part.copy);
  if (part.isLast) {
    if (part.copy !== undefined) await forgetCopy(tx, agent, part.copy);
    return part.copy;
  }
  if (copied.uids.length === 0) return part.copy;
  const copy = part.copy ?? copied.modseq;
  await tx.run(
    ...insertion("unfinished_copy", {
      agent_id: agent,
      copy_id: copy,
      modseq: copied.modseq,
      mailbox_id: copied.target.mailbox,
      uids: formatNumberSet(numberSetOf(copied.uids)),
      daemon: part.daemon,
    }),
  );
  return copy;
}

/** Other daemons take a copy back whose daemon they take for dead. */
async function assertUnderWay(tx: Sql, agent: AgentNumber, copy: Modseq): Promise<void> {
  const found = await tx.get(
    "select 1 as found from unfinished_copy where agent_id = ? and copy_id = ? limit 1",
    agent,
    copy,
  );
  if (found === undefined)
    throw new WaypostError("precondition_failed", "What was copied so far has been taken back");
}

async function forgetCopy(tx: Sql, agent: AgentNumber, copy: Modseq): Promise<void> {
  await tx.run("delete from unfinished_copy where agent_id = ? and copy_id = ?", agent, copy);
}
