/** Connections to the store's file, with the settings that its durability and speed were measured with. */
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { type Sql, type SqlValue, withOctetText } from "../sql.ts";
import { sqliteAddon } from "./native.ts";
import { RecentStatements } from "./recent-statements.ts";

export function databaseFile(folder: string): string {
  return path.join(folder, "waypost.db");
}

/** Pages of WAL after which the writer moves them into the file. */
export const checkpointPages = 4000;

export interface WritingOptions {
  /** Upper bound of the file; undefined: the disk. */
  readonly maxBytes?: number | undefined;
}

const pageBytes = 8192;

/** Page caches of the connections. Other pages are mostly in the page cache of the system, so a small cache costs a read a few
 *  microseconds; five large caches would be most of the memory of the process. */
const cacheKib = {
  writing: 24 * 1024,
  reading: 16 * 1024,
  /** For a thread that reads beside the others, or runs long reads that need most pages once. */
  scanning: 4 * 1024,
  search: 8 * 1024,
} as const;

/** The one writing connection of a store. */
export function openWriting(folder: string, options: WritingOptions = {}): Database.Database {
  const database = open(folder, {});
  // page_size counts only before the file becomes a WAL database.
  database.pragma(`page_size = ${pageBytes}`);
  database.pragma("journal_mode = WAL");
  shareSettings(database, cacheKib.writing);
  // 0, because the writer starts checkpoints itself: one that SQLite starts inside a commit swallows its fsync errors.
  database.pragma("wal_autocheckpoint = 0");
  database.pragma("journal_size_limit = 67108864");
  database.pragma("auto_vacuum = NONE");
  if (options.maxBytes !== undefined)
    database.pragma(`max_page_count = ${Math.max(1, Math.floor(options.maxBytes / pageBytes))}`);
  setFullSynchronous(database);
  return database;
}

export function openReading(folder: string, cache: "reading" | "scanning" = "reading"): Database.Database {
  const database = open(folder, { readonly: true, fileMustExist: true });
  shareSettings(database, cacheKib[cache]);
  return database;
}

/** The search index: it can be built again from the store, so it may lose its last writes in a power failure. */
export function openSearchFile(folder: string): Database.Database {
  const database = open(folder, {}, path.join(folder, "search.db"));
  try {
    database.pragma(`page_size = ${pageBytes}`);
    database.pragma("journal_mode = WAL");
    shareSettings(database, cacheKib.search);
    database.pragma("synchronous = NORMAL");
    // As in the store: an fsync that fails must be seen.
    database.pragma("wal_autocheckpoint = 0");
    database.pragma("journal_size_limit = 67108864");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function open(folder: string, options: Database.Options, file = databaseFile(folder)): Database.Database {
  const nativeBinding = sqliteAddon(folder);
  // The types know only a path here; the library also takes the loaded addon.
  const database = new Database(
    file,
    nativeBinding === undefined ? options : { ...options, nativeBinding: nativeBinding as string },
  );
  if (options.readonly !== true) keepPrivate(file);
  return database;
}

/** Only the user of the process may read the mail. SQLite creates the WAL and its index with the mode of the file. */
function keepPrivate(file: string): void {
  for (const name of [file, `${file}-wal`, `${file}-shm`]) if (fs.existsSync(name)) fs.chmodSync(name, 0o600);
}

function shareSettings(database: Database.Database, cacheKibMax: number): void {
  database.pragma(`cache_size = -${cacheKibMax}`);
  database.pragma("mmap_size = 0");
  database.pragma("temp_store = MEMORY");
  database.pragma("busy_timeout = 5000");
  database.pragma("foreign_keys = OFF");
  database.pragma("trusted_schema = OFF");
}

/** Without it SQLite as this library builds it changes silently to NORMAL in WAL mode after the first statement, and a power failure
 *  would lose acknowledged mail. Therefore a statement is run before the setting is read back. */
function setFullSynchronous(database: Database.Database): void {
  database.pragma("synchronous = FULL");
  database.prepare("select count(*) from sqlite_master").get();
  const isFull = database.pragma("synchronous", { simple: true }) === 2;
  const isWal = database.pragma("journal_mode", { simple: true }) === "wal";
  if (!isFull || !isWal)
    throw new Error("SQLite did not take synchronous=FULL with WAL; the store would not be durable");
}

/** SQLite chooses a plan by the values of bare parameters, and so compiles a statement again whenever other values are bound: 7 µs for
 *  a small one, 15 for a join. Unary plus does not change a value of any type, and hides it from the planner. */
export function writtenForSqlite(query: string): string {
  return withOctetText(query.replaceAll("?", "+?"), (column) => `cast(${column} as text)`);
}

/** The verbs of `Sql` on a connection. A text is prepared once while it is in use. */
export class SqliteSql implements Sql {
  readonly database: Database.Database;
  readonly #statements: RecentStatements<Database.Statement<SqlValue[]>>;
  readonly #columns: RecentStatements<Database.Statement<SqlValue[]>>;

  constructor(database: Database.Database) {
    this.database = database;
    const prepare = (query: string) => database.prepare<SqlValue[]>(writtenForSqlite(query));
    this.#statements = new RecentStatements(prepare);
    this.#columns = new RecentStatements((query) => prepare(query).pluck());
  }

  async get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined> {
    return this.#statements.get(query).get(...parameters) as R | undefined;
  }

  async all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]> {
    return this.#statements.get(query).all(...parameters) as R[];
  }

  async column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]> {
    return this.#columns.get(query).all(...parameters) as V[];
  }

  async run(query: string, ...parameters: SqlValue[]): Promise<number> {
    return this.#statements.get(query).run(...parameters).changes;
  }

  async send(query: string, ...parameters: SqlValue[]): Promise<void> {
    this.#statements.get(query).run(...parameters);
  }
}
