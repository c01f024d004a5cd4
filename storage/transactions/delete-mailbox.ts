import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { beginAgentWrite } from "../writing/agent-write.ts";
import { selectEntries } from "../writing/entry-rows.ts";
import { childMailboxes } from "../writing/mailbox-rows.ts";

/** DELETE (RFC 9051 section 6.3.5) with all messages in it. INBOX and mailboxes with a special use stay
 *  (mailbox_is_required); one with mailboxes below it is refused (mailbox_has_children), as there are no names that stand
 *  for no mailbox. A subscription stays, as section 6.3.5 has it. */
export async function deleteMailbox(
  tx: Transaction,
  args: { agent: AgentNumber; mailbox: MailboxNumber; at: number },
): Promise<{ modseq: Modseq }> {
  const write = await beginAgentWrite(tx, args.agent, args.at);
  const mailbox = await write.mailbox(args.mailbox);
  if (mailbox.role !== null)
    throw new WaypostError("policy_refused", `${mailbox.name} is needed and cannot be deleted`, {
      reason: "mailbox_is_required",
    });
  if ((await childMailboxes(tx, args.agent, mailbox.name)).length > 0)
    throw new WaypostError("policy_refused", "The mailbox has others below it", {
      reason: "mailbox_has_children",
      hint: "Delete those first.",
    });
  for (const entry of await selectEntries(tx, args.agent, args.mailbox, undefined))
    write.removeEntry(mailbox, entry);
  await write.dropMailbox(mailbox);
  return { modseq: await write.finish() };
}
