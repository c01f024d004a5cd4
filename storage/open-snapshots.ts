import { openS3Objects } from "./objects/s3-objects.ts";
import { withObjects } from "./objects/with-objects.ts";
import type { Snapshots } from "./snapshots.ts";
import { openSqliteSnapshots } from "./sqlite/snapshots.ts";
import type { StorePlace } from "./store.ts";

/** Opens the snapshots for a thread of long reads, on the engine of the place. */
export async function openSnapshots(place: StorePlace): Promise<Snapshots> {
  const snapshots = await openRows(place);
  const objects = place.objects && openS3Objects(place.objects);
  return { ...snapshots, read: (run) => snapshots.read((reader) => run(withObjects(reader, objects))) };
}

async function openRows({ folder, database }: StorePlace): Promise<Snapshots> {
  if (database === undefined) return openSqliteSnapshots(folder);
  const { openPostgresSnapshots } = await import("./postgres/snapshots.ts");
  return openPostgresSnapshots(database);
}
