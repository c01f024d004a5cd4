/** Makes changes of items ready for the store: derives the facts of new octets, and resolves names to numbers. */

import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import type { CollectionRow } from "#/storage/items.ts";
import type { Store } from "#/storage/store.ts";
import type { ItemAction as StoredAction } from "#/storage/transactions/collections/change-items.ts";
import { prepareAttachments } from "./attachments.ts";
import type { ItemAction, PutItem } from "./collections.ts";
import type { ItemPreparation } from "./preparing/preparation.ts";
import { itemOfSegment } from "./rows.ts";
import { assertSegment } from "./segment.ts";

export interface Preparing {
  readonly store: Store;
  readonly preparation: ItemPreparation;
  readonly findRow: (agent: AgentNumber, collection: CollectionNumber) => Promise<CollectionRow | undefined>;
}

export async function prepareActions(
  preparing: Preparing,
  agent: AgentNumber,
  actions: readonly ItemAction[],
): Promise<StoredAction[]> {
  const prepared: StoredAction[] = [];
  for (const action of actions)
    prepared.push(
      action.kind === "put"
        ? await preparePut(preparing, agent, action)
        : action.kind === "move"
          ? prepareMove(preparing.store, agent, action)
          : action,
    );
  return prepared;
}

async function preparePut(
  { store, preparation, findRow }: Preparing,
  agent: AgentNumber,
  { bytes, provenance, attachments, ...kept }: PutItem,
): Promise<StoredAction> {
  const { collection, segment } = kept;
  const place = await findRow(agent, collection);
  if (place === undefined)
    throw new WaypostError("not_found", "There is no such calendar or addressbook.", { object: collection });
  if (segment !== undefined) assertSegment(segment);
  const { kind, role } = place;
  const facts = await preparation.prepare(bytes, {
    kind,
    isMessage: role === "inbox",
    at: store.clock.now(),
  });
  return {
    ...kept,
    kind: "put",
    named: segment === undefined ? undefined : itemOfSegment(store.ids, agent, segment),
    facts,
    provenance: JSON.stringify(provenance),
    isImported: provenance.source === "import",
    attachments: await prepareAttachments(attachments),
  };
}

function prepareMove(
  store: Store,
  agent: AgentNumber,
  { item, to, expected }: Extract<ItemAction, { readonly kind: "move" }>,
): StoredAction {
  const { collection, segment, overwrite } = to;
  if (segment !== undefined) assertSegment(segment);
  const named = segment === undefined ? undefined : itemOfSegment(store.ids, agent, segment);
  return {
    kind: "move",
    item,
    collection,
    // The id of the item itself is no segment that a client chose.
    segment: named === item ? null : segment,
    named,
    isOverwriting: overwrite,
    expected,
  };
}
