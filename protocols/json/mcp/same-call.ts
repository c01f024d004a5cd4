/** Programs that call tools repeat themselves: a model that lost its place sends a mail again. A call of a tool that sends or creates,
 *  without `idempotency_key`, counts as a repeat of the same call by the same credential in the last ten minutes. */
import type { Principal } from "#/src/accounts/accounts.ts";
import { hashOf } from "../idempotency.ts";
import type { Operation, SameCall } from "../operation.ts";

export const sameCallMs = 10 * 60 * 1000;

export const replayedHint =
  "The same call was made in the last ten minutes, and this is its result; with another idempotency_key it is done again.";

export function sendsOrCreates({ verb, name }: Pick<Operation, "verb" | "name">): boolean {
  return verb === "send" || name.endsWith(".create");
}

/** No key of a request has a space, so none is equal to this one. */
export function sameCallOf(
  operation: Operation,
  input: unknown,
  { credential }: Pick<Principal, "credential">,
  now: number,
): SameCall | undefined {
  if (!sendsOrCreates(operation) || (input as { idempotency_key?: string }).idempotency_key !== undefined)
    return undefined;
  const hash = hashOf([operation.name, input]).toString("base64url");
  return { key: `same ${credential.kind}${credential.number} ${hash}`, expiresAt: now + sameCallMs };
}
