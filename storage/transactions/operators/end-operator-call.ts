import type { Transaction } from "../../sql.ts";

export interface EndOperatorCall {
  readonly call: number;
  /** `done`, or the code of the refusal. */
  readonly outcome: string;
  /** Of a call under a key, encrypted. */
  readonly answer: Uint8Array | null;
  readonly at: number;
}

/** Writes down what came of it. A refused call gives its key back: it has done nothing. */
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
