import type { AgentNumber } from "#/src/model/numbers.ts";
import { defaultPageSettings, findPageSettings } from "../../queries/accounts/sign-ins.ts";
import type { PageSettingsRow } from "../../rows.ts";
import { replacement } from "../../schema/insertion.ts";
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
    ...replacement(
      "page_settings",
      {
        agent_id: args.agent,
        approves_with: args.approvesWith ?? row.approvesWith,
        time_zone: args.timeZone === undefined ? row.timeZone : args.timeZone,
      },
      "agent_id",
    ),
  );
}
