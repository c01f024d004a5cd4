/** Annotations of mailboxes (RFC 5464). */
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

export interface MetadataRow {
  readonly holder: AgentNumber | 0;
  readonly name: string;
  readonly value: Uint8Array;
}

/** Shared annotations and the private ones of one agent, by name. `mailbox` 0: annotations of the server. */
export function listMetadata(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber | 0,
  holder: AgentNumber,
): Promise<MetadataRow[]> {
  return reader.all(
    `select ${selectList<MetadataRow, "mailbox_metadata">({
      holder: "mailbox_metadata.holder_id",
      name: "mailbox_metadata.name",
      value: "mailbox_metadata.value",
    })}
    from mailbox_metadata
    where agent_id = ? and mailbox_id = ? and holder_id in (0, ?)
    order by name, holder_id`,
    agent,
    mailbox,
    holder,
  );
}
