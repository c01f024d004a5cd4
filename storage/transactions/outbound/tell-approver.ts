import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { lockRows } from "../../writing/lock-rows.ts";
import { type DeliverMessage, deliverMessage } from "../mail/deliver-message.ts";

export interface TellApprover extends DeliverMessage {
  readonly holds: readonly { readonly agent: AgentNumber; readonly hold: number }[];
  /** Mailboxes whose pause is in the notice. */
  readonly pauses: readonly AgentNumber[];
}

/** Stores the notice to an approver, and that the approver was notified, in one transaction, so that a notice is stored once. */
export async function tellApprover(tx: Transaction, args: TellApprover): Promise<void> {
  await lockRows(tx, {
    agents: [...args.pauses, ...args.recipients.map(({ agent }) => agent)],
    accounts: [],
  });
  await deliverMessage(tx, args);
  for (const agent of args.pauses)
    await tx.run(
      "update agent set pause_told_at = ? where agent_id = ? and state = 'paused' and pause_told_at is null",
      args.at,
      agent,
    );
  for (const { agent, hold } of args.holds)
    await tx.run(
      "update hold set told_at = ? where agent_id = ? and hold_id = ? and told_at is null",
      args.at,
      agent,
      hold,
    );
}
