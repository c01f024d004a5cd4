/** Grants: rights on named objects or on all objects of a kind ("Scopes, grants, limits" of the interface). */
import { type Kinds, type KindWith, kinds, kindsWith } from "./kinds.ts";
import { scopes } from "./roles.ts";

/** Scopes, and rights that only a grant can give. `calendar:freebusy` shows only when somebody is busy, no details of their calendars. */
export const grantRights = [...scopes, "calendar:freebusy"] as const satisfies readonly string[];
export type GrantRight = (typeof grantRights)[number];

/** The kinds of objects that a grant names, by the words of the store. Items and messages are reached through the collection or mailbox that
 *  they are in. */
export const grantDeclarations = Object.fromEntries(
  kindsWith("grant").map((kind) => [kinds[kind].grant.word, { kind, ...kinds[kind].grant }]),
) as {
  readonly [K in KindWith<"grant"> as Kinds[K]["grant"]["word"]]: { readonly kind: K } & Kinds[K]["grant"];
};
export type GrantedKind = keyof typeof grantDeclarations;
export type GrantMember = (typeof grantDeclarations)[GrantedKind]["plural"];
export const grantedKinds = Object.keys(grantDeclarations) as readonly GrantedKind[];

/** Of each such kind, with its word. */
export function ofGrantedKinds<T>(make: (kind: GrantedKind) => T): Readonly<Record<GrantedKind, T>> {
  return Object.fromEntries(grantedKinds.map((kind) => [kind, make(kind)])) as Record<GrantedKind, T>;
}

/** Of each such kind, with its plural, as operations and archives name it. */
export function grantMembers<T>(make: (kind: GrantedKind) => T): Readonly<Record<GrantMember, T>> {
  const members = grantedKinds.map((kind) => [grantDeclarations[kind].plural, make(kind)]);
  return Object.fromEntries(members) as Record<GrantMember, T>;
}

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
