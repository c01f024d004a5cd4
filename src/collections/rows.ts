/** Converts rows of the store to collections and items, and segments of hrefs to numbers. */
import { collectionProperties } from "#/src/model/collection-properties.ts";
import type { IdCodec, ObjectKind } from "#/src/model/ids.ts";
import type { AgentNumber, CollectionNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { CollectionRow, ItemRow } from "#/storage/items.ts";
import { type Collection, type CollectionKind, collectionKinds } from "./collection.ts";
import type { Item, ItemProvenance } from "./item.ts";

export function collectionOf(row: CollectionRow): Collection {
  const { agent, collection, kind, propertiesModseq, modseq, itemCount, byteCount } = row;
  const { createdAt, updatedAt } = row;
  return {
    agent,
    number: collection,
    kind,
    role: row.role ?? undefined,
    segment: row.segment ?? undefined,
    ...collectionProperties.shown(row),
    components: row.components?.split(","),
    propertiesModseq,
    modseq,
    itemCount,
    byteCount,
    createdAt,
    updatedAt,
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

/** The kind of the items in each kind of collection. */
export const itemKinds = {
  calendar: "event",
  addressbook: "contact",
} as const satisfies Record<CollectionKind, ObjectKind>;

/** The endings of their hrefs. */
export const itemEndings: Readonly<Record<CollectionKind, string>> = {
  calendar: ".ics",
  addressbook: ".vcf",
};

/** The last segment of an item's href. */
export function itemSegment(
  ids: IdCodec,
  { agent, number, kind, segment }: Pick<Item, "agent" | "number" | "kind" | "segment">,
): string {
  return segment ?? `${ids.encode(itemKinds[kind], agent, number)}${itemEndings[kind]}`;
}

/** The item whose id is the segment, of any kind. */
export function itemOfSegment(ids: IdCodec, agent: AgentNumber, segment: string): ItemNumber | undefined {
  for (const kind of collectionKinds) {
    const ending = itemEndings[kind];
    if (!segment.endsWith(ending)) continue;
    const name = ids.decode(segment.slice(0, -ending.length));
    if (name?.kind === itemKinds[kind] && name.agent === agent) return name.object as ItemNumber;
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
