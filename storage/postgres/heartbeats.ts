/** Whether daemons run on a database, by their heartbeats in the table `daemon` (`storage/leasing/lease-keeper.ts`). It is asked of schemas of every
 *  version, before steps of the schema are taken: a daemon of the former version that runs would have its tables changed below it. */
import { pause } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { PostgresSql } from "./connection.ts";

/** Daemons write a heartbeat every 1.5 s. */
export const listenMs = 4000;

/** True when a heartbeat changes within `waitMs`. A row that stays as it is belongs to a daemon that was killed. Without the table there is no
 *  store, or one of a version whose daemons write no heartbeats. */
export async function hasDaemons(sql: PostgresSql, waitMs: number): Promise<boolean> {
  const table = await sql.get<{ name: string | null }>("select to_regclass('daemon') as name");
  if (table?.name == null) return false;
  const before = await listBeats(sql);
  if (before.size === 0) return false;
  await pause(waitMs);
  return [...(await listBeats(sql))].some(([daemon, beat]) => before.get(daemon) !== beat);
}

/** Throws `precondition_failed` where daemons run. */
export async function assertNoDaemons(sql: PostgresSql, name: string, waitMs: number): Promise<void> {
  if (await hasDaemons(sql, waitMs))
    throw new WaypostError("precondition_failed", `A daemon runs on ${name}: stop it first`);
}

/** A database as people are told of it: without user and password. */
export function nameOfDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

async function listBeats(sql: PostgresSql): Promise<Map<string, number>> {
  const rows = await sql.all<{ daemon: string; beat: number }>("select daemon, beat from daemon");
  return new Map(rows.map(({ daemon, beat }) => [daemon, beat]));
}
