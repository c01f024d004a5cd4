import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { draftFlag } from "#/src/model/flags.ts";
import type { MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { findDraft } from "../../queries/mail/drafts.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { nameDraft } from "../../writing/mail/draft-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { assertVersion } from "../../writing/version.ts";
import { insertAppended } from "./append-messages.ts";
import type { CreateDraft } from "./create-draft.ts";

export interface UpdateDraft extends CreateDraft {
  readonly draft: number;
  readonly version: string | undefined;
}

/** `draft.update` of the interface: replaces the message and keeps its flags and labels. Refuses over_quota. */
export async function updateDraft(
  tx: Transaction,
  args: UpdateDraft,
): Promise<{ message: MessageNumber; modseq: Modseq; sendAt?: string | undefined }> {
  const { facts } = args.message;
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody, 1);
  const mail = mailOf(write);
  const held = await findDraft(tx, args.agent, args.draft);
  if (held === undefined) throw new WaypostError("not_found", "There is no such draft");
  assertVersion(args.version, held.version, "draft");
  const place = held.entries[0]!;
  const drafts = await mail.mailbox(place.mailbox);
  write.assertRoom(facts.blob.size - place.size, 0);
  const message = await insertAppended(write, args.message, held.message);
  const { keywords } = place;
  const entry = { message, flags: place.flags | draftFlag, keywords, internalDate: args.at };
  mail.addEntry(drafts, { ...entry, size: facts.blob.size }, true);
  for (const replaced of held.entries) mail.removeEntry(drafts, replaced);
  await nameDraft(write, message, {
    keys: facts.draftKeys ?? [],
    former: held,
    options: args.options,
  });
  return { message, modseq: await write.finish(), sendAt: args.sendAt };
}
