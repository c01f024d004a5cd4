/** The changes of a transaction to the calendars and addressbooks of its agent and to their items. Rows are written at once, so the
 *  numbers of all new objects have to be reserved before; counters and the log are written at the end.
 *
 *  Each change checks its preconditions: the version of an item, that there is none yet, that its UID is unique in its collection (RFC
 *  4791 section 5.3.2.1, RFC 6352 section 6.3.2.1). */
import { WaypostError } from "#/src/model/errors.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type { CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { CollectionRow, ItemFacts, ItemRow } from "../../items.ts";
import { type CollectionPropertyRow, selectCollection } from "../../queries/collections/collections.ts";
import {
  findItem,
  findItemBySegment,
  listItemsOfUid,
  listItemsOfUidInKind,
} from "../../queries/collections/items.ts";
import type { AgentTransaction, TransactionPart } from "../agent-transaction.ts";
import type { LoggedChange } from "../change-log.ts";
import { CollectionWrite, refusedItem } from "./collection-write.ts";
import { replaceItemAddresses } from "./item-addresses.ts";
import { type ItemAttachments, planAttachments } from "./item-attachments.ts";
import { replaceItemProperties } from "./item-properties.ts";
import { deleteItemRows, insertItem, isSameData, moveItemRows, updateItem } from "./item-rows.ts";

/** The state that a caller relies on; it throws `precondition_failed` with the current version. */
export interface ItemExpectation {
  /** "absent": no item has the segment. A version: the item has that version. undefined: any state is accepted. */
  readonly version?: string | "absent" | undefined;
  readonly scheduleTag?: string | undefined;
}

export interface ItemPut {
  readonly collection: CollectionNumber;
  /** The item to change; undefined: the item at the segment, or a new one. */
  readonly item?: ItemNumber | undefined;
  /** The last segment of the URL, as the client chose it. If an item has this segment, it is changed; else a new item gets it. The id of
   *  an item with its file extension identifies that item. */
  readonly segment?: string | undefined;
  /** The item whose id is used as the segment. */
  readonly named?: ItemNumber | undefined;
  readonly facts: ItemFacts;
  /** Provenance as JSON. */
  readonly provenance: string;
  readonly isAuthenticated: boolean;
  /** The operator imports the item. Its addresses count as known, as if a person had added them. */
  readonly isImported?: boolean | undefined;
  readonly expected?: ItemExpectation | undefined;
  /** For a copy: its dead properties, which replace those of the item. */
  readonly deadProperties?: readonly CollectionPropertyRow[] | undefined;
  /** Refuse if another calendar of the agent has a scheduling object with the same UID (RFC 6638 section 3.2.4.1). */
  readonly hasUniqueUid?: boolean | undefined;
  /** For a scheduling object: whether its Schedule-Tag stays (RFC 6638 section 3.2.10). */
  readonly keepsScheduleTag?: boolean | undefined;
  /** Managed attachments that the text names (RFC 8607). */
  readonly attachments?: Omit<ItemAttachments, "managedIds"> | undefined;
}

export interface ItemMove {
  readonly item: ItemNumber;
  readonly collection: CollectionNumber;
  /** The new segment; undefined: the same as now, unless it is taken; null: the item's id. */
  readonly segment?: string | null | undefined;
  readonly named?: ItemNumber | undefined;
  /** The item at the target segment is removed. */
  readonly isOverwriting: boolean;
  readonly expected?: ItemExpectation | undefined;
}

export interface ItemResult {
  readonly item: ItemNumber;
  readonly isCreated: boolean;
  /** The item did not change, and keeps its version. */
  readonly isUnchanged: boolean;
  readonly modseq: Modseq;
}

export function itemsOf(write: AgentTransaction): ItemWrite {
  return write.part(makeItems);
}

function makeItems(write: AgentTransaction): ItemWrite {
  return new ItemWrite(write);
}

export class ItemWrite implements TransactionPart {
  readonly transaction: AgentTransaction;
  readonly #collections = new Map<CollectionNumber, CollectionWrite>();
  readonly #collectionChanges = new Map<CollectionNumber, LoggedChange["operation"]>();

  constructor(transaction: AgentTransaction) {
    this.transaction = transaction;
  }

  async collection(number: CollectionNumber): Promise<CollectionWrite> {
    const held = this.#collections.get(number);
    if (held !== undefined) return held;
    const { tx, agent } = this.transaction;
    const row = await tx.get<CollectionRow>(
      `${selectCollection} where agent_id = ? and collection_id = ? and state = 'live'`,
      agent,
      number,
    );
    if (row === undefined)
      throw new WaypostError("not_found", "There is no such calendar or addressbook", { object: number });
    const found = new CollectionWrite(row);
    this.#collections.set(number, found);
    return found;
  }

  collectionChanged(operation: LoggedChange["operation"], collection: CollectionNumber): void {
    this.#collectionChanges.set(collection, operation);
  }

  /** Creates or changes an item. A new item takes one of the reserved numbers. */
  async put(put: ItemPut): Promise<ItemResult> {
    const { facts } = put;
    const { tx, agent, at, modseq } = this.transaction;
    const collection = await this.collection(put.collection);
    const held = await this.#findTarget(collection, put);
    assertExpected(held, put.expected);
    collection.assertTakes(facts.component);
    await this.#assertUid(collection, facts.uid, held);
    if (put.hasUniqueUid === true) await this.#assertUniqueUid(collection, facts.uid);
    const scheduleTag = scheduleTagOf(put, held, modseq);
    const place = { agent, collection: put.collection, modseq, at };
    // A message in the scheduling inbox only describes an event; the event itself has the attachments.
    const managedIds = collection.row.role === "inbox" ? [] : facts.managedIds;
    const attachments = await planAttachments(this.transaction, held?.item, {
      ...put.attachments,
      managedIds,
    });
    if (held === undefined) {
      const bytes = facts.size + attachments.bytes;
      this.transaction.assertRoom(bytes, 0, 1);
      const item = this.transaction.takeNumber() as ItemNumber;
      await insertItem(tx, place, { ...put, item, scheduleTag });
      await replaceItemAddresses(tx, agent, item, facts, await this.#isByPerson(put));
      collection.add(item, bytes);
      this.transaction.grow(bytes, 0, 1);
      await attachments.write(item);
      await this.#putProperties(item, put);
      return { item, isCreated: true, isUnchanged: false, modseq };
    }
    const { item } = held;
    await this.#putProperties(item, put);
    if (
      held.scheduleTag === scheduleTag &&
      held.provenance === put.provenance &&
      (held.isAuthenticated === 1) === put.isAuthenticated &&
      (await isSameData(tx, agent, item, facts))
    )
      return { item, isCreated: false, isUnchanged: true, modseq: held.modseq };
    const growth = facts.size - held.size + attachments.growth;
    this.transaction.assertRoom(growth, 0);
    await updateItem(tx, place, { ...put, item, scheduleTag });
    await replaceItemAddresses(tx, agent, item, facts, await this.#isByPerson(put));
    await attachments.write(item);
    collection.update(item, growth);
    this.transaction.grow(growth, 0);
    return { item, isCreated: false, isUnchanged: false, modseq };
  }

  async #putProperties(item: ItemNumber, { deadProperties }: ItemPut): Promise<void> {
    const { tx, agent } = this.transaction;
    if (deadProperties !== undefined) await replaceItemProperties(tx, agent, item, deadProperties);
  }

  async remove(item: ItemNumber, expected: ItemExpectation | undefined): Promise<ItemResult> {
    const held = await this.#findHeld(item);
    assertExpected(held, expected);
    await this.#drop(held);
    return { item, isCreated: false, isUnchanged: false, modseq: this.transaction.modseq };
  }

  /** MOVE (RFC 4918 section 9.9): the item keeps its number and gets a new version. */
  async move(move: ItemMove): Promise<ItemResult> {
    const { tx, agent, modseq } = this.transaction;
    const held = await this.#findHeld(move.item);
    assertExpected(held, move.expected);
    const from = await this.collection(held.collection);
    const to = await this.collection(move.collection);
    if (from.row.kind !== to.row.kind)
      throw new WaypostError("invalid", `An item of this kind is not put into an ${to.row.kind}`, {
        reason: refusedItem[to.row.kind],
      });
    to.assertTakes(held.component);
    const wanted = move.segment === undefined ? held.segment : move.segment;
    const standing = await this.#findAt(to, wanted ?? undefined, move.named);
    const isOther = standing !== undefined && standing.item !== held.item;
    const isKept = move.segment === undefined;
    if (isOther && !isKept) {
      if (!move.isOverwriting) throw alreadyThere(standing);
      if (standing.uid !== held.uid) throw uidConflict(standing);
      await this.#drop(standing);
    }
    const segment = isOther && isKept ? null : wanted;
    if (to === from && segment === held.segment)
      return { item: held.item, isCreated: false, isUnchanged: true, modseq: held.modseq };
    if (to !== from) await this.#assertUid(to, held.uid, undefined);
    await moveItemRows(tx, { agent, from: held.collection, item: held.item }, to.row.collection, {
      segment,
      modseq,
    });
    const bytes = bytesOf(held);
    from.remove(held.item, held.segment, bytes);
    to.add(held.item, bytes);
    return { item: held.item, isCreated: !isOther || isKept, isUnchanged: false, modseq };
  }

  /** Whether added addresses count as known. Addresses that an agent adds do not: it could add whom it wants to write to. */
  async #isByPerson({ isImported, facts }: ItemPut): Promise<boolean> {
    if (facts.addresses.length === 0) return false;
    if (isImported === true) return true;
    const { tx, actor } = this.transaction;
    if (actor.agent === 0) return false;
    const row = await tx.get<{ kind: string }>("select kind from agent where agent_id = ?", actor.agent);
    return row?.kind === "person";
  }

  async #drop(held: ItemRow): Promise<void> {
    const { tx, agent } = this.transaction;
    const collection = await this.collection(held.collection);
    await deleteItemRows(tx, agent, held.collection, [held.item]);
    collection.remove(held.item, held.segment, bytesOf(held));
    this.transaction.grow(-bytesOf(held), 0, -1);
  }

  async #findHeld(item: ItemNumber): Promise<ItemRow> {
    const held = await findItem(this.transaction.tx, this.transaction.agent, item);
    if (held === undefined) throw noItem(item);
    return held;
  }

  async #findTarget(collection: CollectionWrite, put: ItemPut): Promise<ItemRow | undefined> {
    if (put.item === undefined) return this.#findAt(collection, put.segment, put.named);
    const held = await this.#findHeld(put.item);
    if (held.collection !== collection.row.collection) throw noItem(put.item);
    return held;
  }

  async #findAt(
    { row }: CollectionWrite,
    segment: string | undefined,
    named: ItemNumber | undefined,
  ): Promise<ItemRow | undefined> {
    const { tx, agent } = this.transaction;
    const held =
      segment === undefined ? undefined : await findItemBySegment(tx, agent, row.collection, segment);
    if (held !== undefined || named === undefined) return held;
    const found = await findItem(tx, agent, named);
    return found?.collection === row.collection ? found : undefined;
  }

  /** Refuses a UID that another item of the collection has. The scheduling inbox may have several messages about one object (RFC 6638
   *  section 2.2). */
  async #assertUid({ row }: CollectionWrite, uid: string, held: ItemRow | undefined): Promise<void> {
    if (held !== undefined && held.uid !== uid) throw uidConflict(held);
    if (held !== undefined || row.role === "inbox") return;
    const { tx, agent } = this.transaction;
    const [other] = await listItemsOfUid(tx, agent, uid, row.collection);
    if (other !== undefined) throw uidConflict(other);
  }

  async #assertUniqueUid({ row }: CollectionWrite, uid: string): Promise<void> {
    const { tx, agent } = this.transaction;
    const all = await listItemsOfUidInKind(tx, agent, uid, "calendar");
    const other = all.find((one) => one.collection !== row.collection && one.scheduleTag !== null);
    if (other !== undefined)
      throw new WaypostError(
        "policy_refused",
        "Another calendar has an event of this UID with an organizer",
        {
          reason: "unique-scheduling-object-resource",
          object: other.item,
        },
      );
  }

  async settle(): Promise<void> {}

  listChanges(): LoggedChange[] {
    const changes: LoggedChange[] = [];
    for (const operation of ["add", "update", "remove"] as const) {
      const numbers = [...this.#collectionChanges].filter(([, action]) => action === operation);
      if (numbers.length > 0)
        changes.push({
          kind: "collection",
          parent: 0,
          operation,
          ids: numberSetOf(numbers.map(([number]) => number)),
        });
    }
    for (const collection of this.#collections.values()) changes.push(...collection.listChanges());
    return changes;
  }

  async write(): Promise<void> {
    for (const collection of this.#collections.values())
      if (collection.isTouched) await collection.write(this.transaction.tx, this.transaction);
  }
}

/** Octets of an item with its attachments. */
function bytesOf({ size, attachmentBytes }: ItemRow): number {
  return size + attachmentBytes;
}

function scheduleTagOf(put: ItemPut, held: ItemRow | undefined, modseq: number): string | null {
  if (!put.facts.isSchedulingObject) return null;
  return put.keepsScheduleTag === true && held?.scheduleTag != null ? held.scheduleTag : String(modseq);
}

function assertExpected(held: ItemRow | undefined, expected: ItemExpectation | undefined): void {
  if (expected === undefined) return;
  const { version, scheduleTag } = expected;
  if (version === "absent") {
    if (held !== undefined) throw alreadyThere(held);
  } else if (version !== undefined && version !== String(held?.modseq))
    throw new WaypostError("precondition_failed", "The item has changed since that version", {
      ...(held === undefined ? {} : { version: String(held.modseq), object: held.item }),
      hint: "Read it again, or send this version.",
    });
  if (scheduleTag !== undefined && scheduleTag !== held?.scheduleTag)
    throw new WaypostError("precondition_failed", "The item has another Schedule-Tag", {
      reason: "schedule-tag-match",
      ...(held === undefined ? {} : { version: String(held.modseq), object: held.item }),
    });
}

function alreadyThere(held: ItemRow): WaypostError {
  return new WaypostError("precondition_failed", "There is an item of this name", {
    version: String(held.modseq),
    object: held.item,
  });
}

function uidConflict(held: ItemRow): WaypostError {
  return new WaypostError(
    "policy_refused",
    "The collection has another item of this UID, or this item has another UID",
    {
      reason: "no-uid-conflict",
      object: held.item,
    },
  );
}

function noItem(item: ItemNumber): WaypostError {
  return new WaypostError("not_found", "There is no such item", { object: item });
}
