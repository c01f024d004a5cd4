/** One connection to PostgreSQL. Statements are sent without waiting for the answers of those before (`pipeline` of `pg`), and are
 *  carried out in the order in which they were sent. */
import fs from "node:fs";
import { Client, type QueryArrayResult, type QueryResult } from "pg";
import { readThrown } from "#/src/model/thrown.ts";
import type { Sql, SqlValue } from "../sql.ts";
import type { DatabasePlace } from "../store.ts";
import { ConnectionLost } from "./failures.ts";
import { postgresText } from "./sql-text.ts";
import { parameterOf, valueTypes } from "./values.ts";

/** A statement that takes longer is ended by the server, and its lock is waited for no longer than the second. */
export interface Patience {
  readonly statementMs: number;
  readonly lockMs: number;
}

export const usualPatience: Patience = { statementMs: 60_000, lockMs: 20_000 };
/** For scans and checks, which read everything. */
export const longPatience: Patience = { statementMs: 3_600_000, lockMs: 20_000 };

const connectMsMax = 10_000;
/** Statements that stay prepared on a connection; the server keeps some 20 KiB for each. */
const preparedMax = 500;

type Outcome = QueryResult<Record<string, unknown>> & QueryArrayResult<SqlValue[]>;

/** What the types of `pg` leave out. */
type HoldingClient = Client & { ref(): void; unref(): void };

export class PostgresSql implements Sql {
  readonly #client: HoldingClient;
  /** Texts that are prepared, and the names of their statements. */
  readonly #prepared = new Map<string, string>();
  /** Texts that were sent once: a text is prepared when it comes again. */
  readonly #seen = new Set<string>();
  #isLost = false;
  /** Statements that were not answered yet. */
  pending = 0;

  constructor(client: Client) {
    this.#client = client as HoldingClient;
    const lose = (): void => {
      this.#isLost = true;
    };
    client.on("error", lose);
    client.on("end", lose);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  async get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined> {
    const { rows } = await this.query(query, parameters);
    return rows[0] as R | undefined;
  }

  async all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]> {
    const { rows } = await this.query(query, parameters);
    return rows as R[];
  }

  async column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]> {
    const { rows } = await this.query(query, parameters, true);
    return (rows as unknown as V[][]).map(([value]) => value!);
  }

  async run(query: string, ...parameters: SqlValue[]): Promise<number> {
    const { rowCount } = await this.query(query, parameters);
    return rowCount ?? 0;
  }

  async send(query: string, ...parameters: SqlValue[]): Promise<void> {
    await this.query(query, parameters);
  }

  query(query: string, parameters: readonly SqlValue[] = [], isColumn = false): Promise<Outcome> {
    if (this.#isLost) return Promise.reject(new ConnectionLost());
    const text = postgresText(query);
    const name = this.#nameOf(text);
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    // A connection keeps the process alive only while an answer is awaited.
    if (this.pending++ === 0) this.#client.ref();
    this.#client.query(
      {
        text,
        values: parameters.map(parameterOf),
        ...(name === undefined ? {} : { name }),
        ...(isColumn ? { rowMode: "array" } : {}),
      },
      (error: Error | null, outcome: unknown) => {
        if (--this.pending === 0) this.#client.unref();
        if (error === null || error === undefined) resolve(outcome as Outcome);
        else reject(this.#isLost ? new ConnectionLost(error) : error);
      },
    );
    return promise;
  }

  #nameOf(text: string): string | undefined {
    const name = this.#prepared.get(text);
    if (name !== undefined) return name;
    if (!this.#seen.has(text)) {
      if (this.#seen.size >= preparedMax) this.#seen.clear();
      this.#seen.add(text);
      return undefined;
    }
    if (this.#prepared.size >= preparedMax) return undefined;
    const fresh = `w${this.#prepared.size}`;
    this.#prepared.set(text, fresh);
    return fresh;
  }

  /** Of channels that were listened to. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on("notification", ({ payload = "" }) => listener(payload));
  }

  /** Messages of the server about a statement, before it is answered. */
  onMessage(listener: (message: string) => void): void {
    this.#client.on("notice", ({ message = "" }) => listener(message));
  }

  async close(): Promise<void> {
    if (this.#isLost) return;
    // Until it has ended: a command that closes its last connection has something to say afterwards.
    this.#client.ref();
    await this.#client.end().catch(() => {});
  }
}

/** Throws a sentence that says which setting is wrong when the database is not one that keeps the store's promises. */
export async function connect(
  place: DatabasePlace,
  patience: Patience = usualPatience,
): Promise<PostgresSql> {
  const client = new Client({
    connectionString: place.url,
    ...(place.passwordFile === undefined
      ? {}
      : { password: fs.readFileSync(place.passwordFile, "utf8").replace(/\r?\n$/, "") }),
    application_name: "waypost",
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    pipeline: true,
    types: valueTypes as never,
  });
  const sql = new PostgresSql(client);
  try {
    await client.connect().catch((error: unknown) => {
      // As when nobody answers in time.
      throw readThrown(error).code === undefined ? new ConnectionLost(error) : error;
    });
    await sql.run(`set statement_timeout = ${patience.statementMs}`);
    await sql.run(`set lock_timeout = ${patience.lockMs}`);
    await sql.run("set idle_in_transaction_session_timeout = 60000");
    await assertTrustworthy(sql);
    return sql;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** In the life of a store, when the settings have been good: whatever is in the way passes. */
export async function connectAgain(place: DatabasePlace): Promise<PostgresSql> {
  try {
    return await connect(place);
  } catch (error) {
    throw new ConnectionLost(error);
  }
}

/** An answer promises that a write is on the server's disk. */
async function assertTrustworthy(sql: PostgresSql): Promise<void> {
  const settings = await sql.get<{ encoding: string; commits: string }>(
    `select current_setting('server_encoding') as encoding, current_setting('synchronous_commit') as commits`,
  );
  if (settings?.encoding !== "UTF8")
    throw new Error(`The database has the encoding ${settings?.encoding}; make one with the encoding UTF8`);
  if (settings.commits === "off") await sql.run("set synchronous_commit = on");
}
