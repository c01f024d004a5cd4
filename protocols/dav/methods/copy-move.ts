/** COPY and MOVE of items (RFC 4918 section 9.8 and 9.9), within a collection, between collections, and between owners where
 *  grants allow both. Whole collections are moved within their home, and copied into a home of the login. */
import type { DeadProperty } from "#/src/collections/collection.ts";
import type { ItemExpectation } from "#/src/collections/collections.ts";
import type { Item } from "#/src/collections/item.ts";
import type { DavAnswer } from "../answer.ts";
import { copyCollection } from "../collections/copy-collection.ts";
import { moveCollection } from "../collections/move-collection.ts";
import { DavError, unmet } from "../dav-error.ts";
import { transferFile } from "../files/files.ts";
import { readStored } from "../item-content.ts";
import { checkItemConditions, checkLocks } from "../locks/conditions.ts";
import type { Method } from "../method.ts";
import { assertRight } from "../privileges.ts";
import { assertNoBody } from "../read-body.ts";
import type { DavRequest } from "../request.ts";
import { type CollectionResource, everyResource, type ItemResource, isOfFiles } from "../resource.ts";
import { conditionOf, explainRefusal, storeItem } from "../store-item.ts";
import { dav } from "../xml/names.ts";

export const copy = {
  name: "COPY",
  on: everyResource,
  run: (request) => transfer(request, "copy"),
} as const satisfies Method;
export const move = {
  name: "MOVE",
  on: everyResource,
  run: (request) => transfer(request, "move"),
} as const satisfies Method;

interface Destination {
  readonly href: string;
  readonly parent: CollectionResource;
  readonly segment: string;
  readonly existing: ItemResource | undefined;
  /** With Overwrite: F, the write asserts that no item is at the destination. */
  readonly expected: ItemExpectation;
}

async function transfer(request: DavRequest, kind: "copy" | "move"): Promise<DavAnswer> {
  const { resource, locks } = request;
  await assertNoBody(request);
  if (isOfFiles(resource)) return transferFile(request, kind, resource, destinationOf(request));
  if (resource.kind === "calendar" || resource.kind === "addressbook") {
    const carry = kind === "move" ? moveCollection : copyCollection;
    return carry(request, resource, destinationOf(request), readOverwrite(request));
  }
  if (resource.kind !== "item")
    throw new DavError(403, "Items, calendars and addressbooks are copied and moved.");
  const to = await findDestination(request);
  const { parent } = resource;
  if (parent.collection.kind !== to.parent.collection.kind)
    throw unmet(403, conditionOf(to.parent, "supported-collection"), "The destination keeps other items.");
  assertRight(to.parent.collection, "write", to.parent.href, dav("bind"));
  if (kind === "move") assertRight(parent.collection, "write", parent.href, dav("unbind"));
  const ofIf = await checkLocks(request, [
    ...(to.existing === undefined ? [to.href, to.parent.href] : [to.existing.href]),
    ...(kind === "move" ? [resource.href, parent.href] : []),
  ]);
  const expected = checkItemConditions(request, resource, ofIf);
  if (to.existing?.item.number === resource.item.number)
    throw new DavError(403, "The destination is the resource itself.");
  const isWithin = parent.collection.agent === to.parent.collection.agent;
  const carry = kind === "copy" ? copyItem : isWithin ? moveWithin : moveAcross;
  const answer = await carry(request, resource, to, expected).catch(async (error: unknown) => {
    throw await explainRefusal(request, to.parent, error);
  });
  if (kind === "move") locks.removeAt(resource.href);
  const Location = request.context.koa.get("Destination").trim();
  return { status: to.existing === undefined ? 201 : 204, headers: { ...answer.headers, Location } };
}

function destinationOf({ context: { koa } }: DavRequest): string {
  const field = koa.get("Destination").trim();
  if (field === "") throw new DavError(400, "There is no Destination.");
  const isWhole = /^[a-z][a-z0-9+.-]*:\/\//i.test(field);
  if (isWhole && (!URL.canParse(field) || new URL(field).host !== koa.host))
    throw new DavError(502, "The destination is on another server.");
  return field;
}

function readOverwrite({ context: { koa } }: DavRequest): boolean {
  const overwrite = koa.get("Overwrite").trim().toUpperCase();
  if (overwrite !== "" && overwrite !== "T" && overwrite !== "F")
    throw new DavError(400, "Overwrite is T or F.");
  return overwrite !== "F";
}

async function findDestination(request: DavRequest): Promise<Destination> {
  const { tree } = request;
  const field = destinationOf(request);
  const place = await tree.findParent(field);
  if (place === undefined) throw new DavError(409, "What should contain the destination is not there.");
  const { parent, segment } = place;
  if (parent.kind !== "calendar" && parent.kind !== "addressbook")
    throw new DavError(403, "Items are kept in calendars and addressbooks.");
  const existing = await tree.find(field);
  const isOverwriting = readOverwrite(request);
  if (existing !== undefined && !isOverwriting)
    throw new DavError(412, "There is something at the destination.");
  const item = existing?.kind === "item" ? existing : undefined;
  const expected = !isOverwriting ? { version: "absent" as const } : {};
  return { href: tree.hrefOf(parent, segment), parent, segment, existing: item, expected };
}

async function copyItem(request: DavRequest, { item }: ItemResource, to: Destination): Promise<DavAnswer> {
  const { bytes } = await readStored(request, item);
  const { parent, segment, expected } = to;
  const deadProperties = await readDead(request, item);
  return storeItem(request, { parent, segment, bytes, expected, deadProperties, copiedFrom: item.agent });
}

/** The dead properties of the item, which are copied with it (RFC 4918 section 9.8.2). */
function readDead({ rooms }: DavRequest, { agent, number }: Item): Promise<readonly DeadProperty[]> {
  return rooms.collections.listItemDeadProperties(agent, number);
}

async function moveWithin(
  request: DavRequest,
  { item, parent }: ItemResource,
  to: Destination,
  expected: ItemExpectation,
): Promise<DavAnswer> {
  const { agent, actor } = parent.collection;
  const place = {
    collection: to.parent.collection.number,
    segment: to.segment,
    overwrite: to.expected.version === undefined,
  };
  await request.rooms.collections.moveItem(agent, actor, item.number, place, expected);
  return { status: 201 };
}

/** Both owners' changes are one transaction. */
async function moveAcross(
  request: DavRequest,
  { item, parent }: ItemResource,
  to: Destination,
  expected: ItemExpectation,
): Promise<DavAnswer> {
  const { rooms, login: principal } = request;
  const [source, target] = [parent.collection, to.parent.collection];
  await rooms.scheduling.moveToOther(
    { agent: source.agent, actor: source.actor, principal },
    item.number,
    { agent: target.agent, actor: target.actor, principal },
    { collection: target.number, segment: to.segment, overwrite: to.expected.version === undefined },
    expected,
  );
  return { status: 201 };
}
