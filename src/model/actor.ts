import type { AgentNumber } from "./numbers.ts";

/** Who a write of mail is made for. It goes into the transaction, as only there is known what the write comes to: a message
 *  that is moved, copied, replaced or flagged can be one that waits for a person. */
export interface Actor {
  /** Whose credential it is. */
  readonly agent: AgentNumber;
  /** It was given `approve` on the mailbox that is written to. Of one's own mailbox nobody has it. */
  readonly canApprove: boolean;
}
