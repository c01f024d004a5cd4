/** What SQLite's errors mean to us. */
import Database from "better-sqlite3";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";

/** After one of these nobody knows what is on the disk: pages may count as written that are not. Only a new start, which
 *  reads the file again, is safe. */
const untrustworthy = new Set([
  "SQLITE_IOERR_FSYNC",
  "SQLITE_IOERR_DIR_FSYNC",
  "SQLITE_IOERR_TRUNCATE",
  "SQLITE_IOERR_CLOSE",
]);

/** A full disk shows as these, depending on which file needed room. */
const noRoom = new Set(["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN"]);

export function isUntrustworthy(error: unknown): boolean {
  return error instanceof Database.SqliteError && untrustworthy.has(error.code);
}

/** The refusal for a write that the engine could not carry out; nothing of it is stored. */
export function engineFailure(error: unknown): WaypostError {
  if (isWaypostError(error)) return error;
  if (error instanceof Database.SqliteError) {
    if (noRoom.has(error.code))
      return new WaypostError("upstream_unavailable", "The store has no room left", {
        reason: "store_full",
        retryAfterMs: 60_000,
        cause: error,
      });
    if (/^SQLITE_(BUSY|LOCKED|IOERR|NOMEM|INTERRUPT|PROTOCOL|READONLY|AUTH|CANTOPEN)/.test(error.code))
      return new WaypostError("upstream_unavailable", "The store could not be reached", {
        reason: "busy",
        retryAfterMs: 5_000,
        cause: error,
      });
  }
  return new WaypostError("internal", "The store failed", { cause: error });
}
