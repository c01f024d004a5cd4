import type { Snapshots } from "./snapshots.ts";
import { openSqliteSnapshots } from "./sqlite/snapshots.ts";
import type { StorePlace } from "./store.ts";

/** For a thread of long reads, on the engine that the place names. */
export async function openSnapshots({ folder, database }: StorePlace): Promise<Snapshots> {
  if (database === undefined) return openSqliteSnapshots(folder);
  const { openPostgresSnapshots } = await import("./postgres/snapshots.ts");
  return openPostgresSnapshots(database);
}
