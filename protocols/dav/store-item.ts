/** Stores the octets of an item and makes the answer, for PUT, POST and COPY. */
import { isUtf8 } from "node:buffer";
import type { NewAttachment, PutAttachments } from "#/src/collections/attachments.ts";
import type { DeadProperty } from "#/src/collections/collection.ts";
import type { ItemExpectation } from "#/src/collections/collections.ts";
import type { Item } from "#/src/collections/item.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { itemBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { reachAttachments } from "#/src/reach/attachments.ts";
import type { SchedulingWritten } from "#/src/scheduling/scheduling.ts";
import type { DavAnswer } from "./answer.ts";
import { collectionStandards } from "./collections/collection-standard.ts";
import { unmet } from "./dav-error.ts";
import { davErrorOf } from "./errors.ts";
import { contentTypeOf, etagOf, readStored } from "./item-content.ts";
import { preferenceApplied } from "./preferences.ts";
import { assertRight } from "./privileges.ts";
import { mediaTypeOf, readOctets } from "./read-body.ts";
import type { DavRequest } from "./request.ts";
import type { CollectionResource } from "./resource.ts";
import { caldavNamespace, dav, type XmlName } from "./xml/names.ts";
import { textElement } from "./xml/write-xml.ts";

/** The name of a precondition, in the standard of the collection. */
export function conditionOf({ collection }: CollectionResource, name: string): XmlName {
  return collectionStandards[collection.kind].name(name);
}

export async function readItemBody(request: DavRequest, parent: CollectionResource): Promise<Buffer> {
  const { kind } = parent.collection;
  assertRight(parent.collection, "write", request.href);
  const { type, charset } = mediaTypeOf(request.context.koa.get("Content-Type"));
  const { conditions, mediaTypes } = collectionStandards[kind];
  const isKnown = type === "" || mediaTypes.includes(type);
  if (!isKnown) throw unmet(403, conditions.supportedData, `What is stored here is ${mediaTypes[0]}.`);
  const notUtf8 = () => unmet(403, conditions.validData, "What is stored here is UTF-8.");
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset)) throw notUtf8();
  const bytes = await readOctets(request, itemBytesMax, () =>
    unmet(403, conditionOf(parent, "max-resource-size"), `An item has at most ${itemBytesMax} octets.`),
  );
  // A GET answers the item as UTF-8, and a report contains it in XML, which is UTF-8 too.
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes;
}

export interface ItemToStore {
  readonly parent: CollectionResource;
  readonly bytes: Uint8Array;
  readonly expected: ItemExpectation;
  /** For a copy: they replace the dead properties of the item at the destination. */
  readonly deadProperties?: readonly DeadProperty[];
  /** Managed attachments that are new in it (RFC 8607). */
  readonly added?: readonly NewAttachment[];
  /** Whose item it is a copy of: its attachments come along. */
  readonly copiedFrom?: AgentNumber;
  /** What stands there is replaced; without it the server names a new one. */
  readonly segment?: string | undefined;
}

export async function storeItem(request: DavRequest, toStore: ItemToStore): Promise<DavAnswer> {
  const { parent, bytes, expected, segment, deadProperties, added = [], copiedFrom } = toStore;
  const { rooms, tree, preferences } = request;
  const { agent, actor, number } = parent.collection;
  const { collections } = rooms;
  let written: SchedulingWritten;
  try {
    written = await rooms.scheduling.putItem(
      { agent, actor, principal: request.login },
      {
        collection: number,
        segment,
        bytes,
        provenance: { source: "dav" },
        isAuthenticated: true,
        expected,
        deadProperties,
        attachments:
          copiedFrom === undefined
            ? await readAttachments(request, parent, bytes, segment, added)
            : { attachmentsOf: [copiedFrom] },
      },
      { copiedFrom },
    );
  } catch (error) {
    throw await explainRefusal(request, parent, error);
  }
  const href = tree.hrefOf(parent, tree.itemSegment(parent, { number: written.item, segment }));
  const stored = await collections.findItem(agent, written.item);
  const headers = {
    // RFC 4791 section 5.3.4: a client that gets none reads what scheduling has made of it.
    ...(!written.isRewritten && (stored === undefined || stored.modseq === written.modseq)
      ? { ETag: etagOf(written.modseq) }
      : {}),
    ...(stored?.scheduleTag === undefined ? {} : { "Schedule-Tag": `"${stored.scheduleTag}"` }),
    ...(segment === undefined ? { Location: href } : {}),
  };
  const status = written.isCreated ? 201 : 204;
  if (!preferences.isRepresentation || stored === undefined) return { status, headers };
  return {
    status: written.isCreated ? 201 : 200,
    headers: {
      ...headers,
      ...representationFields(stored, href),
    },
    body: written.isRewritten ? (await readStored(request, stored)).bytes : bytes,
  };
}

/** Attachments that the text names must exist, and the login must have the right to read them. */
async function readAttachments(
  { rooms, login, reach }: DavRequest,
  { collection: { agent, kind, number } }: CollectionResource,
  bytes: Uint8Array,
  segment: string | undefined,
  added: readonly NewAttachment[],
): Promise<PutAttachments | undefined> {
  if (kind !== "calendar") return undefined;
  const { collections } = rooms;
  const readHeld = async () => {
    const item =
      segment === undefined ? undefined : await collections.findItemBySegment(agent, number, segment);
    const [stored] = item === undefined ? [] : await collections.readItems(agent, [item.number]);
    return stored?.bytes;
  };
  return reachAttachments({ collections, principal: login, reach }, bytes, readHeld, added);
}

/** Fields of an answer that has the item as its body, which was preferred (RFC 8144 section 3). */
export function representationFields(item: Item, href: string): Readonly<Record<string, string>> {
  return {
    ...preferenceApplied("return=representation"),
    "Content-Type": contentTypeOf(item),
    "Content-Location": href,
  };
}

/** The refusal of an item, with its precondition in the namespace of the collection's standard. */
export async function explainRefusal(
  { rooms, tree, reach }: DavRequest,
  parent: CollectionResource,
  error: unknown,
): Promise<unknown> {
  if (!isWaypostError(error)) return error;
  const { reason, object } = error.details;
  if (reason !== "no-uid-conflict" && reason !== "unique-scheduling-object-resource") {
    const refusal = davErrorOf(error);
    const condition = refusal?.details.condition;
    if (condition === undefined || condition.namespace !== caldavNamespace) return error;
    return unmet(refusal!.status, conditionOf(parent, condition.name), error.message);
  }
  const { agent } = parent.collection;
  const other =
    object === undefined ? undefined : await rooms.collections.findItem(agent, object as ItemNumber);
  const seen = other && (await reach.list("calendar")).find((one) => isPlaceOf(one, other));
  const place =
    other?.collection === parent.collection.number
      ? parent
      : seen && tree.collectionOf(parent.principal, seen);
  return unmet(
    403,
    conditionOf(parent, reason),
    error.message,
    place && textElement(dav("href"), tree.itemOf(place, other!).href),
  );
}

function isPlaceOf(
  { agent, number }: { readonly agent: number; readonly number: number },
  item: Item,
): boolean {
  return agent === item.agent && number === item.collection;
}
