/** A connection of the daemon has to be a session of its own at the server, as long as it lasts: it listens for notifications, has settings
 *  (`synchronous_commit`) and prepared statements. A pooler that lends sessions for a transaction or a statement takes all of that away
 *  in silence. */

import type { DatabasePlace } from "../store.ts";
import { connect, type PostgresSql } from "./connection.ts";

/** Throws where a second connection gets the session that the first one had just now. */
export async function assertOwnSession(first: PostgresSql, place: DatabasePlace): Promise<void> {
  const other = await connect(place);
  try {
    const before = await sessionOf(first);
    // A pooler lends what was given back last, and keeps it lent until the transaction ends.
    await other.run("begin");
    const theirs = await sessionOf(other);
    const after = await sessionOf(first);
    await other.run("rollback");
    if (before !== after || before === theirs)
      throw new Error(
        "The database is behind a pooler that lends its sessions (pool_mode transaction or statement). Waypost needs sessions of its own: pool_mode = session, or the database itself",
      );
  } finally {
    await other.close();
  }
}

async function sessionOf(sql: PostgresSql): Promise<number> {
  const row = await sql.get<{ pid: number }>("select pg_backend_pid() as pid");
  return row!.pid;
}
