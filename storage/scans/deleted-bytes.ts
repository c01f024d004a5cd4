import { deletedFlag } from "#/src/model/flags.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import type { Reader } from "../sql.ts";

/** Octets that an EXPUNGE of the mailbox would free (DELETED-STORAGE of RFC 9208). Reads every entry. */
export async function deletedBytes(
  reader: Reader,
  args: { readonly agent: AgentNumber; readonly mailbox: MailboxNumber },
): Promise<number> {
  const row = await reader.get<{ bytes: number }>(
    `select coalesce(sum(size), 0) as bytes
    from entry
    where agent_id = ? and mailbox_id = ? and flags & ${deletedFlag} <> 0`,
    args.agent,
    args.mailbox,
  );
  return row?.bytes ?? 0;
}
