/** Calendars and addressbooks over a store. */

import { createRepeats, type Once, writeOnce } from "#/src/mail/write-once.ts";
import { server } from "#/src/model/author.ts";
import { type DryRun, dryRun } from "#/src/model/caller.ts";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import type { CollectionKind } from "#/src/model/collections.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import type { CollectionRow } from "#/storage/items.ts";
import {
  listCalendarArrivals,
  listEventsWithArrivals,
} from "#/storage/queries/collections/calendar-arrivals.ts";
import {
  findCollection,
  findCollectionBySegment,
  findCollectionOfRole,
  listCollectionProperties,
  listCollections,
} from "#/storage/queries/collections/collections.ts";
import { listItemProperties, listItemsWithProperties } from "#/storage/queries/collections/items.ts";
import type { Store } from "#/storage/store.ts";
import { createAttachments } from "./attachments.ts";
import type { Collection } from "./collection.ts";
import type { ActionsDone, AgentActions, Collections, ItemWritten } from "./collections.ts";
import { createItemReads } from "./item-reads.ts";
import { maintainHorizons } from "./maintain-horizons.ts";
import { createZoneMaintenance } from "./maintain-time-zones.ts";
import { prepareActions } from "./prepare-actions.ts";
import type { ItemPreparation } from "./preparing/preparation.ts";
import { collectionOf, collectionOfSegment } from "./rows.ts";
import { assertSegment } from "./segment.ts";

/** iTIP messages that are read at once. */
const arrivalsAtOnce = 50;

export function createCollections(store: Store, preparation: ItemPreparation): Collections {
  const at = (): number => store.clock.now();

  /** Default collections that a dry run would make, by the dry run and the agent. */
  const wouldBe = new WeakMap<DryRun, Map<AgentNumber, readonly CollectionRow[]>>();

  /** Looks in the store. If it finds nothing and the agent has no default collections yet, creates them and looks again; in a dry run
   *  among those that would be there. */
  async function afterDefaults<R>(
    agent: AgentNumber,
    look: () => Promise<R | undefined>,
    lookAmong: (rows: readonly CollectionRow[]) => R | undefined,
  ): Promise<R | undefined> {
    const found = await look();
    if (found !== undefined || (await hasDefaults(agent))) return found;
    const dry = dryRun();
    const known = dry && wouldBe.get(dry)?.get(agent);
    if (known !== undefined) return lookAmong(known);
    const { collections } = await store.write(server, "createDefaultCollections", { agent, at: at() });
    if (dry === undefined) return look();
    wouldBe.set(dry, new Map([...(wouldBe.get(dry) ?? []), [agent, collections]]));
    return lookAmong(collections);
  }

  /** Also one that a dry run would make. */
  async function findRow(agent: AgentNumber, number: CollectionNumber): Promise<CollectionRow | undefined> {
    const row = await findCollection(store, agent, number);
    const dry = dryRun();
    if (row !== undefined || dry === undefined) return row;
    const rows = wouldBe.get(dry)?.get(agent) ?? [];
    return rows.find(({ collection }) => collection === number);
  }

  async function hasDefaults(agent: AgentNumber): Promise<boolean> {
    return (await findCollectionOfRole(store, agent, "calendar", "default")) !== undefined;
  }

  async function findAt(
    agent: AgentNumber,
    kind: CollectionKind,
    segment: string,
  ): Promise<Collection | undefined> {
    const row = await findCollectionBySegment(store, agent, kind, segment);
    if (row !== undefined) return collectionOf(row);
    const number = collectionOfSegment(store.ids, agent, kind, segment);
    const named = number === undefined ? undefined : await findCollection(store, agent, number);
    return named?.kind === kind ? collectionOf(named) : undefined;
  }

  const prepareChanges = (agents: readonly AgentActions[]) =>
    Promise.all(
      agents.map(async ({ agent, actor, actions }) => ({
        agent,
        actor,
        actions: await prepareActions({ store, preparation, findRow }, agent, actions),
      })),
    );

  const { findRepeat } = createRepeats(store);
  const changeItems: Collections["changeItems"] = async (by, agents, idempotency, others) => {
    const prepared = await prepareChanges(agents);
    const added = prepared.flatMap(({ actions }) =>
      actions.flatMap((action) => (action.kind === "put" ? (action.attachments?.added ?? []) : [])),
    );
    const blobs = [...(others?.mails ?? []).map(({ facts }) => facts.blob), ...added.map(({ blob }) => blob)];
    const transfer = blobs.flatMap(transferableBuffers);
    const args = { agents: prepared, ...others, at: at() };
    return writeOnce(store, by, "changeItems", args, idempotency, { transfer });
  };

  return {
    ids: store.ids,
    clock: store.clock,

    async listCollections(agent, kind) {
      const rows = await afterDefaults(
        agent,
        async () => {
          const found = await listCollections(store, agent);
          return found.some(({ role }) => role === "default") ? found : undefined;
        },
        (made) => made,
      );
      const collections = (rows ?? []).map(collectionOf);
      return kind === undefined ? collections : collections.filter((one) => one.kind === kind);
    },
    async findCollection(agent, number) {
      const row = await findRow(agent, number);
      return row && collectionOf(row);
    },
    findCollectionBySegment: (agent, kind, segment) =>
      afterDefaults(
        agent,
        () => findAt(agent, kind, segment),
        (rows) => {
          const row = rows.find((one) => one.kind === kind && one.segment === segment);
          return row && collectionOf(row);
        },
      ),
    async findCollectionOfRole(agent, kind, role) {
      const row = await afterDefaults(
        agent,
        () => findCollectionOfRole(store, agent, kind, role),
        (rows) => rows.find((one) => one.kind === kind && one.role === role),
      );
      return row && collectionOf(row);
    },
    listDeadProperties: (agent, collection) => listCollectionProperties(store, agent, collection),

    async createCollection(by, agent, { kind, segment, properties, deadProperties = [] }, idempotency) {
      if (segment !== undefined) assertSegment(segment);
      const args = {
        agent,
        kind,
        segment: segment ?? null,
        named: segment === undefined ? undefined : collectionOfSegment(store.ids, agent, kind, segment),
        components: properties.components?.join(",") ?? null,
        ...collectionProperties.none,
        ...collectionProperties.stored(properties),
        deadProperties,
        at: at(),
      };
      return writeOnce(store, by, "createCollection", args, idempotency);
    },
    async updateCollection(by, agent, collection, change, idempotency) {
      const { properties = {}, setDead = [], removeDead = [], newDefault, version } = change;
      const settings = collectionProperties.stored(properties);
      const args = { agent, collection, settings, setDead, removeDead, newDefault, version, at: at() };
      return writeOnce(store, by, "updateCollection", args, idempotency);
    },
    async moveCollection(by, agent, { number, kind }, { segment, overwrite }, idempotency) {
      assertSegment(segment);
      const named = collectionOfSegment(store.ids, agent, kind, segment);
      const args = { agent, collection: number, segment, named, isOverwriting: overwrite, at: at() };
      return writeOnce(store, by, "moveCollection", args, idempotency);
    },
    deleteCollection: (by, agent, collection, version, idempotency) =>
      writeOnce(store, by, "deleteCollection", { agent, collection, version, at: at() }, idempotency),

    ...createItemReads(store),
    ...createAttachments(store),
    listItemDeadProperties: (agent, item) => listItemProperties(store, agent, item),
    listItemsWithDeadProperties: async (agent) => new Set(await listItemsWithProperties(store, agent)),
    async changeItemDeadProperties(by, agent, item, { set, remove }) {
      await store.write(by, "changeItemProperties", { agent, item, set, remove, at: at() });
    },

    changeItems,
    async putItem(agent, actor, put, idempotency) {
      return onlyItem(
        await changeItems(actor, [{ agent, actor, actions: [{ kind: "put", ...put }] }], idempotency),
      );
    },
    async deleteItem(agent, actor, item, expected, idempotency) {
      const actions = [{ kind: "remove", item, expected }] as const;
      return onlyItem(await changeItems(actor, [{ agent, actor, actions }], idempotency));
    },
    async moveItem(agent, actor, item, to, expected, idempotency) {
      const actions = [{ kind: "move", item, to, expected }] as const;
      return onlyItem(await changeItems(actor, [{ agent, actor, actions }], idempotency));
    },

    listArrivals: (agent, uid) => listCalendarArrivals(store, agent, uid, arrivalsAtOnce),
    listEventsWithArrivals: () => listEventsWithArrivals(store, arrivalsAtOnce),

    maintainHorizons: (onTrouble) => maintainHorizons(store, preparation, onTrouble),
    maintainTimeZones: createZoneMaintenance(store, preparation),

    findCollectionRepeat: (idempotency) => findRepeat("createCollection", idempotency),
    async findItemRepeat(idempotency) {
      const found = await findRepeat("changeItems", idempotency);
      return found && onlyItem(found);
    },
  };
}

function onlyItem({ agents, isReplayed }: Once<ActionsDone>): Once<ItemWritten> {
  const { item, isCreated, modseq } = agents[0]!.items[0]!;
  return { item, isCreated, modseq, isReplayed };
}
