/** `contact_…`: a card as text, as JSContact or as vCard; `contact_…#<pointer>` is a text or a photo of it, which the card links
 *  to where it is long. */
import type { StoredItem } from "#/src/collections/item.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { cleanText } from "#/src/render/clean-text.ts";
import { createRemovalTally, type RemovalDetail } from "#/src/render/removal.ts";
import { itemProvenance } from "../collections/provenance.ts";
import { collectionId, itemId, type ReachedItem, reachItem } from "../collections/reach.ts";
import { unknownObject } from "../errors.ts";
import type { OperationContext } from "../operation.ts";
import type { PartRequest } from "../operations/part/describe.ts";
import { openContinuation, type ReadObject, sealContinuation } from "../part-cursor.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { assertRaw, describeLinkedPart, octetsOf } from "./linked-part.ts";
import { type Page, pageOf } from "./page.ts";

export async function describeContact(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const reached = await reachItem(context, "addressbook", name, "read");
  return describeReachedContact(context, reached, request.part, request);
}

/** `part`: "" for the contact itself, undefined for that of the cursor. */
export async function describeReachedContact(
  context: OperationContext,
  { collection, item }: ReachedItem,
  part: string | undefined,
  request: PartRequest,
): Promise<ReadResult> {
  const [stored] = await context.rooms.collections.readItems(item.agent, [item.number]);
  if (stored === undefined || stored.collection !== collection.number) unknownObject();
  const version = String(stored.modseq);
  const { agent, number } = stored;
  const object: ReadObject = { kind: "contact", agent, number, version, bytesVersion: version };
  const continued = openContinuation<Render>(context, object, { ...request, part });
  const read: Reading = {
    context,
    stored,
    id: itemId(context, stored),
    addressbook: collectionId(context, collection),
    part: part ?? continued?.part ?? "",
    render: request.render ?? continued?.render,
    from: continued?.from ?? 0,
    maxChars: request.max_chars,
  };
  const described = read.part === "" ? await describeWhole(read) : await describePart(read);
  const { page, kind, render, removed } = described;
  return {
    ref: read.part === "" ? read.id : `${read.id}#${read.part}`,
    kind,
    ...(page.text === undefined ? {} : { text: page.text }),
    content: { ...page.content },
    provenance: itemProvenance(stored, removed),
    version,
    ...(page.next === undefined
      ? {}
      : { cursor: sealContinuation(context, object, { part: read.part, render, from: page.next }) }),
  };
}

const renders = ["text", "json", "vcard", "source"] as const;
type Render = (typeof renders)[number] | "raw";

interface Reading {
  readonly context: OperationContext;
  readonly stored: StoredItem;
  readonly id: string;
  readonly addressbook: string;
  readonly part: string;
  readonly render: string | undefined;
  readonly from: number;
  readonly maxChars: number | undefined;
}

interface Described {
  readonly kind: ReadResult["kind"];
  readonly render: Render;
  readonly page: Page;
  readonly removed: readonly RemovalDetail[];
}

async function describeWhole(read: Reading): Promise<Described> {
  const { context, stored, id, addressbook, from, maxChars } = read;
  assertRender(read.render, renders);
  const render = (read.render ?? "text") as (typeof renders)[number];
  if (render === "source") {
    await assertRaw(context, stored);
    const octets = octetsOf(stored.bytes);
    const content = { id, size: stored.size };
    return {
      kind: "contact",
      render,
      page: await pageOf({ kind: "message", content, octets }, from, maxChars),
      removed: [],
    };
  }
  const { card, linked, text, removed } = await context.rooms.contacts.run("describe", {
    bytes: stored.bytes,
    id,
    render,
  });
  const facts = { card, uid: cleanText(stored.uid, "uid", createRemovalTally()), addressbook };
  const content = linked.length === 0 ? facts : { ...facts, linked: [...linked] };
  const page = await pageOf({ kind: "message", content, text }, from, maxChars);
  return { kind: "contact", render, page, removed };
}

async function describePart(read: Reading): Promise<Described> {
  const { context, stored, part } = read;
  const found = await context.rooms.contacts.run("part", { bytes: stored.bytes, part });
  if (found === undefined)
    throw new WaypostError("not_found", "The contact has no such text.", {
      hint: "content.linked has the parts that can be read, such as media/k1/uri.",
    });
  return describeLinkedPart(read, found);
}
