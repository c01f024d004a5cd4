/** The folder of archives that people have made of their own data (`own-export.ts`). */
import fs from "node:fs";
import path from "node:path";
import type { Settings } from "#/config/schema.ts";

export function ownArchivesFolder({ storage }: Pick<Settings, "storage">): string {
  return path.join(storage.folder, "archives");
}

/** At the start of a daemon: what a former one has left is for no session any more. */
export function removeOwnArchives(settings: Pick<Settings, "storage">): void {
  fs.rmSync(ownArchivesFolder(settings), { recursive: true, force: true });
}
