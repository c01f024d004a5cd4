/** A copy of the store while it is written to.
 *
 *  The copy runs on the writer's own connection, between its batches: there SQLite copies each new page as it is
 *  written. On a second connection every write would restart the copy, and it would never end. */
import fs from "node:fs";
import path from "node:path";
import type Database from "better-sqlite3";
import { markCopy } from "./restore.ts";

/** 4 MiB: a step delays a batch by about 10 ms. */
const pagesPerStep = 512;

/** The file gets its name only when it is complete and on the disk. Refuses an existing file. */
export async function backupTo(
  database: Database.Database,
  file: string,
  onProgress?: (done: number, total: number) => void,
): Promise<void> {
  if (fs.existsSync(file)) throw new Error(`${file} exists; a backup never overwrites a file`);
  const partial = `${file}.partial`;
  fs.rmSync(partial, { force: true });
  try {
    fs.closeSync(fs.openSync(partial, "wx", 0o600));
    await database.backup(partial, {
      progress({ totalPages, remainingPages }) {
        onProgress?.(totalPages - remainingPages, totalPages);
        return pagesPerStep;
      },
    });
    markCopy(partial);
    syncPath(partial);
    fs.renameSync(partial, file);
    syncPath(path.dirname(file));
  } finally {
    fs.rmSync(partial, { force: true });
  }
}

function syncPath(name: string): void {
  const descriptor = fs.openSync(name, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
