import type { AgentNumber } from "#/src/model/numbers.ts";
import { defaultPageSettings, findPageSettings } from "../../queries/accounts/sign-ins.ts";
import type { PageSettingsRow } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";
import { assertPerson } from "../../writing/accounts/page-sessions.ts";

export interface SetPageSettings {
  readonly agent: AgentNumber;
  /** Absent members stay. */
  readonly approvesWith?: PageSettingsRow["approvesWith"];
  readonly timeZone?: PageSettingsRow["timeZone"];
}

/** The choices of a person for the pages. Throws `unauthorized` for somebody who is no person. */
export async function setPageSettings(tx: Transaction, args: SetPageSettings): Promise<void> {
  await assertPerson(tx, args.agent);
  const row = (await findPageSettings(tx, args.agent)) ?? defaultPageSettings;
  await tx.run(
    `insert into page_settings (agent_id, approves_with, time_zone)
    values (?, ?, ?)
    on conflict (agent_id) do update set approves_with = excluded.approves_with, time_zone = excluded.time_zone`,
    args.agent,
    args.approvesWith ?? row.approvesWith,
    args.timeZone === undefined ? row.timeZone : args.timeZone,
  );
}
