import type { Reader } from "../sql.ts";
import type { DatabasePlace } from "../store.ts";
import { connect } from "./connection.ts";
import { PostgresReads } from "./reads.ts";

/** Reads for a thread that follows the store; a lost connection is made again. */
export async function openPostgresRows(place: DatabasePlace): Promise<Reader & { close(): Promise<void> }> {
  return new PostgresReads(place, await connect(place));
}
