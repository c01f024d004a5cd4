import { insertion } from "../../schema/insertion.ts";
import { expression, selectList } from "../../schema/select-list.ts";
import type { Transaction } from "../../sql.ts";
import { takeCounter } from "../../writing/counters.ts";

export interface BeginOperatorCall {
  /** Of the operator token; null for the command line. */
  readonly token: number | null;
  readonly requestId: string;
  readonly operation: string;
  /** JSON, without secrets. */
  readonly input: string;
  /** Idempotency key: a repeated call with the same key does not run again. */
  readonly once?: { readonly key: string; readonly requestHash: Uint8Array; readonly expiresAt: number };
  readonly at: number;
}

export interface FormerCall {
  readonly requestHash: Uint8Array;
  /** null while it runs, and forever if the process ended meanwhile, or its end could not be stored. */
  readonly outcome: string | null;
  readonly answer: Uint8Array | null;
}

/** Records a call of an operator before it runs. If there is a former call with the same key, answers that one and writes nothing. */
export async function beginOperatorCall(
  tx: Transaction,
  args: BeginOperatorCall,
): Promise<{ call: number } | { former: FormerCall }> {
  const { once } = args;
  if (once !== undefined) {
    await tx.run(
      `update operator_call
      set key = null, answer = null
      where operator_token_id = ? and key = ? and key_expires_at <= ?`,
      args.token,
      once.key,
      args.at,
    );
    const former = await tx.get<FormerCall>(
      `select ${selectList<FormerCall, "operator_call">({
        requestHash: expression("request_hash"),
        outcome: "operator_call.outcome",
        answer: "operator_call.answer",
      })}
      from operator_call
      where operator_token_id = ? and key = ?`,
      args.token,
      once.key,
    );
    if (former !== undefined) return { former };
  }
  const call = await takeCounter(tx, "operator_call");
  await tx.run(
    ...insertion("operator_call", {
      operator_call_id: call,
      operator_token_id: args.token,
      request_id: args.requestId,
      operation: args.operation,
      input: args.input,
      started_at: args.at,
      key: once?.key ?? null,
      request_hash: once?.requestHash ?? null,
      key_expires_at: once?.expiresAt ?? null,
      outcome: null,
      ended_at: null,
      answer: null,
    }),
  );
  return { call };
}
