import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { cleanText } from "#/src/render/clean-text.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import { collectionId, type ReachedItem, reachItem } from "../collections/reach.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { type DescribedItem, describeItem, describeSource, type ItemReading } from "./item.ts";
import { describeLinkedPart } from "./linked-part.ts";
import { pageOf } from "./page.ts";
import type { PartRequest } from "./part-request.ts";

export async function describeContact(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const reached = await reachItem(context, "addressbook", name, "read");
  return describeReachedContact(context, reached, request.part, request);
}

/** `part`: "" for the contact itself, undefined for the part in the cursor. */
export function describeReachedContact(
  context: OperationContext,
  reached: ReachedItem,
  part: string | undefined,
  request: PartRequest,
): Promise<ReadResult> {
  return describeItem(context, reached, part, request, (read) =>
    read.part === "" ? describeWhole(read) : describePart(read),
  );
}

const renders = ["text", "json", "vcard", "source"] as const;

async function describeWhole(read: ItemReading): Promise<DescribedItem> {
  const { context, stored, collection, id, from, maxChars } = read;
  assertRender(read.render, renders);
  const render = (read.render ?? "text") as (typeof renders)[number];
  if (render === "source") return describeSource(read);
  const { card, linked, text, signs, removed } = await context.rooms.contacts.run("describe", {
    bytes: stored.bytes,
    id,
    render,
  });
  const facts = { card, uid: cleanText(stored.uid, "uid", createRemovalTally()) };
  const addressbook = collectionId(context, collection);
  const content = {
    ...facts,
    addressbook,
    ...(linked.length === 0 ? {} : { linked: [...linked] }),
    ...(signs.length === 0 ? {} : { signs }),
  };
  const page = await pageOf({ kind: "message", content, text }, from, maxChars);
  return { kind: "contact", render, page, removed };
}

async function describePart(read: ItemReading): Promise<DescribedItem> {
  const { context, stored, part } = read;
  const found = await context.rooms.contacts.run("part", { bytes: stored.bytes, part });
  if (found === undefined)
    throw new WaypostError("not_found", "The contact has no such text.", {
      hint: "content.linked has the parts that can be read, such as media/k1/uri.",
    });
  return describeLinkedPart(read, found);
}
