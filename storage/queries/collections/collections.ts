/** Calendars and addressbooks of an agent that are not deleted. */

import { collectionProperties } from "#/src/model/collection-properties.ts";
import type { CollectionKind, CollectionRole } from "#/src/model/collections.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import type { CollectionRow } from "../../items.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

export const selectCollection = `
  select ${selectList<CollectionRow, "collection">({
    agent: "collection.agent_id",
    collection: "collection.collection_id",
    kind: "collection.kind",
    role: "collection.role",
    segment: "collection.segment",
    components: "collection.components",
    ...collectionProperties.selected("collection"),
    propertiesModseq: "collection.properties_modseq",
    modseq: "collection.modseq",
    itemCount: "collection.item_count",
    byteCount: "collection.byte_count",
    createdAt: "collection.created_at",
    updatedAt: "collection.updated_at",
  })}
  from collection`;

export function findCollection(
  reader: Reader,
  agent: AgentNumber,
  collection: CollectionNumber,
): Promise<CollectionRow | undefined> {
  return reader.get(
    `${selectCollection} where agent_id = ? and collection_id = ? and state = 'live'`,
    agent,
    collection,
  );
}

export function findCollectionBySegment(
  reader: Reader,
  agent: AgentNumber,
  kind: CollectionKind,
  segment: string,
): Promise<CollectionRow | undefined> {
  return reader.get(
    `${selectCollection} where agent_id = ? and kind = ? and segment = ? and state = 'live' and segment is not null`,
    agent,
    kind,
    segment,
  );
}

export function findCollectionOfRole(
  reader: Reader,
  agent: AgentNumber,
  kind: CollectionKind,
  role: CollectionRole,
): Promise<CollectionRow | undefined> {
  return reader.get(
    `${selectCollection} where agent_id = ? and kind = ? and role = ? and state = 'live' and role is not null`,
    agent,
    kind,
    role,
  );
}

/** In the order of their numbers. */
export function listCollections(reader: Reader, agent: AgentNumber): Promise<CollectionRow[]> {
  return reader.all(
    `${selectCollection} where agent_id = ? and state = 'live' order by collection_id`,
    agent,
  );
}

export interface CollectionPropertyRow {
  readonly namespace: string;
  readonly name: string;
  readonly xml: string;
}

export function listCollectionProperties(
  reader: Reader,
  agent: AgentNumber,
  collection: CollectionNumber,
): Promise<CollectionPropertyRow[]> {
  return reader.all(
    `select ${selectList<CollectionPropertyRow, "collection_property">({
      namespace: "collection_property.namespace",
      name: "collection_property.name",
      xml: "collection_property.xml",
    })}
    from collection_property
    where agent_id = ? and collection_id = ?
    order by namespace, name`,
    agent,
    collection,
  );
}
