/** What the operations on calendars and on addressbooks share. Their version is the ETag of the collection without the quotes. It
 *  changes with the properties of the collection, not with its items. */
import { z } from "zod";
import { calendarZoneName } from "#/src/collections/calendar-zone.ts";
import type { Collection, CollectionKind, CollectionProperties } from "#/src/collections/collection.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import type { Idempotency } from "#/src/mail/write-once.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import { scopeOfRight } from "#/src/reach/collection-rights.ts";
import { cleanLine, cleanText } from "#/src/render/clean-text.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import { idempotencyKey, idOf, versionText } from "../schemas.ts";
import { writeInOrder } from "../write-in-order.ts";
import { collectionId, reachCollection } from "./reach.ts";

/** Characters of a name: what clients can show in a list. */
const nameCharactersMax = 200;
const descriptionCharactersMax = 5000;

const name = z
  .string()
  .min(1)
  .max(nameCharactersMax)
  .refine((text) => text.isWellFormed() && text.trim() !== "" && !/\p{Cc}/u.test(text))
  .describe(`A name of 1 to ${nameCharactersMax} characters without control characters.`);
const description = z
  .string()
  .max(descriptionCharactersMax)
  .refine((text) => text.isWellFormed() && !text.includes("\0"))
  .describe(`At most ${descriptionCharactersMax} characters.`);
const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?$/)
  .describe("The colour that clients show it in, #rrggbb or #rrggbbaa.");
const order = z.int().min(0).max(1_000_000).describe("Its place among the others, the lowest first.");

/** The time zone of a calendar. */
export const timeZone = z
  .string()
  .refine((zone) => findNamedZone(zone)?.id === zone || zone === "Etc/UTC")
  .describe("The IANA time zone for times without a zone, and for months: Europe/Berlin.");

export const createFields = {
  name,
  description: description.optional(),
  color: color.optional(),
  order: order.optional(),
  idempotency_key: idempotencyKey,
};

/** `null` removes a property. */
export const updateFields = {
  version: versionText,
  name: name.optional(),
  description: description.nullable().optional(),
  color: color.nullable().optional(),
  order: order.nullable().optional(),
  idempotency_key: idempotencyKey,
};

export const deleteFields = { version: versionText, idempotency_key: idempotencyKey };

/** The owner of the new collection. Another owner than the caller needs a grant. */
export const ownerField = idOf("agent")
  .optional()
  .describe("The mailbox, ag_…; absent: that of the credential.");

export interface GivenProperties {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly color?: string | null | undefined;
  readonly order?: number | null | undefined;
  readonly time_zone?: string | null | undefined;
}

/** The properties that were given. */
export function propertiesOf(given: GivenProperties): Partial<CollectionProperties> {
  return {
    ...(given.name === undefined ? {} : { displayName: given.name }),
    ...(given.description === undefined ? {} : { description: given.description ?? undefined }),
    ...(given.color === undefined ? {} : { color: given.color ?? undefined }),
    ...(given.order === undefined ? {} : { order: given.order ?? undefined }),
    ...(given.time_zone === undefined ? {} : { timeZone: given.time_zone ?? undefined }),
  };
}

interface CollectionFacts extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** Of one that another mailbox shares. */
  readonly owner?: { readonly id: string; readonly name: string; readonly address: string };
}

/** The fields of a collection that every listing has. */
export function collectionFacts(
  context: Pick<OperationContext, "rooms">,
  collection: Collection & Partial<Pick<ReachedCollection, "rights">>,
): CollectionFacts {
  const tally = createRemovalTally();
  return {
    id: collectionId(context, collection),
    version: versionOf(collection),
    name: cleanLine(collection.displayName, "name", tally),
    ...(collection.description === undefined
      ? {}
      : { description: cleanText(collection.description, "description", tally) }),
    ...(collection.color === undefined ? {} : { color: collection.color }),
    ...(collection.order === undefined ? {} : { order: collection.order }),
    ...zoneField(collection),
    ...(collection.role === "default" ? { default: true as const } : {}),
    total: collection.itemCount,
    size: collection.byteCount,
    ...(collection.rights === undefined ? {} : { rights: [...collection.rights] }),
  };
}

function zoneField({ kind, timeZone: stored }: Collection) {
  const zone = kind === "calendar" ? calendarZoneName(stored) : undefined;
  return zone === undefined ? {} : { time_zone: zone };
}

export function versionOf({ propertiesModseq }: Pick<Collection, "propertiesModseq">): string {
  return String(propertiesModseq);
}

interface Change extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly version?: string | undefined;
  readonly idempotency_key?: string | undefined;
}

/** Changes or deletes the collection that `id` names, at the version that was read. */
export async function changeContainer(
  context: OperationContext,
  kind: CollectionKind,
  operation: string,
  input: Change,
  write: (
    collection: ReachedCollection,
    once: Idempotency | undefined,
  ) => Promise<{ readonly modseq: number }>,
) {
  const { collections } = context.rooms;
  const { agent, object } = readId(context, input.id, [kind], "/id");
  const { modseq } = await writeInOrder<unknown, { readonly modseq: number }>(context, {
    request: [operation, input],
    reach: () => reachAgent(context, agent, scopeOfRight(kind, "manage")),
    repeat: (once) => collections.findCollectionRepeat(once),
    async write(_reached, once) {
      const collection = await reachCollection(context, kind, agent, object as CollectionNumber, "manage");
      assertVersion(input.version, versionOf(collection), collectionFacts(context, collection));
      return write(collection, once);
    },
  });
  return { ref: input.id, created: false, version: String(modseq) };
}

/** A change needs the version that was read, so that nobody overwrites changes that they have not seen. */
export function assertVersion(
  given: string | undefined,
  version: string,
  current: Readonly<Record<string, unknown>>,
): void {
  if (given === version) return;
  throw new WaypostError(
    "precondition_failed",
    given === undefined
      ? "The version that was read is needed."
      : "The object has changed since that version.",
    { version, current },
  );
}
