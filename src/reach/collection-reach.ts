/** Calendars and addressbooks that a login may use: its own, and those of others by grants. Every protocol checks access to collections
 *  here and nowhere else. */
import { hasScope, type Reach } from "#/src/accounts/principal.ts";
import type { Collection, CollectionKind } from "#/src/collections/collection.ts";
import type { Collections } from "#/src/collections/collections.ts";
import type { Actor } from "#/src/model/author.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import { type Asked, findReached, listReached, type ReachedAgent, reachAgent } from "./agents.ts";
import {
  type CollectionRight,
  type CollectionRights,
  rightsOnCollection,
  scopeOfRight,
} from "./collection-rights.ts";
import { forbidden, missingScope, noSuchObject } from "./refusals.ts";

export type { CollectionRight, CollectionRights } from "./collection-rights.ts";

/** A collection for one login. A login that may only see free-busy gets no name, no segment and no count. */
export interface ReachedCollection extends Collection {
  /** Never empty. */
  readonly rights: CollectionRights;
  readonly isOwn: boolean;
  readonly owner: { readonly agent: AgentNumber; readonly address: string; readonly name: string };
  /** Its name among all collections that the login sees: with its owner, if that is somebody else. */
  readonly shownName: string;
  /** The actor of a write to it. */
  readonly actor: Actor;
}

/** Where a collection may be created. */
export interface CollectionPlace {
  readonly agent: AgentNumber;
  readonly actor: Actor;
}

export interface CollectionReach {
  /** All collections of a kind that the login sees, or those of one owner; its own first. Only its owner sees the scheduling inbox. */
  list(kind: CollectionKind, owner?: AgentNumber): Promise<readonly ReachedCollection[]>;
  /** undefined for a collection that does not exist or is not visible. Throws `forbidden_scope` for a visible one without the right.
   *  For protocols that name collections by their owners' names. */
  find(
    agent: AgentNumber,
    collection: CollectionNumber,
    right: CollectionRight,
  ): Promise<ReachedCollection | undefined>;
  /** Throws `not_found` for a collection that does not exist or is of another account, and `forbidden_scope` for one of the account that
   *  is not visible or lacks the right. For protocols that name collections by ids. */
  reach(
    kind: CollectionKind,
    agent: AgentNumber,
    collection: CollectionNumber,
    right: CollectionRight,
  ): Promise<ReachedCollection>;
  /** For a new collection of an agent. Throws as `reach` does. */
  place(kind: CollectionKind, agent: AgentNumber): Promise<CollectionPlace>;
}

/** The login and the rooms that are needed to check access to collections. */
export interface AskedOfCollections extends Asked {
  readonly rooms: Asked["rooms"] & {
    readonly collections: Pick<Collections, "listCollections" | "findCollection">;
  };
}

export function createCollectionReach(asked: AskedOfCollections): CollectionReach {
  const { collections } = asked.rooms;

  async function findSeen(owner: ReachedAgent, number: CollectionNumber): Promise<Collection | undefined> {
    const collection = await collections.findCollection(owner.agent, number);
    return collection?.role === "inbox" && !owner.isOwn ? undefined : collection;
  }

  return {
    async list(kind, owner) {
      const seen: ReachedCollection[] = [];
      const owners = owner === undefined ? await listReached(asked) : [await findReached(asked, owner)];
      for (const one of owners) {
        if (one === undefined) continue;
        // Nothing is created or read for owners who share no collection of the kind.
        if (!one.reaches.some((reach) => reachesSome(reach, kind))) continue;
        for (const collection of await collections.listCollections(one.agent, kind)) {
          const shown = seenAs(collection, one);
          if (shown !== undefined) seen.push(shown);
        }
      }
      return seen;
    },

    async find(agent, number, right) {
      const owner = await findReached(asked, agent);
      const collection = owner && (await findSeen(owner, number));
      const seen = collection && seenAs(collection, owner);
      if (seen !== undefined && !seen.rights.has(right)) throw lacking(seen, right);
      return seen;
    },

    async reach(kind, agent, number, right) {
      const owner = await reachAgent(asked, agent, scopeOfRight(kind, right));
      const collection = await findSeen(owner, number);
      if (collection?.kind !== kind) throw noSuchObject();
      const seen = seenAs(collection, owner);
      if (seen === undefined)
        throw forbidden(
          `The grant does not reach this ${kind}.`,
          `The credential itself is fine; the operator chooses the ${kind}s of a grant.`,
        );
      if (!seen.rights.has(right)) throw lacking(seen, right);
      return seen;
    },

    async place(kind, agent) {
      const owner = await reachAgent(asked, agent, scopeOfRight(kind, "manage"));
      if (!rightsOnCollection(owner.reaches, kind, undefined).has("manage"))
        throw forbidden(`The grant does not extend to creating ${kind}s.`);
      return { agent, actor: owner.actor };
    },
  };
}

/** Whether a grant can make collections of the kind visible. */
function reachesSome({ objects, scopes }: Reach, kind: CollectionKind): boolean {
  const reached = objects[kind];
  return (reached === "all" || reached.size > 0) && hasScope(scopes, scopeOfRight(kind, "freebusy"));
}

function seenAs(collection: Collection, owner: ReachedAgent): ReachedCollection | undefined {
  if (collection.role === "inbox" && !owner.isOwn) return undefined;
  const { agent, address, name, isOwn, actor } = owner;
  const rights = rightsOnCollection(owner.reaches, collection.kind, collection.number);
  if (rights.size === 0) return undefined;
  const reached = { rights, isOwn, owner: { agent, address, name }, actor };
  if (!rights.has("read")) return { ...collection, ...nothingButTimes(nameOf(owner)), ...reached };
  const shownName = isOwn ? collection.displayName : `${collection.displayName}${ownerBehind(owner)}`;
  return { ...collection, ...reached, shownName };
}

/** The name of a collection as its owner has it, of one that a login has read as `shownName`, changed and sent back. */
export function nameWithoutOwner({ isOwn, owner }: ReachedCollection, text: string): string {
  const behind = ownerBehind(owner);
  return !isOwn && text.endsWith(behind) ? text.slice(0, -behind.length) : text;
}

type Owner = Pick<ReachedAgent, "name" | "address">;

function ownerBehind(owner: Owner): string {
  return ` (${nameOf(owner)})`;
}

function nameOf({ name, address }: Owner): string {
  return name === "" ? address : name;
}

/** The fields for a login that may only see free-busy, without those that need the right to read. */
function nothingButTimes(shownName: string) {
  const hidden = { segment: undefined, description: undefined, color: undefined, order: undefined };
  return { ...hidden, displayName: shownName, shownName, itemCount: 0, byteCount: 0 };
}

function lacking({ kind, isOwn, rights }: ReachedCollection, right: CollectionRight) {
  if (isOwn) return missingScope(scopeOfRight(kind, right));
  return forbidden(
    rights.has("read")
      ? "The grant does not allow this."
      : "The grant shows when somebody is busy, and nothing else.",
  );
}
