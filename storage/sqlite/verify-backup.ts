/** Whether a copy of the store can be used: its pages and indexes (`pragma integrity_check`). It is read whole. */
import fs from "node:fs";
import Database from "better-sqlite3";
import { sqliteAddon } from "./native.ts";

/** What is wrong with the file; nothing for a sound copy. `folder`: the data folder, which has the addon. */
export function verifyBackup(file: string, folder: string): string[] {
  const addon = sqliteAddon(folder);
  const options = { readonly: true, fileMustExist: true };
  const database = new Database(
    file,
    addon === undefined ? options : { ...options, nativeBinding: addon as string },
  );
  try {
    const found = database.pragma("integrity_check(20)") as readonly { readonly integrity_check: string }[];
    return found.map((row) => row.integrity_check).filter((line) => line !== "ok");
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return [error.message];
  } finally {
    database.close();
    // A reader of a file in WAL mode leaves them, empty.
    for (const name of [`${file}-wal`, `${file}-shm`]) fs.rmSync(name, { force: true });
  }
}
