/** Calendars, addressbooks and their items, with the caller's rights. An object of another account and an unknown one have the same
 *  answer; an object of the same account without a grant is `forbidden_scope` ("Names" of the interface). */
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { Item } from "#/src/collections/item.ts";
import { itemKinds } from "#/src/collections/rows.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { AgentNumber, CollectionNumber, ItemNumber } from "#/src/model/numbers.ts";
import {
  type CollectionPlace,
  type CollectionRight,
  createCollectionReach,
  type ReachedCollection,
} from "#/src/reach/collection-reach.ts";
import { unknownObject } from "../errors.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import { instanceName } from "./instance-name.ts";

export interface ReachedItem {
  readonly collection: ReachedCollection;
  readonly item: Item;
}

/** Throws `not_found` and `forbidden_scope`, as for every id. */
export function reachCollection(
  context: OperationContext,
  kind: CollectionKind,
  agent: AgentNumber,
  number: CollectionNumber,
  right: CollectionRight,
): Promise<ReachedCollection> {
  return createCollectionReach(context).reach(kind, agent, number, right);
}

/** The collection that `in` names; absent: the default one of the credential's own mailbox. */
export async function reachCollectionIn(
  context: OperationContext,
  kind: CollectionKind,
  id: string | undefined,
  right: CollectionRight,
): Promise<ReachedCollection> {
  const { collections } = context.rooms;
  if (id !== undefined) {
    const { agent, object } = readId(context, id, [kind], "/in");
    return reachCollection(context, kind, agent, object as CollectionNumber, right);
  }
  const { agent } = context.principal;
  const own = await collections.findCollectionOfRole(agent, kind, "default");
  return reachCollection(context, kind, agent, (own ?? unknownObject()).number, right);
}

/** An event or contact by its own id. */
export async function reachItem(
  context: OperationContext,
  kind: CollectionKind,
  name: ObjectName,
  right: CollectionRight,
): Promise<ReachedItem> {
  const item = await context.rooms.collections.findItem(name.agent, name.object as ItemNumber);
  if (item === undefined || item.kind !== kind) unknownObject();
  return { collection: await reachCollection(context, kind, name.agent, item.collection, right), item };
}

/** An item of a collection, by its id or UID. */
export async function reachItemIn(
  context: OperationContext,
  collection: ReachedCollection,
  selector: string,
): Promise<ReachedItem> {
  const { collections } = context.rooms;
  const named = collections.ids.decode(selector);
  if (named?.kind === itemKinds[collection.kind]) {
    const item = await collections.findItem(named.agent, named.object as ItemNumber);
    const isIn = item?.agent === collection.agent && item.collection === collection.number;
    return { collection, item: isIn ? item : unknownObject() };
  }
  const [item] = await collections.findItemsByUid(collection.agent, selector, {
    collection: collection.number,
  });
  return { collection, item: item ?? unknownObject() };
}

/** The item that `id` names: `contact_…` or `addressbook_…#<contact or uid>`, `event_…` or `calendar_…#<uid>`. `inside`: the text
 *  after the # of an item's own id, which names a part or an instance. */
export async function reachNamedItem(
  context: OperationContext,
  kind: CollectionKind,
  id: string,
  right: CollectionRight,
): Promise<ReachedItem & { readonly inside: string | undefined }> {
  const hash = id.indexOf("#");
  const inside = hash === -1 ? undefined : id.slice(hash + 1);
  const name = readId(context, hash === -1 ? id : id.slice(0, hash), [itemKinds[kind], kind], "/id");
  if (name.kind !== kind) {
    const named = kind === "calendar" && inside !== undefined ? instanceName(inside) : inside;
    return { ...(await reachItem(context, kind, name, right)), inside: named };
  }
  if (inside === undefined)
    throw new WaypostError("invalid", `This names the ${kind}, and no ${itemKinds[kind]} of it.`, {
      field: "/id",
      hint: `Accepted: ${itemKinds[kind]}_…, ${kind}_…#<uid>`,
    });
  const collection = await reachCollection(context, kind, name.agent, name.object as CollectionNumber, right);
  return { ...(await reachItemIn(context, collection, inside)), inside: undefined };
}

export function collectionId(
  { rooms }: Pick<OperationContext, "rooms">,
  { kind, agent, number }: Pick<ReachedCollection, "kind" | "agent" | "number">,
): string {
  return rooms.collections.ids.encode(kind, agent, number);
}

export function itemId(
  { rooms }: Pick<OperationContext, "rooms">,
  { kind, agent, number }: Pick<Item, "kind" | "agent" | "number">,
): string {
  return rooms.collections.ids.encode(itemKinds[kind], agent, number);
}

/** The collections of an agent that the credential may read. */
export async function listReadable(
  context: OperationContext,
  kind: CollectionKind,
  agent: AgentNumber,
): Promise<readonly ReachedCollection[]> {
  const seen = await createCollectionReach(context).list(kind, agent);
  return seen.filter(({ rights, role }) => rights.has("read") && role !== "inbox");
}

/** The owner of a new collection: the mailbox that `in` names, or that of the credential. */
export function placeIn(
  context: OperationContext,
  kind: CollectionKind,
  id: string | undefined,
): Promise<CollectionPlace> {
  const agent = id === undefined ? context.principal.agent : readId(context, id, ["agent"], "/in").agent;
  return createCollectionReach(context).place(kind, agent);
}
