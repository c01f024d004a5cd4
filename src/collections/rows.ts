/** Converts rows of the store to collections and items, and segments of hrefs to numbers. */
import type { IdCodec, ObjectKind } from "#/src/model/ids.ts";
import type { AgentNumber, CollectionNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { CollectionRow, ItemRow } from "#/storage/items.ts";
import type { CollectionSettings } from "#/storage/writing/collections/collection-rows.ts";
import type { Collection, CollectionKind, CollectionProperties } from "./collection.ts";
import type { Item, ItemProvenance } from "./item.ts";

export function collectionOf(row: CollectionRow): Collection {
  const { agent, collection, kind, displayName, propertiesModseq, modseq, itemCount, byteCount } = row;
  const { createdAt, updatedAt } = row;
  return {
    agent,
    number: collection,
    kind,
    role: row.role ?? undefined,
    segment: row.segment ?? undefined,
    displayName,
    description: row.description ?? undefined,
    color: row.color ?? undefined,
    order: row.position ?? undefined,
    components: row.components?.split(","),
    timeZone: row.timeZone ?? undefined,
    isTransparent: row.isTransparent === 1,
    availability: row.availability ?? undefined,
    propertiesModseq,
    modseq,
    itemCount,
    byteCount,
    createdAt,
    updatedAt,
  };
}

/** The given properties in the form of the store. */
export function settingsOf(properties: Partial<CollectionProperties>): Partial<CollectionSettings> {
  const { displayName, description, color, order, timeZone, isTransparent, availability } = properties;
  return {
    ...("displayName" in properties ? { displayName: displayName ?? "" } : {}),
    ...("description" in properties ? { description: description ?? null } : {}),
    ...("color" in properties ? { color: color ?? null } : {}),
    ...("order" in properties ? { position: order ?? null } : {}),
    ...("timeZone" in properties ? { timeZone: timeZone ?? null } : {}),
    ...("availability" in properties ? { availability: availability ?? null } : {}),
    ...("isTransparent" in properties ? { isTransparent: isTransparent ?? false } : {}),
  };
}

export function itemOf(row: ItemRow): Item {
  const { agent, collection, kind, uid, component, modseq, size, createdAt, updatedAt } = row;
  return {
    agent,
    number: row.item,
    collection,
    kind,
    segment: row.segment ?? undefined,
    uid,
    component,
    modseq,
    scheduleTag: row.scheduleTag ?? undefined,
    size,
    createdAt,
    updatedAt,
    isAuthenticated: row.isAuthenticated === 1,
    provenance: JSON.parse(row.provenance) as ItemProvenance,
  };
}

/** The id type of items, and the ending of their hrefs, by kind of collection. */
export const itemKinds = {
  calendar: { object: "event", ending: ".ics" },
  addressbook: { object: "contact", ending: ".vcf" },
} as const satisfies Record<CollectionKind, { readonly object: ObjectKind; readonly ending: string }>;

/** The last segment of an item's href. */
export function itemSegment(
  ids: IdCodec,
  { agent, number, kind, segment }: Pick<Item, "agent" | "number" | "kind" | "segment">,
): string {
  const { object, ending } = itemKinds[kind];
  return segment ?? `${ids.encode(object, agent, number)}${ending}`;
}

/** The item whose id is the segment, of any kind. */
export function itemOfSegment(ids: IdCodec, agent: AgentNumber, segment: string): ItemNumber | undefined {
  for (const { object, ending } of Object.values(itemKinds)) {
    if (!segment.endsWith(ending)) continue;
    const name = ids.decode(segment.slice(0, -ending.length));
    if (name?.kind === object && name.agent === agent) return name.object as ItemNumber;
  }
  return undefined;
}

export function collectionOfSegment(
  ids: IdCodec,
  agent: AgentNumber,
  kind: CollectionKind,
  segment: string,
): CollectionNumber | undefined {
  const name = ids.decode(segment);
  return name?.kind === kind && name.agent === agent ? (name.object as CollectionNumber) : undefined;
}
