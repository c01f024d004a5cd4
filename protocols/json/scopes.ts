import type { Principal } from "#/src/accounts/accounts.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import { missingScope } from "#/src/reach/refusals.ts";
import type { NeededScope, Operation } from "./operation.ts";

/** Whether a call may get as far as its input; of an operation on objects of several kinds, the kind decides later. */
export function canCall({ scopes }: Pick<Principal, "scopes">, { scope }: Operation): boolean {
  return scope === "any" || scope === "kind" || hasScope(scopes, scope);
}

/** `any` and `kind` pass: the first needs nothing, the second is asked for once the kind is known. */
export function assertScope(principal: Principal, needed: NeededScope): void {
  if (needed === "any" || needed === "kind" || hasScope(principal.scopes, needed)) return;
  throw missingScope(needed);
}
