/** Maps SQLite's errors to errors of the store. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { faultKind } from "./result-codes.ts";

/** Only a new start, which reads the file again, is safe. */
export function isUntrustworthy(error: unknown): boolean {
  return faultKind(error) === "sync";
}

/** The error for a write that the engine could not execute; nothing of it is stored. */
export function engineFailure(error: unknown): WaypostError {
  if (isWaypostError(error)) return error;
  const kind = faultKind(error);
  if (kind === "room")
    return new WaypostError("upstream_unavailable", "The store has no room left", {
      reason: "store_full",
      retryAfterMs: 60_000,
      cause: error,
    });
  if (kind === "machine" || kind === "disk" || kind === "sync")
    return new WaypostError("upstream_unavailable", "The store could not be reached", {
      reason: "busy",
      retryAfterMs: 5_000,
      cause: error,
    });
  return new WaypostError("internal", "The store failed", { cause: error });
}
