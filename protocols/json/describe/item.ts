/** What the readings of events and contacts share: the version that is read, cursors, and the stored octets. */

import type { StoredItem } from "#/src/collections/item.ts";
import { itemKinds } from "#/src/collections/rows.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import type { RemovalDetail } from "#/src/render/removal.ts";
import { itemProvenance } from "../collections/provenance.ts";
import { itemId, type ReachedItem } from "../collections/reach.ts";
import { unknownObject } from "../errors.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRaw, octetsOf } from "./linked-part.ts";
import { cursorsOf, type Page, type PageStart, pageOf, placeOf } from "./page.ts";
import { openContinuation, type ReadObject } from "./part-cursor.ts";
import type { PartRequest } from "./part-request.ts";

export interface ItemReading {
  readonly context: OperationContext;
  readonly stored: StoredItem;
  readonly collection: ReachedCollection;
  readonly id: string;
  /** "" for the item itself. */
  readonly part: string;
  readonly render: string | undefined;
  readonly from: PageStart;
  readonly maxChars: number | undefined;
}

export interface DescribedItem {
  readonly kind: ReadResult["kind"];
  readonly render: string;
  readonly page: Page;
  readonly removed: readonly RemovalDetail[];
}

/** `part`: "" for the item itself, undefined for the part in the cursor. */
export async function describeItem(
  context: OperationContext,
  { collection, item }: ReachedItem,
  part: string | undefined,
  request: PartRequest,
  describe: (read: ItemReading) => Promise<DescribedItem>,
): Promise<ReadResult> {
  const [stored] = await context.rooms.collections.readItems(item.agent, [item.number]);
  if (stored === undefined || stored.collection !== collection.number) unknownObject();
  const version = String(stored.modseq);
  const { agent, number } = stored;
  const object: ReadObject = { kind: itemKinds[stored.kind], agent, number, version, bytesVersion: version };
  const continued = openContinuation<string>(context, object, { ...request, part });
  const read: ItemReading = {
    context,
    stored,
    collection,
    id: itemId(context, stored),
    part: part ?? continued?.part ?? "",
    render: request.render ?? continued?.render,
    from: placeOf(request) ?? continued?.from ?? 0,
    maxChars: request.max_chars,
  };
  const { page, kind, render, removed } = await describe(read);
  return {
    ref: read.part === "" ? read.id : `${read.id}#${read.part}`,
    kind,
    ...(page.text === undefined ? {} : { text: page.text }),
    content: { ...page.content },
    provenance: itemProvenance(stored, removed),
    version,
    ...cursorsOf(context, object, { part: read.part, render }, page),
  };
}

/** The octets of an item as they are stored; needs the scope `raw`. */
export async function describeSource({
  context,
  stored,
  id,
  from,
  maxChars,
}: ItemReading): Promise<DescribedItem> {
  await assertRaw(context, stored);
  const content = { id, size: stored.size };
  const page = await pageOf({ kind: "message", content, octets: octetsOf(stored.bytes) }, from, maxChars);
  return { kind: itemKinds[stored.kind], render: "source", page, removed: [] };
}
