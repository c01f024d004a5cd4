/** Idempotency keys ("Limits" of the interface): the transaction of the write looks up the key and stores the result. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { replacement } from "./schema/insertion.ts";
import type { Reader, Sql } from "./sql.ts";

export interface Idempotency {
  readonly agent: AgentNumber;
  readonly operation: string;
  readonly key: string;
  /** Hash of the request as it was sent. The same key with another request is refused. */
  readonly requestHash: Uint8Array;
  readonly expiresAt: number;
  /** The stored result is the answer to any request with the key. */
  readonly replaysAnyRequest?: boolean;
}

export interface OnceResult<R> {
  readonly result: R;
  readonly isReplayed: boolean;
}

/** The result of an earlier request with this key. Throws `invalid` when the key was used for another request of any operation. An
 *  operation that replays any request reads only its own keys. */
export async function findRepeat<R>(
  reader: Reader,
  once: Idempotency,
  now: number,
): Promise<{ readonly result: R } | undefined> {
  const stored = await reader.all<{ operation: string; hash: Uint8Array; result: string }>(
    `select operation, request_hash as hash, result
    from idempotency
    where agent_id = ? and key = ? and expires_at > ?`,
    once.agent,
    once.key,
    now,
  );
  const own = stored.find(({ operation }) => operation === once.operation);
  if (once.replaysAnyRequest === true) return own && { result: JSON.parse(own.result) as R };
  if (stored.length === 0) return undefined;
  if (own === undefined || Buffer.compare(own.hash, once.requestHash) !== 0)
    throw new WaypostError("invalid", "This idempotency key was used with another request", {
      field: "/idempotency_key",
      hint: "Use a new key for a new request.",
    });
  return { result: JSON.parse(own.result) as R };
}

/** Runs a write unless its key was used before. A key that has expired at `now` counts as unused. */
export async function runOnce<R>(
  tx: Sql,
  once: Idempotency,
  now: number,
  run: () => Promise<R>,
): Promise<OnceResult<R>> {
  const repeat = await findRepeat<R>(tx, once, now);
  if (repeat !== undefined) return { ...repeat, isReplayed: true };
  const result = await run();
  await tx.send(
    ...replacement(
      "idempotency",
      {
        agent_id: once.agent,
        key: once.key,
        operation: once.operation,
        request_hash: once.requestHash,
        result: JSON.stringify(result ?? null),
        expires_at: once.expiresAt,
      },
      "agent_id",
      "key",
      "operation",
    ),
  );
  return { result, isReplayed: false };
}
