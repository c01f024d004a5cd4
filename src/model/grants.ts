/** Grants: rights on named objects or on all objects of a kind ("Scopes, grants, limits" of the interface). */
import { scopes } from "./roles.ts";

/** Scopes, and rights that only a grant can give. `calendar:freebusy` shows only when somebody is busy, no details of their calendars. */
export const grantRights = [...scopes, "calendar:freebusy"] as const satisfies readonly string[];
export type GrantRight = (typeof grantRights)[number];

/** The kinds of objects that a grant names. Items and messages are reached through the collection or mailbox that they are in. */
export const grantedKinds = ["mailbox", "calendar", "addressbook"] as const;
export type GrantedKind = (typeof grantedKinds)[number];

/** For each kind: all objects, also future ones, or the numbers of some, or none. A grant reaches only what is listed here: when the
 *  last listed object of a kind is deleted, the grant reaches none of that kind. */
export type GrantedObjects = Readonly<Record<GrantedKind, "all" | readonly number[]>>;

/** The wider right that includes a right, if there is one. */
const wider: Partial<Record<GrantRight, GrantRight>> = {
  "mail:read": "mail",
  "calendar:freebusy": "calendar:read",
  "calendar:read": "calendar",
  "contacts:read": "contacts",
};

/** Whether the right is owned, or a wider one that includes it: `mail` includes `mail:read`. */
export function hasRight(owned: ReadonlySet<GrantRight>, right: GrantRight): boolean {
  for (let one: GrantRight | undefined = right; one !== undefined; one = wider[one])
    if (owned.has(one)) return true;
  return false;
}

export function isGrantRight(text: string): text is GrantRight {
  return (grantRights as readonly string[]).includes(text);
}
