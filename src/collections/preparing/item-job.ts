/** Parses an item and derives its facts, in a thread. */
import { isWaypostError } from "#/src/model/errors.ts";
import { deriveItem, readItem } from "./derive-item.ts";
import type { ItemAnswer, ItemJob } from "./preparation.ts";

export async function doItemJob({ bytes, item }: ItemJob): Promise<ItemAnswer> {
  try {
    return { facts: await deriveItem(bytes, readItem(bytes, item), item.at) };
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    return { refusal: { message: error.message, reason: error.details.reason } };
  }
}
