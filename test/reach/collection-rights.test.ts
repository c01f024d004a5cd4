import { expect, test } from "vitest";
import { allObjects, type ReachedObjects } from "#/src/accounts/principal.ts";
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { GrantRight } from "#/src/model/grants.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { rightsOnCollection } from "#/src/reach/collection-rights.ts";

const five = 5 as CollectionNumber;
const some = (...numbers: number[]): ReachedObjects => ({
  ...allObjects,
  calendar: new Set(numbers),
  addressbook: new Set(numbers),
});

function shown(kind: CollectionKind, ...grants: [scopes: string, objects: ReachedObjects][]): string {
  const reaches = grants.map(([scopes, objects]) => ({
    scopes: new Set(scopes.split(" ") as GrantRight[]),
    objects,
  }));
  return [...rightsOnCollection(reaches, kind, five)].join(" ");
}

test.each<[CollectionKind, string, ReachedObjects, string]>([
  ["calendar", "calendar:freebusy", allObjects, "freebusy"],
  ["calendar", "calendar:freebusy", some(5), "freebusy"],
  ["calendar", "calendar:read", allObjects, "freebusy read"],
  ["calendar", "calendar", allObjects, "freebusy read write manage"],
  ["calendar", "calendar", some(5, 6), "freebusy read write"],
  ["calendar", "calendar", some(6), ""],
  ["calendar", "calendar", some(), ""],
  ["calendar", "contacts mail", allObjects, ""],
  ["addressbook", "contacts:read", some(5), "freebusy read"],
  ["addressbook", "contacts", allObjects, "freebusy read write manage"],
  ["addressbook", "calendar mail calendar:freebusy", allObjects, ""],
])("%s: %s on %j gives %s", (kind, scopes, objects, rights) => {
  expect(shown(kind, [scopes, objects])).toBe(rights);
});

test("grants on one calendar add up, each scope for its own objects", () => {
  expect(shown("calendar", ["calendar:read", allObjects], ["calendar", some(6)])).toBe("freebusy read");
  expect(shown("calendar", ["calendar:freebusy", allObjects], ["calendar", some(5)])).toBe(
    "freebusy read write",
  );
  expect(shown("calendar")).toBe("");
});

test("a new collection is reached only by grants on all collections", () => {
  const scopes: ReadonlySet<GrantRight> = new Set(["calendar"]);
  expect(rightsOnCollection([{ scopes, objects: some(5) }], "calendar", undefined).size).toBe(0);
  expect(rightsOnCollection([{ scopes, objects: allObjects }], "calendar", undefined)).toContain("manage");
});
