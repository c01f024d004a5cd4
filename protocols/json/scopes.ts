import type { Principal } from "#/src/accounts/accounts.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import { missingScope } from "#/src/reach/refusals.ts";
import type { NeededScope, Operation } from "./operation.ts";

/** Whether the scopes allow the call at all, before its input is read. For operations on several kinds of objects, `run` checks the
 *  scope of the kind. */
export function canCall({ scopes }: Pick<Principal, "scopes">, { scope }: Operation): boolean {
  return scope === "any" || scope === "kind" || hasScope(scopes, scope);
}

/** Throws `forbidden_scope`. `any` and `kind` pass: `any` needs no scope, `kind` is checked when the kind of object is known. */
export function assertScope(principal: Principal, needed: NeededScope): void {
  if (needed === "any" || needed === "kind" || hasScope(principal.scopes, needed)) return;
  throw missingScope(needed);
}
