import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { flagState, systemFlagsMask } from "#/src/model/flags.ts";
import { countNumbers, type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import { alreadySent } from "#/src/model/scheduled.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import type { HeldEntry } from "../../writing/mail/entry-rows.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { resolveKeywords } from "../../writing/mail/keywords.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import type { MailboxWrite } from "../../writing/mail/mailbox-write.ts";
import { assertCanBeTakenBack, type CopyPart, noteCopied } from "../../writing/unfinished-copies.ts";

export interface TransferredMessages {
  readonly agent: AgentNumber;
  readonly source: MailboxNumber;
  readonly target: MailboxNumber;
  readonly uids: NumberSet;
  readonly actor: Actor;
  readonly at: number;
}

export interface CopyMessages extends TransferredMessages {
  /** Present for a copy in several transactions. */
  readonly part?: CopyPart | undefined;
  /** Present for copies that get flags of their own. */
  readonly flags?: { readonly mask: number; readonly keywords: readonly string[] } | undefined;
}

export interface CopyResult {
  readonly uidValidity: number;
  /** Both ascending, so that the n-th UID of one became the n-th of the other (COPYUID, RFC 4315 section 3). */
  readonly sourceUids: NumberSet;
  readonly targetUids: NumberSet;
  readonly modseq: Modseq;
  /** The name of the copy, for its next part. */
  readonly copy?: Modseq | undefined;
}

/** COPY (RFC 9051 section 6.4.7): copies keep the internal date, and the flags unless others are given. Refuses no_such_mailbox, over_quota. */
export async function copyMessages(tx: Transaction, args: CopyMessages): Promise<CopyResult> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor);
  const mail = mailOf(write);
  const source = await mail.mailbox(args.source);
  const target = await mail.mailbox(args.target);
  const entries = await selectEntries(tx, args.agent, source.mailbox, args.uids);
  assertAllHeld(source, args.uids, entries);
  if (args.part !== undefined) assertCanBeTakenBack(source, target);
  write.assertRoom(
    entries.reduce((sum, { size }) => sum + size, 0),
    entries.length,
  );
  const flags = entries.length === 0 ? undefined : await ownFlags(tx, args);
  const targetUids: Uid[] = entries.map((entry) => mail.addEntry(target, { ...entry, ...flags }, false));
  const modseq = await write.finish();
  const copied = { target, uids: targetUids, modseq };
  return {
    uidValidity: target.uidValidity,
    sourceUids: numberSetOf(entries.map(({ uid }) => uid)),
    targetUids: numberSetOf(targetUids),
    modseq,
    ...(args.part && { copy: await noteCopied(tx, args.agent, args.part, copied) }),
  };
}

async function ownFlags(
  tx: Transaction,
  { agent, flags }: CopyMessages,
): Promise<Pick<HeldEntry, "flags" | "keywords"> | undefined> {
  if (flags === undefined) return undefined;
  const { numbers } = await resolveKeywords(tx, agent, flags.keywords, true);
  const { mask, overflow } = flagState(flags.mask & systemFlagsMask, numbers);
  return { flags: mask, keywords: overflow };
}

/** In other mailboxes expunged UIDs are ignored. An expunged UID of Holds means that the mail has a new version, and one of Scheduled that
 *  the mail was sent. A client that decides about mail, or cancels it, with such a UID gets an error. */
export function assertAllHeld(source: MailboxWrite, uids: NumberSet, entries: readonly HeldEntry[]): void {
  if (source.role === "scheduled" && entries.length < countNumbers(uids)) throw alreadySent();
  if (source.isForHolds && entries.length < countNumbers(uids))
    throw new WaypostError("precondition_failed", "Some of the mail has been edited or decided about since");
}
