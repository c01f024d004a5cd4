/** Repeat protection of writes ("Limits" of the interface): a key belongs to the agent that sent it, and the store keeps the result
 *  in the same transaction as the write. */
import { createHash } from "node:crypto";
import type { Idempotency } from "#/src/mail/write-once.ts";
import type { OperationContext } from "./operation.ts";

/** How long a key of a write other than `send` is remembered. */
export const keyMemoryMs = 60 * 60 * 1000;

export type KeyedRequest = Readonly<Record<string, unknown>> & {
  readonly idempotency_key?: string | undefined;
};

export function idempotencyOf(
  context: OperationContext,
  operation: string,
  input: KeyedRequest,
): Idempotency | undefined {
  const { idempotency_key: own, ...request } = input;
  const { sameCall } = context;
  const key = own ?? sameCall?.key;
  if (key === undefined) return undefined;
  return {
    agent: context.principal.agent,
    operation,
    key,
    requestHash: hashOf(request),
    expiresAt: own === undefined ? sameCall!.expiresAt : context.rooms.mail.clock.now() + keyMemoryMs,
  };
}

export function hashOf(request: unknown): Buffer {
  return createHash("sha256").update(canonicalJson(request)).digest();
}

/** JSON with sorted members, so that the order of members does not make another request. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
