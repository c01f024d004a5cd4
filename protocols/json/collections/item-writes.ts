/** Writes of events and contacts: what their operations share. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { ItemWritten, PutItem } from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import { unknownObject } from "../errors.ts";
import { idempotencyOf } from "../idempotency.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import { assertVersion } from "./container.ts";
import { itemForms } from "./item-forms.ts";
import { itemId, itemKinds, type ReachedItem, reachNamedItem } from "./reach.ts";

type WrittenItem = Pick<PutItem, "bytes" | "provenance" | "isAuthenticated">;

interface Keyed extends Readonly<Record<string, unknown>> {
  readonly idempotency_key?: string | undefined;
}

interface Change extends Keyed {
  readonly id: string;
  readonly version?: string | undefined;
}

/** Creates an item in the collection that `reach` answers. */
export async function putNewItem(
  context: OperationContext,
  kind: CollectionKind,
  operation: string,
  input: Keyed,
  reach: () => Promise<ReachedCollection>,
  make: () => Promise<WrittenItem>,
) {
  const { collections } = context.rooms;
  const once = idempotencyOf(context, operation, input);
  const { agent, actor, number } = await reach();
  const create = async () => {
    const made = await make();
    return saidAtUid(() => collections.putItem(agent, actor, { collection: number, ...made }, once));
  };
  const written = (await collections.findItemRepeat(once)) ?? (await create());
  return resultOf(context, kind, agent, { ...written, isCreated: true });
}

/** The UID of a body is a field of the request. */
async function saidAtUid<R>(put: () => Promise<R>): Promise<R> {
  try {
    return await put();
  } catch (error) {
    if (!isWaypostError(error) || error.details.reason !== "no-uid-conflict") throw error;
    throw new WaypostError("invalid", "There is one of this uid already.", {
      field: "/body/uid",
      hint: "Change that one, or leave uid out.",
    });
  }
}

async function resultOf(
  { rooms: { collections } }: OperationContext,
  kind: CollectionKind,
  agent: AgentNumber,
  { item, modseq, isCreated }: ItemWritten,
) {
  const uid = (await collections.findItem(agent, item))?.uid;
  return {
    ref: collections.ids.encode(itemKinds[kind], agent, item),
    created: isCreated,
    version: String(modseq),
    ...(uid === undefined ? {} : { uid }),
  };
}

/** Changes what `id` names, at the version that was read. `change` answers undefined where nothing is to be written; `inside` is
 *  what stands behind the # of the item's own id. */
export async function changeItem(
  context: OperationContext,
  kind: CollectionKind,
  operation: string,
  input: Change,
  change: (stored: StoredItem, id: string, inside: string | undefined) => Promise<WrittenItem | undefined>,
) {
  const { collections } = context.rooms;
  const once = idempotencyOf(context, operation, input);
  const { agent } = readId(context, input.id.replace(/#.*/s, ""), [itemKinds[kind], kind], "/id");
  const update = async (): Promise<ItemWritten> => {
    const reached = await reachNamedItem(context, kind, input.id, "write");
    const { collection, stored } = await assertCurrent(context, reached, input.version);
    const { number: item, modseq } = stored;
    const written = await change(stored, itemId(context, stored), reached.inside);
    if (written === undefined) return { item, modseq, isCreated: false };
    const put = { collection: collection.number, item, expected: { version: input.version }, ...written };
    return withCurrentItem(context, reached, () => collections.putItem(agent, collection.actor, put, once));
  };
  return resultOf(context, kind, agent, (await collections.findItemRepeat(once)) ?? (await update()));
}

export async function deleteItem(
  context: OperationContext,
  kind: CollectionKind,
  operation: string,
  input: Change,
) {
  const { collections } = context.rooms;
  const once = idempotencyOf(context, operation, input);
  const remove = async () => {
    const reached = await reachNamedItem(context, kind, input.id, "write");
    assertWhole(kind, reached.inside);
    const { collection, stored } = await assertCurrent(context, reached, input.version);
    const { agent, number } = stored;
    const expected = { version: input.version };
    return withCurrentItem(context, reached, () =>
      collections.deleteItem(agent, collection.actor, number, expected, once),
    );
  };
  const { modseq } = (await collections.findItemRepeat(once)) ?? (await remove());
  return { ref: input.id, created: false, version: String(modseq) };
}

/** Throws `invalid` where a part of an item is named. */
export function assertWhole(kind: CollectionKind, inside: string | undefined): void {
  if (inside === undefined) return;
  throw new WaypostError("invalid", `A ${itemKinds[kind]} is named whole here.`, {
    field: "/id",
    hint: "Leave out what stands behind #; patch names a place inside.",
  });
}

async function assertCurrent(
  context: OperationContext,
  { collection, item }: ReachedItem,
  version: string | undefined,
): Promise<{ readonly collection: ReachedCollection; readonly stored: StoredItem }> {
  const [stored] = await context.rooms.collections.readItems(item.agent, [item.number]);
  if (stored === undefined) unknownObject();
  const current = collection.rights.has("read")
    ? await itemForms[stored.kind].shortForm(context, stored, collection)
    : {};
  assertVersion(version, String(stored.modseq), current);
  return { collection, stored };
}

/** A refusal of the write itself says what the item is now, too. */
async function withCurrentItem<R>(
  context: OperationContext,
  reached: ReachedItem,
  write: () => Promise<R>,
): Promise<R> {
  try {
    return await write();
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "precondition_failed") throw error;
    await assertCurrent(context, reached, undefined);
    throw error;
  }
}
