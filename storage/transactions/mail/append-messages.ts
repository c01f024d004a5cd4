import type { Actor } from "#/src/model/author.ts";
import { flagState, systemFlagsMask } from "#/src/model/flags.ts";
import type { StoredOfMessage } from "#/src/model/message-properties.ts";
import { type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import type { HeldDraft } from "../../queries/mail/drafts.ts";
import type { MessageFacts } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { insertBlob } from "../../writing/blob-rows.ts";
import { findDraftOfKeys, nameDraft } from "../../writing/mail/draft-rows.ts";
import { resolveKeywords } from "../../writing/mail/keywords.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import type { MailWrite } from "../../writing/mail/mail-write.ts";
import type { MailboxWrite } from "../../writing/mail/mailbox-write.ts";
import { insertMessage } from "../../writing/mail/message-rows.ts";
import { joinThread } from "../../writing/mail/threads.ts";
import { adoptSubmission } from "../../writing/outbound/message-submissions.ts";

export interface AppendedMessage {
  readonly facts: MessageFacts;
  /** System flags. */
  readonly flags: number;
  readonly keywords: readonly string[];
  readonly internalDate: number;
  /** The time at which it first came to a mailbox; absent: now. */
  readonly receivedAt?: number | undefined;
  /** JSON. */
  readonly provenance: string;
  readonly isAuthenticated: boolean;
  /** Those that it was given; absent: none. */
  readonly properties?: Partial<StoredOfMessage> | undefined;
}

export interface AppendMessages {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  readonly messages: readonly AppendedMessage[];
  readonly actor: Actor;
  readonly at: number;
}

export interface AppendResult {
  readonly uidValidity: number;
  readonly uids: readonly Uid[];
  readonly uidSet: NumberSet;
  readonly messages: readonly MessageNumber[];
  readonly modseq: Modseq;
  /** A keyword was used for the first time: the FLAGS that clients have are out of date. */
  readonly hasNewKeyword: boolean;
}

/** APPEND and MULTIAPPEND (RFC 9051 section 6.3.12, RFC 3502): all or none. Refuses no_such_mailbox, over_quota. */
export async function appendMessages(tx: Transaction, args: AppendMessages): Promise<AppendResult> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor, args.messages.length);
  const mail = mailOf(write);
  const mailbox = await mail.mailbox(args.mailbox);
  write.assertRoom(
    args.messages.reduce((sum, { facts }) => sum + facts.blob.size, 0),
    args.messages.length,
  );
  const { uids, messages, hasNewKeyword } = await addMessages(mail, mailbox, args.messages);
  return {
    uidValidity: mailbox.uidValidity,
    uids,
    uidSet: numberSetOf(uids),
    messages,
    modseq: await write.finish(),
    hasNewKeyword,
  };
}

/** A message that another one replaces. */
interface Replaced {
  readonly message: MessageNumber;
  readonly draft: HeldDraft | undefined;
}

/** Adds new messages to a mailbox, as a part of a write that has announced their numbers. A message in Drafts becomes a draft: the one
 *  that it replaces, or one that has a key of it already. */
export async function addMessages(
  mail: MailWrite,
  mailbox: MailboxWrite,
  added: readonly AppendedMessage[],
  replaced?: Replaced,
): Promise<Pick<AppendResult, "uids" | "messages" | "hasNewKeyword">> {
  const write = mail.transaction;
  const uids: Uid[] = [];
  const messages: MessageNumber[] = [];
  let hasNewKeyword = false;
  for (const appended of added) {
    const { facts, internalDate } = appended;
    const keywords = await resolveKeywords(write.tx, write.agent, appended.keywords, true);
    hasNewKeyword ||= keywords.hasNew;
    const { mask, overflow } = flagState(appended.flags & systemFlagsMask, keywords.numbers);
    const keys = facts.draftKeys ?? [];
    const isDraft = mailbox.role === "drafts";
    const former = isDraft
      ? (replaced?.draft ?? (await findDraftOfKeys(write.tx, write.agent, keys)))
      : undefined;
    const message = await insertAppended(write, appended, replaced?.message ?? former?.message ?? null);
    const entry = { message, flags: mask, keywords: overflow, internalDate, size: facts.blob.size };
    uids.push(mail.addEntry(mailbox, entry, true));
    messages.push(message);
    // A login of another agent that stores the message here has not sent it.
    if (write.actor.agent === write.agent) await adoptSubmission(write.tx, write.agent, message, facts);
    if (isDraft) await nameDraft(write, message, { keys, former });
  }
  return { uids, messages, hasNewKeyword };
}

/** Inserts the row of a new message with an entry count of 1. `versionOf`: the message that it is another version of. */
export async function insertAppended(
  write: AgentTransaction,
  appended: Omit<AppendedMessage, "flags" | "keywords" | "internalDate">,
  versionOf: MessageNumber | null,
): Promise<MessageNumber> {
  const { tx, agent, account, at } = write;
  const { facts, provenance, isAuthenticated } = appended;
  const message = write.takeNumber() as MessageNumber;
  await insertMessage(tx, {
    agent,
    message,
    account,
    blob: await insertBlob(tx, account, facts.blob, 1),
    thread: await joinThread(tx, agent, message, facts.threadKeys),
    receivedAt: appended.receivedAt ?? at,
    trace: new Uint8Array(),
    facts,
    isAuthenticated,
    provenance,
    versionOf,
    properties: appended.properties ?? {},
  });
  return message;
}
