/** What a grant gives: rights, on objects that it names or on all of a kind ("Scopes, grants, limits" of the interface). */
import { scopes } from "./roles.ts";

/** Scopes, and what only a grant can give. `calendar:freebusy` is when somebody is busy, and nothing else of their calendars. */
export const grantRights = [...scopes, "calendar:freebusy"] as const satisfies readonly string[];
export type GrantRight = (typeof grantRights)[number];

/** The kinds of which a grant names objects. Items and messages are reached through what they are in. */
export const grantedKinds = ["mailbox", "calendar", "addressbook"] as const;
export type GrantedKind = (typeof grantedKinds)[number];

/** Of each kind all objects, also those to come, or the numbers of some, or of none. A grant reaches nothing that is not said
 *  here: when the last object that it names of a kind is deleted, it reaches none of that kind. */
export type GrantedObjects = Readonly<Record<GrantedKind, "all" | readonly number[]>>;

/** The right that holds another one, if one does. */
const wider: Partial<Record<GrantRight, GrantRight>> = {
  "mail:read": "mail",
  "calendar:freebusy": "calendar:read",
  "calendar:read": "calendar",
  "contacts:read": "contacts",
};

/** Whether a right is there, or a wider one that holds it: `mail` holds `mail:read`. */
export function hasRight(owned: ReadonlySet<GrantRight>, right: GrantRight): boolean {
  for (let one: GrantRight | undefined = right; one !== undefined; one = wider[one])
    if (owned.has(one)) return true;
  return false;
}

export function isGrantRight(text: string): text is GrantRight {
  return (grantRights as readonly string[]).includes(text);
}
