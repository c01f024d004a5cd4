import { selectList } from "../../schema/select-list.ts";
import type { Transaction } from "../../sql.ts";

export interface FreedObject {
  readonly account: number;
  readonly object: string;
}

export interface SweepObjects {
  readonly now: number;
  /** When the objects that were freed since the last sweep may be removed. */
  readonly removeAfter: number;
  /** Objects that were removed from the object store. */
  readonly removed: readonly FreedObject[];
  readonly limit: number;
}

/** Returns the objects to remove now. It returns the same ones until they are reported as removed. */
export async function sweepObjects(
  tx: Transaction,
  { now, removeAfter, removed, limit }: SweepObjects,
): Promise<{ due: readonly FreedObject[] }> {
  for (const { account, object } of removed)
    await tx.run("delete from freed_object where account_id = ? and object = ?", account, object);
  await tx.run(
    `update freed_object
    set remove_after = ?
    where remove_after = 0 and (account_id, object) in (
      select account_id, object from freed_object where remove_after = 0 limit 1000)`,
    removeAfter,
  );
  const due = await tx.all<FreedObject>(
    `select ${selectList<FreedObject, "freed_object">({
      account: "freed_object.account_id",
      object: "freed_object.object",
    })}
    from freed_object
    where remove_after > 0 and remove_after <= ?
    order by remove_after, account_id, object
    limit ?`,
    now,
    limit,
  );
  return { due };
}
