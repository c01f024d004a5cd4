import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { type DeliverMessage, deliverMessage } from "./deliver-message.ts";

export interface TellApprover extends DeliverMessage {
  readonly holds: readonly { readonly agent: AgentNumber; readonly hold: number }[];
}

/** The notice of what waits for somebody, and that they have been told: once. */
export async function tellApprover(tx: Transaction, args: TellApprover): Promise<void> {
  await deliverMessage(tx, args);
  for (const { agent, hold } of args.holds)
    await tx.run(
      "update hold set told_at = ? where agent_id = ? and hold_id = ? and told_at is null",
      args.at,
      agent,
      hold,
    );
}
