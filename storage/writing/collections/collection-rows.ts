/** Rows of `collection` and `collection_property`. */
import { type CollectionSettings, collectionProperties } from "#/src/model/collection-properties.ts";
import {
  type CollectionKind,
  type CollectionRole,
  collectionKinds,
  schedulingSegments,
} from "#/src/model/collections.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { collectionsMax, collectionTextBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import type { CollectionRow } from "../../items.ts";
import {
  findCollection,
  findCollectionBySegment,
  findCollectionOfRole,
} from "../../queries/collections/collections.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql } from "../../sql.ts";
import { deleteGrantObject } from "../accounts/grant-rows.ts";
import type { ItemWrite } from "./items.ts";
import { passQuietPushes } from "./quiet-pushes.ts";

export interface NewCollection extends CollectionSettings {
  readonly kind: CollectionKind;
  readonly role: CollectionRole | null;
  readonly segment: string | null;
  /** Divided by commas; null: all components. */
  readonly components: string | null;
}

/** Inserts a collection. Its number must have been reserved. */
export async function insertCollection(items: ItemWrite, made: NewCollection): Promise<CollectionNumber> {
  const { transaction } = items;
  const collection = transaction.takeNumber() as CollectionNumber;
  assertTextFits(made);
  await transaction.tx.run(
    ...insertion("collection", {
      agent_id: transaction.agent,
      collection_id: collection,
      kind: made.kind,
      role: made.role,
      state: "live",
      segment: made.segment,
      components: made.components,
      ...collectionProperties.newColumns(made),
      properties_modseq: transaction.modseq,
      modseq: transaction.modseq,
      item_count: 0,
      byte_count: 0,
      created_at: transaction.at,
      updated_at: transaction.at,
    }),
  );
  items.collectionChanged("add", collection);
  return collection;
}

/** Collections that every agent and person has. */
const defaults: readonly Pick<NewCollection, "kind" | "role" | "segment" | "displayName">[] = [
  { kind: "calendar", role: "default", segment: null, displayName: "Calendar" },
  { kind: "calendar", role: "inbox", segment: schedulingSegments.inbox, displayName: "Inbox" },
  { kind: "addressbook", role: "default", segment: null, displayName: "Contacts" },
];

/** Creates the default collections that the agent does not have. Must be called before the write's MODSEQ is used. */
export async function insertDefaults(items: ItemWrite): Promise<void> {
  const { tx, agent } = items.transaction;
  const held = await tx.all<{ kind: CollectionKind; role: CollectionRole }>(
    "select kind, role from collection where agent_id = ? and state = 'live' and role is not null",
    agent,
  );
  const missing = defaults.filter(
    ({ kind, role }) => !held.some((one) => one.kind === kind && one.role === role),
  );
  items.transaction.reserveNumbers(missing.length);
  for (const one of missing)
    await insertCollection(items, {
      ...collectionProperties.none,
      ...one,
      components: null,
    });
}

/** Updates settings and version; without settings only the version. */
export async function updateCollectionRow(
  items: ItemWrite,
  collection: CollectionNumber,
  settings: Partial<CollectionSettings>,
): Promise<void> {
  const { tx, agent, modseq, at } = items.transaction;
  assertTextFits(settings);
  const changed = collectionProperties.inColumns(settings);
  await passQuietPushes(tx, { agent, collection, modseq, changed: "properties" });
  await tx.run(
    `update collection
    set ${changed.map(([column]) => `${column} = ?, `).join("")}properties_modseq = ?, modseq = ?,
      updated_at = ?
    where agent_id = ? and collection_id = ?`,
    ...changed.map(([, value]) => value),
    modseq,
    modseq,
    at,
    agent,
    collection,
  );
  items.collectionChanged("update", collection);
}

/** Deletes a collection with its items, which the sweep frees. Refuses collection_is_required for the default ones. */
export async function dropCollection(items: ItemWrite, row: CollectionRow): Promise<void> {
  const { tx, agent } = items.transaction;
  if (row.role !== null)
    throw new WaypostError("policy_refused", `This ${row.kind} is needed and cannot be deleted`, {
      reason: "collection_is_required",
    });
  await tx.run(
    "update collection set state = 'deleted' where agent_id = ? and collection_id = ?",
    agent,
    row.collection,
  );
  await deleteGrantObject(tx, agent, row.kind, row.collection);
  items.collectionChanged("remove", row.collection);
  items.transaction.grow(-row.byteCount, 0, -row.itemCount);
  tx.sweepLater();
}

/** The collection at a segment of a home; "server" if the segment is reserved for the server. `named`: the collection whose id is the
 *  segment; it is found by its id as long as it has no segment of its own. */
export async function findAtSegment(
  tx: Sql,
  agent: AgentNumber,
  kind: CollectionKind,
  segment: string,
  named: CollectionNumber | undefined,
): Promise<CollectionRow | "server" | undefined> {
  if (kind === "calendar" && Object.values<string>(schedulingSegments).includes(segment)) return "server";
  const found = await findCollectionBySegment(tx, agent, kind, segment);
  if (found !== undefined || named === undefined) return found;
  const byId = await findCollection(tx, agent, named);
  return byId?.kind === kind && byId.segment === null ? byId : undefined;
}

/** Moves the role default to another collection of the same kind. Refuses valid-schedule-default-calendar-URL. */
export async function moveDefaultRole(items: ItemWrite, collection: CollectionNumber): Promise<void> {
  const { tx, agent, modseq, at } = items.transaction;
  const { row } = await items.collection(collection);
  if (row.role === "default") return;
  const takesEvents = row.kind !== "calendar" || (row.components?.split(",").includes("VEVENT") ?? true);
  if (row.role !== null || !takesEvents)
    throw new WaypostError("invalid", `This ${row.kind} cannot be the default one`, {
      reason: "valid-schedule-default-calendar-URL",
    });
  const held = await findCollectionOfRole(tx, agent, row.kind, "default");
  if (held !== undefined) await setRole(held.collection, null);
  await setRole(collection, "default");

  async function setRole(number: CollectionNumber, role: CollectionRole | null): Promise<void> {
    await tx.run(
      `update collection set role = ?, properties_modseq = ?, modseq = ?, updated_at = ?
      where agent_id = ? and collection_id = ?`,
      role,
      modseq,
      modseq,
      at,
      agent,
      number,
    );
    items.collectionChanged("update", number);
  }
}

export async function assertCollectionRoom(tx: Sql, agent: AgentNumber): Promise<void> {
  const { count } = (await tx.get<{ count: number }>(
    "select count(*) as count from collection where agent_id = ? and state = 'live'",
    agent,
  ))!;
  if (count >= collectionsMax)
    throw new WaypostError(
      "policy_refused",
      `There are at most ${collectionsMax} ${collectionKinds.map((kind) => `${kind}s`).join(" and ")}`,
      { reason: "limit_reached" },
    );
}

function assertTextFits(settings: Partial<CollectionSettings>): void {
  for (const value of Object.values(settings))
    if (typeof value === "string") assertFits(value, collectionTextBytesMax);
}

function assertFits(text: string, bytesMax: number): void {
  if (Buffer.byteLength(text) > bytesMax)
    throw new WaypostError("policy_refused", `A property has at most ${bytesMax} octets`, {
      reason: "too_large",
    });
}
