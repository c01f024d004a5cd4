import type { Actor } from "#/src/model/author.ts";
import { aboutObject, WaypostError } from "#/src/model/errors.ts";
import { type FlagState, flagState, keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import { flagsOfMarks, type MarksChange } from "#/src/model/marks.ts";
import { messageProperties, type StoredOfMessage } from "#/src/model/message-properties.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { alreadySent } from "#/src/model/scheduled.ts";
import { findMessage } from "../../queries/mail/messages.ts";
import { findLeftModseq } from "../../queries/outbound/submissions.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import type { HeldEntry } from "../../writing/mail/entry-rows.ts";
import { resolveKeywords } from "../../writing/mail/keywords.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { selectMessageEntries } from "../../writing/mail/message-entries.ts";
import { setMessageProperties } from "../../writing/mail/message-properties.ts";
import { assertMessageVersion } from "../../writing/version.ts";

export interface UpdateMessages {
  readonly agent: AgentNumber;
  /** null: skipped, and null in the result at its place. */
  readonly messages: readonly (MessageNumber | null)[];
  readonly marks?: MarksChange | undefined;
  /** Replace all labels: a label is a keyword, and every keyword is a label. */
  readonly labels?: readonly string[] | undefined;
  readonly addLabels?: readonly string[] | undefined;
  readonly removeLabels?: readonly string[] | undefined;
  readonly properties?: Partial<StoredOfMessage> | undefined;
  readonly mailbox?: MailboxNumber | undefined;
  /** Of one message, as it was read; absent it is changed whatever it is now. */
  readonly version?: string | undefined;
  readonly actor: Actor;
  readonly at: number;
}

/** `message.update` of the interface. Flags are set in every mailbox of the message. With `mailbox` the message is afterwards only in that
 *  mailbox, because `folder` of the interface is a single one: the oldest of several entries would be shown. */
export async function updateMessages(
  tx: Transaction,
  args: UpdateMessages,
): Promise<{ modseq: Modseq; versions: (Modseq | null)[]; takenBack: MessageNumber[] }> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor);
  const mail = mailOf(write);
  const target = args.mailbox === undefined ? undefined : await mail.mailbox(args.mailbox);
  const found = new Map<MessageNumber, Awaited<ReturnType<typeof selectMessageEntries>>>();
  for (const message of new Set(args.messages)) {
    if (message === null) continue;
    const entries = await selectMessageEntries(tx, args.agent, message);
    if (entries.length > 0) found.set(message, entries);
  }
  if (found.size === 0) throw new WaypostError("not_found", "There is no such message.");
  const change = await labelChange(tx, args);
  const changed = new Set<MessageNumber>();
  for (const [message, entries] of found) {
    try {
      if (args.version !== undefined)
        await assertMessageVersion(tx, { agent: args.agent, message }, args.version, entries);
      else if (target?.role === "drafts") await assertNotSent(tx, args.agent, message);
    } catch (error) {
      throw aboutObject(error, message);
    }
    const isSet = await setChanged(tx, args, message);
    const kept = target === undefined ? entries : entries.filter(({ mailbox }) => mailbox === target.mailbox);
    for (const entry of entries) {
      const mailbox = await mail.mailbox(entry.mailbox);
      if (!kept.includes(entry)) mail.removeEntry(mailbox, entry);
      const isUpdated = kept.includes(entry) && mail.updateEntry(mailbox, entry, change(entry));
      if (isSet && !isUpdated && kept.includes(entry)) mail.touchEntry(mailbox, entry);
      if (!kept.includes(entry) || isUpdated || isSet) changed.add(message);
    }
    if (target !== undefined && kept.length === 0) {
      const shown = entries[0]!;
      const state = change(shown);
      mail.addEntry(target, { ...shown, flags: state.mask, keywords: state.overflow }, false);
    }
  }
  const modseq = await write.finish();
  const versionOf = (message: MessageNumber | null): Modseq | null => {
    if (message === null) return null;
    if (changed.has(message)) return modseq;
    return (
      found
        .get(message)
        ?.reduce((highest, entry) => (entry.modseq > highest ? entry.modseq : highest), 0 as Modseq) ?? null
    );
  };
  return { modseq, versions: args.messages.map(versionOf), takenBack: [...mail.takenBack] };
}

/** Sets the given properties; false if the message has them already. */
async function setChanged(
  tx: Transaction,
  { agent, properties = {} }: UpdateMessages,
  message: MessageNumber,
): Promise<boolean> {
  const given = messageProperties.inColumns(properties);
  if (given.length === 0) return false;
  const held = new Map(messageProperties.inColumns((await findMessage(tx, agent, message))!));
  if (given.every(([column, value]) => held.get(column) === value)) return false;
  await setMessageProperties(tx, agent, message, properties);
  return true;
}

/** A move to Drafts cancels the sending of mail: sent mail cannot become a draft again. */
async function assertNotSent(tx: Transaction, agent: AgentNumber, message: MessageNumber): Promise<void> {
  if ((await findLeftModseq(tx, agent, message)) !== undefined) throw alreadySent();
}

async function labelChange(tx: Transaction, args: UpdateMessages): Promise<(entry: HeldEntry) => FlagState> {
  const marked = flagsOfMarks(args.marks ?? {});
  const { numbers: added } = await resolveKeywords(
    tx,
    args.agent,
    [...(args.labels ?? []), ...(args.addLabels ?? []), ...marked.added.keywords],
    true,
  );
  const { numbers: removed } = await resolveKeywords(
    tx,
    args.agent,
    [...(args.removeLabels ?? []), ...marked.removed.keywords],
    false,
  );
  return (entry) => {
    const system = (entry.flags & systemFlagsMask & ~marked.removed.mask) | marked.added.mask;
    const held = keywordNumbers({ mask: entry.flags, overflow: entry.keywords });
    const kept = args.labels === undefined ? held : [];
    return flagState(
      system,
      [...kept, ...added].filter((number) => !removed.includes(number)),
    );
  };
}
