/** Errors of a store, and their form in messages between threads. */
import { type ErrorDetails, isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { describeCause } from "#/src/threads/thread-ends.ts";
import type { ErrorRow } from "./rows.ts";

export function closedStore(): WaypostError {
  return new WaypostError("upstream_unavailable", "The store is closed", { reason: "busy" });
}

export function errorRow(error: WaypostError): ErrorRow {
  const { cause, ...details } = error.details;
  return {
    code: error.code,
    message: error.message,
    details: cause === undefined ? details : { ...details, cause: codedCause(cause) },
  };
}

/** A write found no room. */
export function isFull(error: unknown): boolean {
  return isWaypostError(error) && error.details.reason === "store_full";
}

export function errorOfRow(row: ErrorRow): WaypostError {
  return new WaypostError(row.code, row.message, row.details as ErrorDetails);
}

/** Errors of an engine have codes that say more than where they were thrown. */
function codedCause(cause: unknown): string {
  const { code } = readThrown(cause);
  return cause instanceof Error && code !== undefined ? `${code}: ${cause.message}` : describeCause(cause);
}
