import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { metadataEntriesMax, metadataEntriesOfAgentMax, metadataValueBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";

export interface SetMetadata {
  /** The agent that owns the mailbox. */
  readonly agent: AgentNumber;
  /** 0: the server as this agent has it. */
  readonly mailbox: MailboxNumber | 0;
  readonly entries: readonly {
    /** 0: a shared entry for all agents that reach the mailbox; otherwise the agent of a private entry. */
    readonly holder: AgentNumber | 0;
    readonly name: string;
    /** null removes it. */
    readonly value: Uint8Array | null;
  }[];
  readonly at: number;
}

/** SETMETADATA (RFC 5464 section 4.3): all of the entries or none. What all share is told in the change log as a change of
 *  the mailbox too. Refuses no_such_mailbox, too_large, limit_reached. */
export async function setMetadata(tx: Transaction, args: SetMetadata): Promise<{ modseq: Modseq }> {
  const { agent, mailbox, entries } = args;
  const write = await beginAgentTransaction(tx, agent, args.at, nobody);
  if (mailbox !== 0) await mailOf(write).mailbox(mailbox);
  const changed = new Map<AgentNumber | 0, string[]>();
  const note = (holder: AgentNumber | 0, name: string): void => {
    changed.set(holder, [...(changed.get(holder) ?? []), name]);
  };
  for (const { holder, name, value } of entries) {
    if (value === null) {
      const count = await tx.run(
        "delete from mailbox_metadata where agent_id = ? and mailbox_id = ? and holder_id = ? and name = ?",
        agent,
        mailbox,
        holder,
        name,
      );
      if (count > 0) note(holder, name);
      continue;
    }
    if (value.byteLength > metadataValueBytesMax)
      throw new WaypostError("policy_refused", `An entry has at most ${metadataValueBytesMax} octets`, {
        reason: "too_large",
      });
    const count = await tx.run(
      ...insertion(
        "mailbox_metadata",
        { agent_id: agent, mailbox_id: mailbox, holder_id: holder, name, value },
        `on conflict (agent_id, mailbox_id, holder_id, name) do update
        set value = excluded.value
        where mailbox_metadata.value <> excluded.value`,
      ),
    );
    if (count > 0) note(holder, name);
  }
  // Counted by holder, so that no agent uses up the room of another.
  for (const holder of new Set(entries.map((entry) => entry.holder))) {
    const ofMailbox = [agent, mailbox, holder];
    await assertCount(tx, "agent_id = ? and mailbox_id = ? and holder_id = ?", ofMailbox, metadataEntriesMax);
    await assertCount(tx, "agent_id = ? and holder_id = ?", [agent, holder], metadataEntriesOfAgentMax);
  }
  // RFC 7162 section 3.2: the MODSEQ of a mailbox grows with its annotations.
  if (mailbox !== 0 && changed.size > 0)
    await tx.run(
      "update mailbox set modseq = ? where agent_id = ? and mailbox_id = ?",
      write.modseq,
      agent,
      mailbox,
    );
  if (mailbox !== 0 && changed.has(0)) mailOf(write).mailboxChanged("update", mailbox);
  for (const [holder, names] of changed)
    write.log({
      kind: "metadata",
      parent: mailbox,
      operation: "update",
      ids: String(holder),
      data: JSON.stringify(names),
    });
  return { modseq: await write.finish() };
}

async function assertCount(
  tx: Transaction,
  condition: string,
  parameters: readonly number[],
  countMax: number,
): Promise<void> {
  const { count } = (await tx.get<{ count: number }>(
    `select count(*) as count from mailbox_metadata where ${condition}`,
    ...parameters,
  ))!;
  if (count > countMax)
    throw new WaypostError("policy_refused", `There are at most ${countMax} entries`, {
      reason: "limit_reached",
    });
}
