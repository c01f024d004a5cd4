/** Triggers that raise the revision of access, and keep for each owner the last revision that was about them (`access_owner`). They run at
 *  the end of a transaction, so the row of the revision is locked last, and only by transactions that change access. The connection
 *  is told the owners too, before the transaction has ended.
 *
 *  They are made when a store is opened, and anew when their text has changed. */
import { createHash } from "node:crypto";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type AccessTable, accessTables, rowEvents } from "../access/access-tables.ts";
import type { PostgresSql } from "./connection.ts";

const telling = "waypost access ";
const prefix = "access_rows_";
/** Any number that no other program on the same database takes for a lock. */
const lockNumber = 7_235_002;

/** The owners that a message of the server names; undefined for another message. */
export function readTold(message: string): AgentNumber[] | undefined {
  if (!message.startsWith(telling)) return undefined;
  return message.slice(telling.length).split(" ").filter(Boolean).map(Number) as AgentNumber[];
}

export async function watchAccess(sql: PostgresSql): Promise<void> {
  const texts = accessTables.flatMap(textsOf);
  const digest = createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 12);
  const wanted = accessTables.length * rowEvents.length;
  if ((await countTriggers(sql, digest)) === wanted) return;
  await sql.run("begin");
  try {
    await sql.get(`select pg_advisory_xact_lock(${lockNumber})`);
    if ((await countTriggers(sql, digest)) !== wanted) {
      await sql.run(
        `lock table ${accessTables.map(({ name }) => name).join(", ")} in share row exclusive mode`,
      );
      for (const { trigger, table } of await listTriggers(sql))
        await sql.run(`drop trigger ${trigger} on ${table}`);
      for (const text of texts) await sql.run(text.replaceAll("$digest", digest));
    }
    await sql.run("commit");
  } catch (error) {
    await sql.run("rollback").catch(() => {});
    throw error;
  }
}

function listTriggers(sql: PostgresSql): Promise<{ readonly trigger: string; readonly table: string }[]> {
  return sql.all(
    `select t.tgname as "trigger", c.relname as "table"
    from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid
    where starts_with(t.tgname, '${prefix}') and c.relnamespace = current_schema()::regnamespace`,
  );
}

async function countTriggers(sql: PostgresSql, digest: string): Promise<number> {
  const found = await listTriggers(sql);
  return found.filter(({ trigger }) => trigger.startsWith(`${prefix}${digest}_`)).length;
}

function textsOf({ name, read, owners, isRead }: AccessTable): string[] {
  const list = (row: "old" | "new") => `owners := owners || array(select owner from (${owners(row)}) as o);`;
  return [
    `create or replace function access_of_${name}() returns trigger language plpgsql as $$
    declare
      owners bigint[] := '{}';
      raised bigint;
    begin
      if tg_op <> 'INSERT' then ${list("old")} end if;
      if tg_op <> 'DELETE' then ${list("new")} end if;
      update counter set value = value + 1 where name = 'access' returning value into strict raised;
      insert into access_owner (owner_id, revision)
      select distinct agent.agent_id, raised from agent where agent.agent_id = any (owners)
      on conflict (owner_id) do update set revision = excluded.revision;
      raise info '${telling}%', array_to_string(owners, ' ');
      return null;
    end $$`,
    ...rowEvents.map(({ event, rows }) => {
      const of = event === "update" ? `update of ${read.join(", ")}` : event;
      const when = isRead === undefined ? "" : `when (${rows.map(isRead).join(" or ")})`;
      return `create constraint trigger ${prefix}$digest_${event} after ${of} on ${name}
        deferrable initially deferred for each row ${when} execute function access_of_${name}()`;
    }),
  ];
}
