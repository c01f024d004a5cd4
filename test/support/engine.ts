/** Which storage engine the tests use, and databases for them when it is PostgreSQL. */

import path from "node:path";
import Database from "better-sqlite3";
import type { StorePlace } from "#/storage/store.ts";

export const engine: "sqlite" | "postgres" = process.env.TEST_ENGINE === "postgres" ? "postgres" : "sqlite";

export interface TestDatabasePlace extends AsyncDisposable {
  readonly url: string;
}

/** A new database. Undefined on SQLite, where the store has its file in its own folder. */
export async function makeTestDatabase(): Promise<TestDatabasePlace | undefined> {
  if (engine === "sqlite") return undefined;
  const { dropDatabase, makeDatabase } = await import("../postgres/database.ts");
  const url = await makeDatabase("waypost_template");
  return { url, [Symbol.asyncDispose]: () => dropDatabase(url) };
}

const byFolder = new Map<string, TestDatabasePlace>();

/** Settings for the store of a daemon. A daemon that starts again in the same folder gets the same database. */
export async function storageSettings(folder: string): Promise<string[]> {
  const place = byFolder.get(folder) ?? (await makeTestDatabase());
  if (place === undefined) return [];
  byFolder.set(folder, place);
  return [`storage.url=${place.url}`];
}

/** Drops the folder's database. Called when the folder is removed. */
export async function dropStorage(folder: string): Promise<void> {
  const place = byFolder.get(folder);
  byFolder.delete(folder);
  await place?.[Symbol.asyncDispose]();
}

/** Changes rows directly in the database, without the store. */
export async function changeRows({ folder, database }: StorePlace, text: string): Promise<void> {
  if (database === undefined) new Database(path.join(folder, "waypost.db")).exec(text).close();
  else await (await import("../postgres/database.ts")).change(database.url, text);
}
