import type { Settings } from "./schema.ts";

/** The database of PostgreSQL; undefined when the store is a file in the data folder. */
export function databaseOf({
  storage: { url, passwordFile },
}: Pick<Settings, "storage">): { readonly url: string; readonly passwordFile?: string } | undefined {
  if (url === "") return undefined;
  return passwordFile === "" ? { url } : { url, passwordFile };
}
