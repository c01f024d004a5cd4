/** Files are for credentials of all of DAV: one that is for calendars or for contacts alone reads and changes none. */
import type { Principal } from "#/src/accounts/accounts.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import type { Scope } from "#/src/model/roles.ts";

const readScopes: readonly Scope[] = ["calendar:read", "contacts:read"];
const writeScopes: readonly Scope[] = ["calendar", "contacts"];

export function mayReadFiles({ scopes }: Pick<Principal, "scopes">): boolean {
  return readScopes.every((scope) => hasScope(scopes, scope));
}

export function mayWriteFiles({ scopes }: Pick<Principal, "scopes">): boolean {
  return writeScopes.every((scope) => hasScope(scopes, scope));
}
