import type { Actor } from "#/src/model/author.ts";
import { type FlagState, flagState, keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import { approvedKeyword } from "#/src/model/holds.ts";
import { type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import type { HeldEntry } from "../../writing/mail/entry-rows.ts";
import { selectEntries } from "../../writing/mail/entry-rows.ts";
import { foldKeyword, resolveKeywords } from "../../writing/mail/keywords.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { assertAllHeld } from "./copy-messages.ts";

export type StoreMode = "add" | "remove" | "replace";

export interface StoreFlags {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  readonly uids: NumberSet;
  readonly mode: StoreMode;
  /** Bits of the system flags. */
  readonly flags: number;
  readonly keywords: readonly string[];
  /** Entries that changed since then are not changed (RFC 7162 section 3.1.3). */
  readonly unchangedSince?: Modseq | undefined;
  readonly actor: Actor;
  readonly at: number;
}

export interface StoreResult {
  readonly modseq: Modseq;
  readonly changed: NumberSet;
  /** UIDs that were not changed because their MODSEQ is above `unchangedSince`. */
  readonly failed: NumberSet;
  readonly hasNewKeyword: boolean;
}

const approval = foldKeyword(approvedKeyword);

/** STORE (RFC 9051 section 6.4.6, RFC 7162 section 3.1.3). UIDs that do not exist are ignored. */
export async function storeFlags(tx: Transaction, args: StoreFlags): Promise<StoreResult> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, args.actor);
  const mail = mailOf(write);
  const mailbox = await mail.mailbox(args.mailbox);
  const entries = await selectEntries(tx, args.agent, args.mailbox, args.uids);
  if (args.mode !== "remove" && args.keywords.some((name) => foldKeyword(name) === approval))
    assertAllHeld(mailbox, args.uids, entries);
  // A keyword is made only for a message that gets it: a STORE without existing messages makes none.
  const isCreating = args.mode !== "remove" && entries.length > 0;
  const keywords = await resolveKeywords(tx, args.agent, args.keywords, isCreating);
  const stored = flagState(args.flags & systemFlagsMask, keywords.numbers);
  const changed: Uid[] = [];
  const failed: Uid[] = [];
  for (const entry of entries)
    if (args.unchangedSince !== undefined && entry.modseq > args.unchangedSince) failed.push(entry.uid);
    else if (mail.updateEntry(mailbox, entry, combine(entry, args.mode, stored))) changed.push(entry.uid);
  return {
    modseq: await write.finish(),
    changed: numberSetOf(changed),
    failed: numberSetOf(failed),
    hasNewKeyword: keywords.hasNew,
  };
}

function combine(entry: HeldEntry, mode: StoreMode, stored: FlagState): FlagState {
  if (mode === "replace") return stored;
  const mask = mode === "add" ? entry.flags | stored.mask : entry.flags & ~stored.mask;
  if (stored.overflow === null) return { mask, overflow: entry.keywords };
  const change = keywordNumbers({ mask: 0, overflow: stored.overflow });
  const held = keywordNumbers({ mask: 0, overflow: entry.keywords });
  const beyond = mode === "add" ? [...held, ...change] : held.filter((number) => !change.includes(number));
  return { mask, overflow: flagState(0, beyond).overflow };
}
