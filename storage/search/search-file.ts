/** The file of the search index, with its statements. */
import type Database from "better-sqlite3";
import { checkpointPages, writtenForSqlite } from "../sqlite/connection.ts";

export class SearchFile {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  readonly #statements = new Map<string, Database.Statement<unknown[]>>();

  sql<R>(query: string): Database.Statement<unknown[], R> {
    let statement = this.#statements.get(query);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[]>(writtenForSqlite(query));
      this.#statements.set(query, statement);
    }
    return statement as Database.Statement<unknown[], R>;
  }

  /** Throws when an fsync fails. The file may be damaged then, and the caller makes the index again. */
  #checkpoint(): void {
    const [state] = this.#database.pragma("wal_checkpoint(NOOP)") as { log: number; checkpointed: number }[];
    if (state !== undefined && state.log - state.checkpointed >= checkpointPages)
      this.#database.pragma("wal_checkpoint(PASSIVE)");
  }

  inTransaction(run: () => void): void {
    this.#database.exec("begin immediate");
    try {
      run();
      this.#database.exec("commit");
    } finally {
      if (this.#database.inTransaction) this.#database.exec("rollback");
    }
    this.#checkpoint();
  }

  close(): void {
    this.#database.close();
  }
}
