import type { Actor } from "#/src/model/actor.ts";
import { WaypostError } from "#/src/model/errors.ts";
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
  readonly actor?: Actor | undefined;
  readonly at: number;
}

/** `message.update` of the interface. Flags are set wherever the message is. After `mailbox` it is there and nowhere else,
 *  as `folder` is one: left in others too, it would go on being shown by the oldest of them. */
export async function updateMessages(
  tx: Transaction,
  args: UpdateMessages,
): Promise<{ modseq: Modseq; versions: (Modseq | null)[] }> {
  const write = await beginAgentWrite(tx, args.agent, args.at, 0, args.actor);
  const target = args.mailbox === undefined ? undefined : await write.mailbox(args.mailbox);
  const found = new Map<MessageNumber, Awaited<ReturnType<typeof selectMessageEntries>>>();
  for (const message of new Set(args.messages)) {
    const entries = await selectMessageEntries(tx, args.agent, message);
    if (entries.length > 0) found.set(message, entries);
  }
  if (found.size === 0) throw new WaypostError("not_found", "There is no such message.");
  const change = await labelChange(tx, args);
  const changed = new Set<MessageNumber>();
  for (const [message, entries] of found) {
    const kept = target === undefined ? entries : entries.filter(({ mailbox }) => mailbox === target.mailbox);
    for (const entry of entries) {
      const mailbox = await write.mailbox(entry.mailbox);
      if (!kept.includes(entry)) write.removeEntry(mailbox, entry);
      if (!kept.includes(entry) || write.updateEntry(mailbox, entry, change(entry))) changed.add(message);
    }
    if (target !== undefined && kept.length === 0) {
      const shown = entries[0]!;
      const state = change(shown);
      write.addEntry(target, { ...shown, flags: state.mask, keywords: state.overflow }, false);
    }
  }
  const modseq = await write.finish();
  const versionOf = (message: MessageNumber): Modseq | null => {
    if (changed.has(message)) return modseq;
    return (
      found
        .get(message)
        ?.reduce((highest, entry) => (entry.modseq > highest ? entry.modseq : highest), 0 as Modseq) ?? null
    );
  };
  return { modseq, versions: args.messages.map(versionOf) };
}

async function labelChange(tx: Transaction, args: UpdateMessages): Promise<(entry: HeldEntry) => FlagState> {
  const { numbers: added } = await resolveKeywords(
    tx,
    args.agent,
    [...(args.labels ?? []), ...(args.addLabels ?? [])],
    true,
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
