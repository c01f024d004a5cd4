import type { Snapshots } from "../snapshots.ts";
import type { DatabasePlace } from "../store.ts";
import { connect, longPatience } from "./connection.ts";
import { postgresFailure } from "./failures.ts";

export async function openPostgresSnapshots(place: DatabasePlace): Promise<Snapshots> {
  let sql = await connect(place, longPatience);
  return {
    async read(run) {
      if (sql.isLost) sql = await connect(place, longPatience);
      await sql.run("begin transaction isolation level repeatable read read only");
      try {
        return await run(sql);
      } finally {
        await sql.run("rollback").catch(() => {});
      }
    },
    // Checksums are looked at by the server whenever it reads a page, and `pg_amcheck` is its own tool.
    listDamages: async () => [],
    failureOf: postgresFailure,
    close: () => sql.close(),
  };
}
