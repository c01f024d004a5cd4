import { openSqliteStore } from "./sqlite/store.ts";
import type { OpenOptions, Store } from "./store.ts";

/** Opens a store on the engine of its options, and migrates it to the present schema. A file is opened by one process at a time. */
export async function openStore(options: OpenOptions): Promise<Store> {
  if (options.database === undefined) return openSqliteStore(options);
  // Loaded by who uses it alone.
  const { openPostgresStore } = await import("./postgres/store.ts");
  return openPostgresStore(options, options.database);
}
