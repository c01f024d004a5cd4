/** Removes objects from the object store some time after their rows were deleted, so that a restored backup of the rows still finds
 *  them. */
import { freedObjectMs, objectsPerSweep } from "#/src/model/limits.ts";
import type { WriteSlice } from "../maintain.ts";
import { type Objects, objectName } from "./objects.ts";

/** Concurrent removals; few, because deliveries use the object store too. */
const removalsAtOnce = 8;

export async function sweepObjects(objects: Objects, write: WriteSlice, now: number): Promise<void> {
  let removed: readonly { readonly account: number; readonly object: string }[] = [];
  for (let count = 0; ; count += removed.length) {
    const { due } = await write("sweepObjects", {
      now,
      removeAfter: now + freedObjectMs,
      removed,
      limit: removalsAtOnce,
    });
    if (due.length === 0 || count >= objectsPerSweep) return;
    await Promise.all(due.map(({ account, object }) => objects.remove(objectName(account, object))));
    removed = due;
  }
}
