import {
  type FlagState,
  flaggedFlag,
  flagState,
  keywordNumbers,
  seenFlag,
  systemFlagsMask,
} from "#/src/model/flags.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { beginAgentWrite, type HeldEntry } from "../writing/agent-write.ts";
import { resolveKeywords } from "../writing/keywords.ts";
import { selectMessageEntries } from "../writing/message-entries.ts";

export interface UpdateMessages {
  readonly agent: AgentNumber;
  readonly messages: readonly MessageNumber[];
  readonly isUnread?: boolean | undefined;
  readonly isFlagged?: boolean | undefined;
  /** Replace the labels whole: a label is a keyword, and every keyword is one. */
  readonly labels?: readonly string[] | undefined;
  readonly addLabels?: readonly string[] | undefined;
  readonly removeLabels?: readonly string[] | undefined;
  readonly mailbox?: MailboxNumber | undefined;
  readonly at: number;
}

/** `message.update` of the interface. Flags are set wherever the message is. After `mailbox` it is there and nowhere else,
 *  as `folder` is one: left in others too, it would go on being shown by the oldest of them. */
export async function updateMessages(
  tx: Transaction,
  args: UpdateMessages,
): Promise<{ modseq: Modseq; missing: MessageNumber[] }> {
  const write = await beginAgentWrite(tx, args.agent, args.at);
  const target = args.mailbox === undefined ? undefined : await write.mailbox(args.mailbox);
  const found = new Map<MessageNumber, Awaited<ReturnType<typeof selectMessageEntries>>>();
  for (const message of new Set(args.messages)) {
    const entries = await selectMessageEntries(tx, args.agent, message);
    if (entries.length > 0) found.set(message, entries);
  }
  const change = await labelChange(tx, args, found.size > 0);
  for (const entries of found.values()) {
    const kept = target === undefined ? entries : entries.filter(({ mailbox }) => mailbox === target.mailbox);
    for (const entry of entries) {
      const mailbox = await write.mailbox(entry.mailbox);
      if (kept.includes(entry)) write.updateEntry(mailbox, entry, change(entry));
      else write.removeEntry(mailbox, entry);
    }
    if (target !== undefined && kept.length === 0) {
      const shown = entries[0]!;
      const state = change(shown);
      write.addEntry(target, { ...shown, flags: state.mask, keywords: state.overflow }, false);
    }
  }
  return {
    modseq: await write.finish(),
    missing: args.messages.filter((message) => !found.has(message)),
  };
}

async function labelChange(
  tx: Transaction,
  args: UpdateMessages,
  isCreating: boolean,
): Promise<(entry: HeldEntry) => FlagState> {
  const { numbers: added } = await resolveKeywords(
    tx,
    args.agent,
    [...(args.labels ?? []), ...(args.addLabels ?? [])],
    isCreating,
  );
  const { numbers: removed } = await resolveKeywords(tx, args.agent, args.removeLabels ?? [], false);
  return (entry) => {
    let system = entry.flags & systemFlagsMask;
    if (args.isUnread !== undefined) system = args.isUnread ? system & ~seenFlag : system | seenFlag;
    if (args.isFlagged !== undefined) system = args.isFlagged ? system | flaggedFlag : system & ~flaggedFlag;
    const held = keywordNumbers({ mask: entry.flags, overflow: entry.keywords });
    const kept = args.labels === undefined ? held : [];
    return flagState(
      system,
      [...kept, ...added].filter((number) => !removed.includes(number)),
    );
  };
}
