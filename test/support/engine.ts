/** Which engine the stores and daemons of the tests are on, and databases for them where that is PostgreSQL. */

import path from "node:path";
import Database from "better-sqlite3";
import type { StorePlace } from "#/storage/store.ts";

export const engine: "sqlite" | "postgres" = process.env.TEST_ENGINE === "postgres" ? "postgres" : "sqlite";

export interface TestDatabasePlace extends AsyncDisposable {
  readonly url: string;
}

/** A new database; undefined where rows are in a file of the store's folder. */
export async function makeTestDatabase(): Promise<TestDatabasePlace | undefined> {
  if (engine === "sqlite") return undefined;
  const { dropDatabase, makeDatabase } = await import("../postgres/database.ts");
  const url = await makeDatabase("waypost_template");
  return { url, [Symbol.asyncDispose]: () => dropDatabase(url) };
}

const byFolder = new Map<string, TestDatabasePlace>();

/** Settings of a daemon's store: a daemon that is started again in the same folder has the same database. */
export async function storageSettings(folder: string): Promise<string[]> {
  const place = byFolder.get(folder) ?? (await makeTestDatabase());
  if (place === undefined) return [];
  byFolder.set(folder, place);
  return [`storage.url=${place.url}`];
}

/** When the folder is removed. */
export async function dropStorage(folder: string): Promise<void> {
  const place = byFolder.get(folder);
  byFolder.delete(folder);
  await place?.[Symbol.asyncDispose]();
}

/** Changes rows past the store. */
export async function changeRows({ folder, database }: StorePlace, text: string): Promise<void> {
  if (database === undefined) new Database(path.join(folder, "waypost.db")).exec(text).close();
  else await (await import("../postgres/database.ts")).change(database.url, text);
}
