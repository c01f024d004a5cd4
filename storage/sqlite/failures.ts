/** Maps SQLite's errors to errors of the store. */
import Database from "better-sqlite3";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";

/** After one of these the state of the disk is unknown: pages may be marked as written although they are not. Only a new start,
 *  which reads the file again, is safe. */
const untrustworthy = new Set([
  "SQLITE_IOERR_FSYNC",
  "SQLITE_IOERR_DIR_FSYNC",
  "SQLITE_IOERR_TRUNCATE",
  "SQLITE_IOERR_CLOSE",
]);

/** The errors of a full disk, depending on the file that needed room. */
const noRoom = new Set(["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN"]);

export function isUntrustworthy(error: unknown): boolean {
  return error instanceof Database.SqliteError && untrustworthy.has(error.code);
}

/** The error for a write that the engine could not execute; nothing of it is stored. */
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
