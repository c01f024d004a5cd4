/** Databases for tests, on the server of `server-setup.ts`. */
import { Client } from "pg";
import { connect, type PostgresSql } from "#/storage/postgres/connection.ts";

/** Of the server; undefined where there is none. */
export const serverUrl: string | undefined = process.env.TEST_POSTGRES_URL;

let made = 0;

/** An empty one, or one like `template`. Answers its place. */
export async function makeDatabase(template?: string): Promise<string> {
  const name = `test_${process.pid}_${++made}`;
  await command(
    `create database ${name} ${template === undefined ? "" : `template ${template} strategy file_copy`}`,
  );
  return urlOf(name);
}

export async function dropDatabase(url: string): Promise<void> {
  await command(`drop database if exists ${nameOf(url)} with (force)`);
}

export function urlOf(database: string): string {
  const url = new URL(serverUrl!);
  url.pathname = `/${database}`;
  return url.href;
}

export function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

export function command(text: string): Promise<void> {
  return change(serverUrl!, text);
}

/** Statements of PostgreSQL's own, past the store. */
export async function change(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** Ends the connections to a database, of which all or those whose last statement has a word. The server tells its processes by a signal:
 *  they are waited for. */
export function endConnections(url: string, word = ""): Promise<void> {
  return command(
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity
    where datname = '${nameOf(url)}' and query like '%${word}%'`,
  );
}

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly sql: PostgresSql;
}

export async function openDatabase(): Promise<TestDatabase> {
  const url = await makeDatabase();
  const sql = await connect({ url });
  return {
    url,
    sql,
    async [Symbol.asyncDispose]() {
      await sql.close();
      await dropDatabase(url);
    },
  };
}
