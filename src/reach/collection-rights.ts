/** Rights on calendars and addressbooks, derived from scopes and grants: the one place that says who may do what.
 *
 *  freebusy: see that it is there, and of a calendar when its owner is busy; nothing else of it. read: see it and what is in it.
 *  write: put, change and delete what is in it. manage: create and delete collections and set their properties. Each right
 *  holds those before it. */
import { hasScope, type Reach } from "#/src/accounts/principal.ts";
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { GrantRight } from "#/src/model/grants.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";

export const collectionRights = ["freebusy", "read", "write", "manage"] as const;
export type CollectionRight = (typeof collectionRights)[number];
export type CollectionRights = ReadonlySet<CollectionRight>;

/** The scope that a right needs. Who lacks it has the right on no collection of the kind. */
export function scopeOfRight(kind: CollectionKind, right: CollectionRight): GrantRight {
  return scopesOfRights[kind][right];
}

/** Of addressbooks there is no free-busy: who sees them reads them. */
const scopesOfRights: Record<CollectionKind, Record<CollectionRight, GrantRight>> = {
  calendar: { freebusy: "calendar:freebusy", read: "calendar:read", write: "calendar", manage: "calendar" },
  addressbook: {
    freebusy: "contacts:read",
    read: "contacts:read",
    write: "contacts",
    manage: "contacts",
  },
};

/** The rights that grants give on a collection together; undefined: on one that is still to come. Managing is for who reaches
 *  all of the kind. */
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
