/** What a person has chosen for the pages: what approves a mail, and the time zone in which times are shown. */
import type { Sql } from "../sql.ts";

export async function pageSettings(tx: Sql): Promise<void> {
  await tx.run(`create table page_settings (
    agent_id bigint not null primary key,
    approves_with text not null,
    time_zone text)`);
}
