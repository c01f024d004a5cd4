/** Calendars and addressbooks of an agent that are not deleted. */
import type { CollectionKind, CollectionRole } from "#/src/model/collections.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import type { CollectionRow } from "../../items.ts";
import type { Reader } from "../../sql.ts";

export const selectCollection = `
  select agent_id as agent, collection_id as collection, kind, role, segment, display_name as "displayName", description,
    color, position, components, time_zone as "timeZone", is_transparent as "isTransparent",
    properties_modseq as "propertiesModseq", modseq, item_count as "itemCount", byte_count as "byteCount",
    created_at as "createdAt", updated_at as "updatedAt", availability
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
    `select namespace, name, xml
    from collection_property
    where agent_id = ? and collection_id = ?
    order by namespace, name`,
    agent,
    collection,
  );
}
