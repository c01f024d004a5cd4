import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { type ListFieldsPlace, listFieldsPlaceName } from "../../queries/mail/unlisted-messages.ts";
import { replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { lockRows } from "../../writing/lock-rows.ts";
import { rowTextMax } from "../../writing/mail/message-rows.ts";

export interface FillListFields {
  readonly found: readonly {
    readonly agent: AgentNumber;
    readonly message: MessageNumber;
    readonly listFields: string;
    readonly otherFields: string | null;
  }[];
  /** The last message that was looked at. */
  readonly reached: ListFieldsPlace;
}

/** Stores the list fields of messages that have none, where their rows have room, and how far the messages were looked at. */
export async function fillListFields(
  tx: Transaction,
  { found, reached }: FillListFields,
): Promise<Record<string, never>> {
  await lockRows(tx, { agents: found.map(({ agent }) => agent), accounts: [] });
  for (const { agent, message, listFields, otherFields } of found)
    await tx.run(
      `update message
      set list_fields = ?, other_fields = ?
      where agent_id = ? and message_id = ? and list_fields is null and
        length(trace) + length(subject) + length(from_address) + length(from_name) + length(provenance) +
        length(envelope) + length(body_structure) + coalesce(length(reference_ids), 0) <= ?`,
      listFields,
      otherFields,
      agent,
      message,
      rowTextMax - listFields.length - (otherFields?.length ?? 0),
    );
  const value = Buffer.from(`${reached.agent} ${reached.message}`);
  await tx.run(...replacement("deployment", { name: listFieldsPlaceName, value }, "name"));
  return {};
}
