import type { Settings } from "./schema.ts";

/** Where the rows are; undefined where everything is in the folder. */
export function databaseOf({
  storage: { url, passwordFile },
}: Pick<Settings, "storage">): { readonly url: string; readonly passwordFile?: string } | undefined {
  if (url === "") return undefined;
  return passwordFile === "" ? { url } : { url, passwordFile };
}
