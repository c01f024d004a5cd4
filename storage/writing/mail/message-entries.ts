/** The entries of a message. It is shown by the first: the one saved first; if several are, the one with the lowest mailbox number. */
import type { AgentNumber, MailboxNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Sql } from "../../sql.ts";
import type { HeldEntry } from "./entry-rows.ts";
import { heldEntryColumns } from "./entry-rows.ts";

export interface PlacedEntry extends HeldEntry {
  readonly mailbox: MailboxNumber;
}

export async function selectMessageEntries(
  tx: Sql,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<PlacedEntry[]> {
  return tx.all<PlacedEntry>(
    `select mailbox_id as mailbox, ${heldEntryColumns}
    from entry
    where agent_id = ? and message_id = ?
    order by saved_at, mailbox_id, uid`,
    agent,
    message,
  );
}
