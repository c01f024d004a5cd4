/** What PostgreSQL's errors mean to us (Appendix A of its manual, "SQLSTATE"). */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { readThrown } from "#/src/model/thrown.ts";

/** disk_full and the one of a quota of Aurora and others, which stand in the same class. */
const noRoom = new Set(["53100"]);

/** Whole classes that pass: connection_exception, transaction_rollback, insufficient_resources, operator_intervention, and what
 *  was refused for a lock that did not come. */
const passing = /^(08|40|53|57|55P03|25006|25P0)/;

/** Of the socket, or of `pg` when there is none. */
const lostSocket = /^(E[A-Z]+|ERR_SOCKET.*|ERR_TLS.*)$/;

export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof Error ? readThrown(error).code : undefined;
}

/** The transaction was undone for another one's sake: run again from its start, it will do. */
export function isSerialization(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === "40001" || state === "40P01";
}

/** Somebody else wrote the same key between our look and our write: looked at again, it is seen. */
export function isTakenKey(error: unknown): boolean {
  return sqlStateOf(error) === "23505";
}

export class ConnectionLost extends Error {
  constructor(cause?: unknown) {
    super("The connection to PostgreSQL was lost", { cause });
    this.name = "ConnectionLost";
  }
}

/** The refusal for what the engine could not do. */
export function postgresFailure(error: unknown): WaypostError {
  if (isWaypostError(error)) return error;
  const state = sqlStateOf(error);
  if (state !== undefined && noRoom.has(state))
    return new WaypostError("upstream_unavailable", "The store has no room left", {
      reason: "store_full",
      retryAfterMs: 60_000,
      cause: error,
    });
  if (
    error instanceof ConnectionLost ||
    (state !== undefined && (passing.test(state) || lostSocket.test(state)))
  )
    return new WaypostError("upstream_unavailable", "The store could not be reached", {
      reason: "busy",
      retryAfterMs: 5_000,
      cause: error,
    });
  return new WaypostError("internal", "The store failed", { cause: error });
}
