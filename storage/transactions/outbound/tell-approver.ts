import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { lockRows } from "../../writing/lock-rows.ts";
import { type DeliverMessage, deliverMessage } from "../mail/deliver-message.ts";

export interface TellApprover extends DeliverMessage {
  /** Notices to whoever else may approve. */
  readonly others: readonly DeliverMessage[];
  readonly holds: readonly { readonly agent: AgentNumber; readonly hold: number }[];
  /** Mailboxes whose pause is in the notice. */
  readonly pauses: readonly AgentNumber[];
}

/** Stores the notices to an approver and to others, and that the approver was notified, in one transaction, so that a notice is stored once. */
export async function tellApprover(tx: Transaction, args: TellApprover): Promise<void> {
  const notices = [args, ...args.others];
  const told = notices.flatMap(({ recipients }) => recipients.map(({ agent }) => agent));
  await lockRows(tx, { agents: [...args.pauses, ...told], accounts: [] });
  for (const notice of notices) await deliverMessage(tx, notice);
  for (const agent of args.pauses)
    await tx.run(
      "update agent set pause_told_at = ? where agent_id = ? and state = 'paused' and pause_told_at is null",
      args.at,
      agent,
    );
  if (args.holds.length > 0)
    for (const agent of told)
      await tx.run("update agent set noticed_at = ? where agent_id = ?", args.at, agent);
  for (const { agent, hold } of args.holds)
    await tx.run(
      "update hold set told_at = ? where agent_id = ? and hold_id = ? and told_at is null",
      args.at,
      agent,
      hold,
    );
}
