import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { type FlagState, flagState, isKeyword, keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import { type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, BlobNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import { carriedColumns } from "../../schema/schema.ts";
import type { Transaction } from "../../sql.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import type { HeldEntry } from "../../writing/mail/entry-rows.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { resolveKeywords } from "../../writing/mail/keywords.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { joinThread } from "../../writing/mail/threads.ts";
import { assertCanBeTakenBack, type CopyPart, noteCopied } from "../../writing/unfinished-copies.ts";
import { assertAllHeld, type CopyResult } from "./copy-messages.ts";

export interface TransferPlace {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  readonly actor: Actor;
}

export interface TransferMessages {
  readonly source: TransferPlace;
  readonly target: TransferPlace;
  readonly uids: NumberSet;
  /** Removes the entries from the source. */
  readonly isMove: boolean;
  /** By message of the source: keys that join it to a thread of the target. Messages without keys get threads of their own. */
  readonly threadKeys: readonly { readonly message: MessageNumber; readonly keys: readonly Uint8Array[] }[];
  /** Of a copy in several transactions. */
  readonly part?: CopyPart | undefined;
  readonly at: number;
}

/** COPY and MOVE between two agents of one account: the bytes are shared, the messages are new ones of the target. Refuses
 *  no_such_mailbox, over_quota. */
export async function transferMessages(tx: Transaction, args: TransferMessages): Promise<CopyResult> {
  const { source, target } = args;
  const writes = new Map<AgentNumber, AgentTransaction>();
  // Agents are locked in the same order in every write, so that transactions cannot deadlock.
  for (const { agent, actor } of [source, target].sort((a, b) => a.agent - b.agent))
    writes.set(agent, await beginAgentTransaction(tx, agent, args.at, actor));
  const from = writes.get(source.agent)!;
  const to = writes.get(target.agent)!;
  if (from === to || from.account !== to.account)
    throw new WaypostError("policy_refused", "Messages go from one agent to another of the same account");
  const fromMailbox = await mailOf(from).mailbox(source.mailbox);
  const toMailbox = await mailOf(to).mailbox(target.mailbox);
  const entries = await selectEntries(tx, source.agent, source.mailbox, args.uids);
  assertAllHeld(fromMailbox, args.uids, entries);
  if (args.part !== undefined) assertCanBeTakenBack(fromMailbox, toMailbox);
  // A move to any Trash declines the mail. In another mailbox it would still wait, but nobody would see it.
  if (args.isMove && fromMailbox.isForHolds && toMailbox.role !== "trash")
    throw new WaypostError("policy_refused", "Mail that waits is not moved to another mailbox", {
      reason: "approval_needed",
    });
  to.assertRoom(
    entries.reduce((sum, { size }) => sum + size, 0),
    entries.length,
  );

  const threadKeys = new Map(args.threadKeys.map(({ message, keys }) => [message, keys]));
  const flags = new FlagTranslation(tx, source.agent, target.agent);
  to.reserveNumbers(new Set(entries.map(({ message }) => message)).size);
  const copies = new Map<MessageNumber, MessageNumber>();
  const targetUids: Uid[] = [];
  for (const entry of entries) {
    const known = copies.get(entry.message);
    const message = known ?? (to.takeNumber() as MessageNumber);
    if (known === undefined) {
      const thread = await joinThread(tx, target.agent, message, threadKeys.get(entry.message) ?? []);
      await copyMessageRow(
        tx,
        source.agent,
        entry.message,
        { agent: target.agent, message, thread },
        args.at,
      );
      copies.set(entry.message, message);
    }
    const { mask, overflow } = await flags.translate(entry);
    const { internalDate, size } = entry;
    const copied = { message, flags: mask, keywords: overflow, internalDate, size };
    targetUids.push(mailOf(to).addEntry(toMailbox, copied, known === undefined));
    if (args.isMove) mailOf(from).removeEntry(fromMailbox, entry);
  }
  const ofTarget = await to.finish();
  const ofSource = await from.finish();
  const copied = { target: toMailbox, uids: targetUids, modseq: ofTarget };
  return {
    uidValidity: toMailbox.uidValidity,
    sourceUids: numberSetOf(entries.map(({ uid }) => uid)),
    targetUids: numberSetOf(targetUids),
    // Of what was changed where the messages are: a move changes the source as well.
    modseq: args.isMove ? ofSource : ofTarget,
    ...(args.part && { copy: await noteCopied(tx, target.agent, args.part, copied) }),
  };
}

/** What the copy has of the row; the rest is of its place and time. */
const transferred = carriedColumns("message", "transfer").join(", ");

/** The row with one entry counted, and one more reference to its blob. */
async function copyMessageRow(
  tx: Transaction,
  sourceAgent: AgentNumber,
  source: MessageNumber,
  copy: { readonly agent: AgentNumber; readonly message: MessageNumber; readonly thread: number },
  at: number,
): Promise<void> {
  const inserted = await tx.get<{ account: number; blob: BlobNumber }>(
    `insert into message
      (agent_id, message_id, thread_id, entry_count, received_at, ${transferred})
    select ?, ?, ?, 1, ?, ${transferred}
    from message
    where agent_id = ? and message_id = ?
    returning account_id as account, blob_id as blob`,
    copy.agent,
    copy.message,
    copy.thread,
    at,
    sourceAgent,
    source,
  );
  if (inserted === undefined) throw new WaypostError("not_found", "The message is no longer there");
  await tx.run(
    "update blob set reference_count = reference_count + 1 where account_id = ? and blob_id = ?",
    inserted.account,
    inserted.blob,
  );
}

/** Each agent has its own numbers of keywords. Each combination of keywords is looked up once. */
class FlagTranslation {
  readonly #tx: Transaction;
  readonly #source: AgentNumber;
  readonly #target: AgentNumber;
  #names: readonly string[] | undefined;
  readonly #known = new Map<string, FlagState>();

  constructor(tx: Transaction, source: AgentNumber, target: AgentNumber) {
    this.#tx = tx;
    this.#source = source;
    this.#target = target;
  }

  async translate({ flags, keywords }: HeldEntry): Promise<FlagState> {
    const key = `${flags} ${keywords ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#names ??= await this.#readNames();
    const numbers = [...keywordNumbers({ mask: flags, overflow: keywords })];
    // Imports once took names that no keyword can have.
    const names = numbers.flatMap((number) => this.#names![number] ?? []).filter(isKeyword);
    const resolved = await resolveKeywords(this.#tx, this.#target, names, true);
    const state = flagState(flags & systemFlagsMask, resolved.numbers);
    this.#known.set(key, state);
    return state;
  }

  async #readNames(): Promise<string[]> {
    const rows = await this.#tx.all<{ name: string }>(
      "select name from keyword where agent_id = ? order by keyword_number",
      this.#source,
    );
    return rows.map(({ name }) => name);
  }
}
