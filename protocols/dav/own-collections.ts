/** The collections that a login has of its own, within its scopes. */
import type { Principal } from "#/src/accounts/accounts.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import type { Collection, CollectionKind } from "#/src/collections/collection.ts";
import type { Collections } from "#/src/collections/collections.ts";
import { needPrivileges } from "./privileges.ts";
import type { CollectionReach, CollectionRight, ReachedCollection } from "./rooms.ts";

const scopeOf = { calendar: "calendar", addressbook: "contacts" } as const;

export function ownCollections(collections: Collections, login: Principal): CollectionReach {
  function rightsOn(kind: CollectionKind): ReadonlySet<CollectionRight> {
    const scope = scopeOf[kind];
    if (hasScope(login.scopes, scope)) return new Set(["freebusy", "read", "write", "manage"]);
    return hasScope(login.scopes, `${scope}:read`) ? new Set(["freebusy", "read"]) : new Set();
  }

  function reached(collection: Collection): ReachedCollection {
    const { agent, address, name } = login;
    return {
      ...collection,
      rights: rightsOn(collection.kind),
      isOwn: true,
      owner: { agent, address, name },
      actor: { agent, canApprove: false },
    };
  }

  return {
    async list(kind) {
      if (rightsOn(kind).size === 0) return [];
      return (await collections.listCollections(login.agent, kind)).map(reached);
    },
    async find(agent, number, right) {
      if (agent !== login.agent) return undefined;
      const found = await collections.findCollection(agent, number);
      if (found === undefined || rightsOn(found.kind).size === 0) return undefined;
      if (!rightsOn(found.kind).has(right)) throw needPrivileges("The login may not do this here.");
      return reached(found);
    },
  };
}
