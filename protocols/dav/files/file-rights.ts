/** Files need a credential for all of DAV. A credential for calendars alone or contacts alone neither reads nor changes files. */
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
