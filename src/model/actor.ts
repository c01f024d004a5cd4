import type { AgentNumber } from "./numbers.ts";

/** For whom a write of mail is made. The transaction needs it, as only there the effect of the write is known: a message that is moved,
 *  copied, replaced or flagged can be one that waits for approval. */
export interface Actor {
  /** The agent of the credential. */
  readonly agent: AgentNumber;
  /** Whether it has the right `approve` on the mailbox that is written to. Nobody has this right on their own mailbox. */
  readonly canApprove: boolean;
}
