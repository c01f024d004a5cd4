/** Reads of the main thread: statements that go to whichever of a few connections has least to do, each behind those sent before it. */

import { inBackground } from "#/src/model/background.ts";
import { forTheHouse } from "#/src/model/caller.ts";
import type { Reader, SqlValue } from "../sql.ts";
import type { DatabasePlace } from "../store.ts";
import { connectAgain, type PostgresSql } from "./connection.ts";
import { ConnectionLost } from "./failures.ts";

const connectionsMax = 8;

export class PostgresReads implements Reader {
  readonly #place: DatabasePlace;
  #connections: PostgresSql[];
  #connecting: Promise<PostgresSql> | undefined;
  #isClosed = false;

  constructor(place: DatabasePlace, first: PostgresSql) {
    this.#place = place;
    this.#connections = [first];
  }

  get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined> {
    return this.#read((sql) => sql.get<R>(query, ...parameters));
  }

  all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]> {
    return this.#read((sql) => sql.all<R>(query, ...parameters));
  }

  column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]> {
    return this.#read((sql) => sql.column<V>(query, ...parameters));
  }

  get isConnected(): boolean {
    return this.#connections.some(({ isLost }) => !isLost);
  }

  /** A read whose connection is lost is sent once more: the server may have been started anew since the last one. */
  async #read<R>(read: (sql: PostgresSql) => Promise<R>): Promise<R> {
    const sql = await this.#connection();
    try {
      return await read(sql);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return read(await this.#connection());
    }
  }

  /** Not awaited where there is one with nothing to do: what is asked for in one turn keeps its order. */
  #connection(): PostgresSql | Promise<PostgresSql> {
    if (this.#isClosed) throw new ConnectionLost();
    if (this.#connections.some(({ isLost }) => isLost))
      this.#connections = this.#connections.filter(({ isLost }) => !isLost);
    let best: PostgresSql | undefined;
    for (const sql of this.#connections) if (best === undefined || sql.pending < best.pending) best = sql;
    if (best?.pending === 0) return best;
    if (this.#connections.length < connectionsMax) {
      const connecting = this.#connect();
      if (best === undefined) return connecting;
      // It is there for the next ones.
      connecting.catch(() => {});
    }
    return best!;
  }

  #connect(): Promise<PostgresSql> {
    this.#connecting ??= forTheHouse(() => connectAgain(this.#place))
      .then((sql) => {
        if (this.#isClosed) inBackground(() => sql.close());
        else this.#connections.push(sql);
        return sql;
      })
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  /** After what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting?.catch(() => {});
    await Promise.all(this.#connections.map((sql) => sql.close()));
  }
}
