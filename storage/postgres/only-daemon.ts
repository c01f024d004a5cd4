/** One daemon at a time on a database, as long as what only one may do (the queue, webhooks, holds) is not shared out. The lock is
 *  the server's, and goes with its connection: however the process ends, no stale lock is left. */
import type { DatabasePlace } from "../store.ts";
import { connect, type PostgresSql } from "./connection.ts";
import { lockNumbers } from "./migrate.ts";

const tryMs = 1000;

export class OnlyDaemon {
  readonly #place: DatabasePlace;
  readonly #onLost: (reason: string) => void;
  #sql: PostgresSql;
  #timer: NodeJS.Timeout;
  #isClosed = false;

  /** Throws a sentence when another daemon has the database. */
  static async take(place: DatabasePlace, onLost: (reason: string) => void): Promise<OnlyDaemon> {
    const sql = await connect(place);
    if (await lock(sql)) return new OnlyDaemon(place, sql, onLost);
    await sql.close();
    throw new Error("The database is in use by another Waypost; only one process can have it open");
  }

  private constructor(place: DatabasePlace, sql: PostgresSql, onLost: (reason: string) => void) {
    this.#place = place;
    this.#sql = sql;
    this.#onLost = onLost;
    this.#timer = setInterval(() => void this.#look(), tryMs).unref();
  }

  /** After the server was away the lock is taken again, unless another daemon was quicker. */
  async #look(): Promise<void> {
    if (!this.#sql.isLost) return;
    clearInterval(this.#timer);
    const sql = await connect(this.#place).catch(() => undefined);
    if (sql !== undefined) {
      if (this.#isClosed) return void sql.close();
      if (await lock(sql).catch(() => true)) this.#sql = sql;
      else return this.#onLost("another Waypost has taken the database while the connection was lost");
    }
    if (!this.#isClosed) this.#timer = setInterval(() => void this.#look(), tryMs).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#sql.close();
  }
}

async function lock(sql: PostgresSql): Promise<boolean> {
  const row = await sql.get<{ taken: number }>(`select pg_try_advisory_lock(${lockNumbers.daemon}) as taken`);
  return row?.taken === 1;
}
