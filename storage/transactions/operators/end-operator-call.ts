import type { Transaction } from "../../sql.ts";

export interface EndOperatorCall {
  readonly call: number;
  /** `done`, or the code of the refusal. */
  readonly outcome: string;
  /** The result of a call with a key, encrypted. */
  readonly answer: Uint8Array | null;
  readonly at: number;
}

/** Records the outcome of a call. The key of a refused call may be used again, because the call has done nothing. */
export async function endOperatorCall(tx: Transaction, args: EndOperatorCall): Promise<void> {
  await tx.run(
    `update operator_call
    set outcome = ?, answer = ?, ended_at = ?, key = case when ? = 'done' then key end
    where operator_call_id = ?`,
    args.outcome,
    args.answer,
    args.at,
    args.outcome,
    args.call,
  );
}
