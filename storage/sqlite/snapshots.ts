import type { Snapshots } from "../snapshots.ts";
import { openReading, SqliteSql } from "./connection.ts";
import { engineFailure } from "./failures.ts";

export function openSqliteSnapshots(folder: string): Snapshots {
  const database = openReading(folder, "scanning");
  const sql = new SqliteSql(database);
  return {
    async read(run) {
      try {
        database.exec("begin");
        return await run(sql);
      } finally {
        if (database.inTransaction) database.exec("rollback");
      }
    },
    async listDamages() {
      const found = await sql
        .all<{ integrity_check: string }>("pragma integrity_check")
        .catch((error: unknown) => [{ integrity_check: String(error) }]);
      return found
        .map((row) => row.integrity_check)
        .filter((text) => text !== "ok")
        .map((text) => `SQLite finds the file damaged: ${text}`);
    },
    failureOf: engineFailure,
    async close() {
      database.close();
    },
  };
}
