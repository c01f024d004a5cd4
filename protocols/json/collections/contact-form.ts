import type { StoredItem } from "#/src/collections/item.ts";
import { cleanLine } from "#/src/render/clean-text.ts";
import { isoTime } from "#/src/render/iso-time.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import type { OperationContext } from "../operation.ts";
import { itemId } from "./reach.ts";

/** A contact in a listing. */
export async function contactShortForm(context: OperationContext, item: StoredItem) {
  return {
    id: itemId(context, item),
    version: String(item.modseq),
    uid: cleanLine(item.uid, "uid", createRemovalTally()),
    ...(await context.rooms.contacts.run("list", { bytes: item.bytes })),
    updated_at: isoTime(item.updatedAt),
    size: item.size,
    authenticated: item.isAuthenticated,
  };
}
