/** The order that every write of `/v1` and MCP keeps:
 *
 *  1. The credential: its rate, its account and its scope (`carriage/invoke.ts`), and the shape of the request.
 *  2. The mailbox: `reach` says whether the login reaches it now. Who reaches nothing of it any more learns
 *     nothing, not even an earlier result.
 *  3. The key: the result of an earlier request with the same key is the answer, also where its object is gone or has changed since.
 *  4. The object: whether it is there and reached, and what else is read and prepared for the write.
 *  5. The writer, in one transaction: it locks the mailbox, looks for the key again, asks whether the author may do it, compares the version,
 *     makes the change within its quota, writes the log, and keeps the result under the key.
 *
 *  The steps 4 and 5 are `write`. A refusal of a version names the current one only to who may read the object (`current.ts`). */
import type { Idempotency } from "#/src/mail/write-once.ts";
import { idempotencyOf, type KeyedRequest } from "./idempotency.ts";
import type { OperationContext } from "./operation.ts";

export interface KeyedWrite {
  /** The operation and its input: a key stands for this request alone. */
  readonly request: readonly [operation: string, input: KeyedRequest];
  /** How else a key is kept; absent: for an hour, for this request. */
  readonly keeping?: (once: Idempotency) => Idempotency;
}

export interface WriteInOrder<Reached, R> extends KeyedWrite {
  /** Throws what a login is answered that does not reach the mailbox. */
  readonly reach: () => Promise<Reached>;
  /** The result of an earlier request. */
  readonly repeat: (once: Idempotency | undefined, reached: Reached) => Promise<R | undefined>;
  readonly write: (reached: Reached, once: Idempotency | undefined) => Promise<R>;
}

export async function writeInOrder<Reached, R>(
  context: OperationContext,
  { request, keeping = (once) => once, reach, repeat, write }: WriteInOrder<Reached, R>,
): Promise<R> {
  const reached = await reach();
  const key = idempotencyOf(context, ...request);
  const once = key && keeping(key);
  return (await repeat(once, reached)) ?? write(reached, once);
}
