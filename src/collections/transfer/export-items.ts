/** The octets of every item of a collection, one after the other: an iCalendar stream has any number of objects (RFC 5545
 *  section 3.4), and so has one of vCards. Objects are not merged, and an import gives the same items again. Managed attachments are
 *  inline in the events that name them (`formats/icalendar/carried-attachments.ts`). */
import { carryAttachment, splitAtManaged } from "#/src/formats/icalendar/carried-attachments.ts";
import type { AccountNumber } from "#/src/model/numbers.ts";
import type { Collection } from "../collection.ts";
import type { Collections } from "../collections.ts";
import type { StoredItem } from "../item.ts";
import { readPortions } from "../portions.ts";

export interface ExportedPiece {
  readonly bytes: Uint8Array;
  /** Items that are complete with this piece. */
  readonly items: number;
}

/** Each piece has some items, or one attachment. */
export async function* exportItems(
  collections: Pick<Collections, "listItems" | "readItems" | "listAttachmentPlaces" | "readAttachment">,
  account: AccountNumber,
  { agent, number }: Pick<Collection, "agent" | "number">,
): AsyncGenerator<ExportedPiece> {
  for await (const page of collections.listItems(agent, number))
    for await (const items of readPortions(collections, agent, page))
      for (const item of items) {
        for (const piece of item.kind === "calendar" ? splitAtManaged(item.bytes) : [{ octets: item.bytes }])
          yield {
            bytes: "octets" in piece ? piece.octets : await carried(collections, account, item, piece),
            items: 0,
          };
        yield { bytes: item.bytes.at(-1) === 10 ? noOctets : lineEnd, items: 1 };
      }
}

/** The octets of one item with inline managed attachments. */
export async function carriedItem(
  collections: Pick<Collections, "listAttachmentPlaces" | "readAttachment">,
  account: AccountNumber,
  item: StoredItem,
): Promise<Uint8Array> {
  if (item.kind !== "calendar") return item.bytes;
  const pieces: Uint8Array[] = [];
  for (const piece of splitAtManaged(item.bytes))
    pieces.push("octets" in piece ? piece.octets : await carried(collections, account, item, piece));
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

const noOctets = new Uint8Array();
/** Added to an object whose last line has no line end. */
const lineEnd = Buffer.from("\r\n");

async function carried(
  { listAttachmentPlaces, readAttachment }: Pick<Collections, "listAttachmentPlaces" | "readAttachment">,
  account: AccountNumber,
  { agent }: StoredItem,
  { managedId, line }: { readonly managedId: string; readonly line: Buffer },
): Promise<Buffer> {
  const places = await listAttachmentPlaces(account, managedId, agent);
  const own = places.find((place) => place.agent === agent);
  return own === undefined ? line : carryAttachment(line, Buffer.from(await readAttachment(own)));
}
