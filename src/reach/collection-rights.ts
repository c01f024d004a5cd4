/** Rights on calendars and addressbooks, derived from scopes and grants. Only this file defines who may do what.
 *
 *  freebusy: see that it exists, and when its owner is busy; nothing else. read: see it and its items. write: add, change and delete
 *  items. manage: create and delete collections and set their properties. Each right includes those before it. */
import { hasScope, type Reach } from "#/src/accounts/principal.ts";
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { GrantRight } from "#/src/model/grants.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";

export const collectionRights = ["freebusy", "read", "write", "manage"] as const;
export type CollectionRight = (typeof collectionRights)[number];
export type CollectionRights = ReadonlySet<CollectionRight>;

/** The scope that a right needs. Without it a login has the right on no collection of the kind. */
export function scopeOfRight(kind: CollectionKind, right: CollectionRight): GrantRight {
  return scopesOfRights[kind][right];
}

/** Addressbooks have no free-busy: all who see them may read them. */
const scopesOfRights: Record<CollectionKind, Record<CollectionRight, GrantRight>> = {
  calendar: { freebusy: "calendar:freebusy", read: "calendar:read", write: "calendar", manage: "calendar" },
  addressbook: {
    freebusy: "contacts:read",
    read: "contacts:read",
    write: "contacts",
    manage: "contacts",
  },
};

/** The rights that grants together give on a collection; undefined stands for a future collection. To manage needs reach to all of the
 *  kind. */
export function rightsOnCollection(
  reaches: readonly Pick<Reach, "scopes" | "objects">[],
  kind: CollectionKind,
  collection: CollectionNumber | undefined,
): CollectionRights {
  return new Set(collectionRights.filter((right) => reaches.some((reach) => gives(reach, right))));

  function gives({ scopes, objects }: Pick<Reach, "scopes" | "objects">, right: CollectionRight): boolean {
    const reached = objects[kind];
    const isReached = reached === "all" || (collection !== undefined && reached.has(collection));
    return (
      isReached && (right !== "manage" || reached === "all") && hasScope(scopes, scopeOfRight(kind, right))
    );
  }
}
