/** A store on PostgreSQL, as the one who moves it has it. Whether daemons are there is seen by their signs of life. */
import { WaypostError } from "#/src/model/errors.ts";
import { type MovingSide, shapesOf } from "../moving/moving-side.ts";
import type { DatabasePlace } from "../store.ts";
import { connect, longPatience, type PostgresSql } from "./connection.ts";
import { assertNoDaemons, hasDaemons, listenMs, nameOfDatabase } from "./heartbeats.ts";
import { isCurrent, migrate } from "./migrate.ts";

/** Any number that no other program on the same database takes for a lock. */
const lockNumber = 7_235_002;

export interface PostgresSide extends MovingSide {
  readonly sql: PostgresSql;
}

/** Throws `precondition_failed` where the schema is one of another version and a daemon runs on it; the schema stays as it is then. */
export async function openPostgresSide(place: DatabasePlace, waitMs = listenMs): Promise<PostgresSide> {
  const sql = await connect(place, longPatience);
  const name = nameOfDatabase(place.url);
  try {
    // Held as long as the connection is.
    const lock = await sql.get<{ taken: number }>(`select pg_try_advisory_lock(${lockNumber}) as taken`);
    if (lock?.taken !== 1)
      throw new WaypostError("precondition_failed", `Another waypost move runs on ${name}`);
    if (!(await isCurrent(sql))) {
      await assertNoDaemons(sql, name, waitMs);
      await migrate(sql, Date.now());
    }
  } catch (error) {
    await sql.close();
    throw error;
  }
  return {
    name,
    sql,
    async listTables() {
      return shapesOf(
        await sql.all<{ table: string; column: string; type: string; keyPlace: number }>(
          `select c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type,
            coalesce(array_position(i.indkey::int2[], a.attnum) + 1 - array_lower(i.indkey::int2[], 1), 0) as "keyPlace"
          from pg_class as c
          join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          left join pg_index as i on i.indrelid = c.oid and i.indisprimary
          where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
          order by c.relname collate "C", a.attnum`,
        ),
      );
    },
    async inTransaction(run) {
      await sql.run("begin");
      try {
        await run();
      } catch (error) {
        await sql.run("rollback").catch(() => {});
        throw error;
      }
      await sql.run("commit");
    },
    isInUse: () => hasDaemons(sql, waitMs),
    // Without figures of its own the planner takes tables for small.
    async settle() {
      await sql.run("analyze");
    },
    async takePlace() {},
    async [Symbol.asyncDispose]() {
      await sql.close();
    },
  };
}
