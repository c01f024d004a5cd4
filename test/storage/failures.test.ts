import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { engineFailure } from "#/storage/sqlite/failures.ts";

it.each([
  ["SQLITE_FULL", "upstream_unavailable", "store_full"],
  ["SQLITE_IOERR_SHMSIZE", "upstream_unavailable", "store_full"],
  ["SQLITE_BUSY_SNAPSHOT", "upstream_unavailable", "busy"],
  // Rights, or too many open files: no room would help.
  ["SQLITE_CANTOPEN", "upstream_unavailable", "busy"],
  ["SQLITE_CANTOPEN_ISDIR", "upstream_unavailable", "busy"],
  ["SQLITE_IOERR_READ", "upstream_unavailable", "busy"],
  ["SQLITE_CORRUPT", "internal", undefined],
])("answers %s of SQLite as %s, %s", (code, answer, reason) => {
  const failure = engineFailure(new Database.SqliteError("", code));
  expect([failure.code, failure.details.reason]).toEqual([answer, reason]);
});
