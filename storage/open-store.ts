import { openSqliteStore } from "./sqlite/store.ts";
import type { OpenOptions, Store } from "./store.ts";

/** Opens the store of a folder, bringing it to the present schema. One process at a time. */
export function openStore(options: OpenOptions): Promise<Store> {
  return openSqliteStore(options);
}
