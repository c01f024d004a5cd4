import { nobody } from "#/src/model/author.ts";
import { draftFlag, seenFlag } from "#/src/model/flags.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { findDraftOfKeys, nameDraft } from "../../writing/mail/draft-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { type AppendedMessage, insertAppended } from "./append-messages.ts";

export type DraftedMessage = Pick<AppendedMessage, "facts" | "provenance" | "isAuthenticated">;

export interface CreateDraft {
  readonly agent: AgentNumber;
  readonly message: DraftedMessage;
  /** JSON. */
  readonly options: string;
  /** Of the options. */
  readonly sendAt?: string | undefined;
  readonly at: number;
}

/** `draft.create` of the interface: a message in Drafts. Refuses over_quota. */
export async function createDraft(
  tx: Transaction,
  args: CreateDraft,
): Promise<{ draft: number; message: MessageNumber; modseq: Modseq; sendAt?: string | undefined }> {
  const { facts } = args.message;
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody, 1);
  const mail = mailOf(write);
  const drafts = await mail.mailboxOfRole("drafts");
  write.assertRoom(facts.blob.size, 1);
  const keys = facts.draftKeys ?? [];
  const former = await findDraftOfKeys(tx, args.agent, keys);
  const message = await insertAppended(write, args.message, former?.message ?? null);
  const entry = { message, keywords: null, internalDate: args.at, size: facts.blob.size };
  mail.addEntry(drafts, { ...entry, flags: seenFlag | draftFlag }, true);
  const draft = await nameDraft(write, message, { keys, former, options: args.options });
  return { draft, message, modseq: await write.finish(), sendAt: args.sendAt };
}
