import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";

export interface EndPageSessions {
  readonly agent: AgentNumber;
  /** Only this one; absent: all of the person. */
  readonly session?: number | undefined;
  /** All but this one. */
  readonly except?: number | undefined;
  readonly at: number;
}

/** Ends sessions of one person. A session of somebody else, or one that has ended, stays as it is. */
export async function endPageSessions(tx: Transaction, args: EndPageSessions): Promise<{ ended: number }> {
  const ended = await tx.run(
    `update page_session
    set ended_at = ?
    where agent_id = ? and ended_at is null and (? = 0 or page_session_id = ?) and page_session_id <> ?`,
    args.at,
    args.agent,
    args.session ?? 0,
    args.session ?? 0,
    args.except ?? 0,
  );
  return { ended };
}
