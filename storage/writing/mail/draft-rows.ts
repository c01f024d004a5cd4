/** Rows of `draft` and `draft_key`: which message a draft is, and by what it is known when it is stored again. */
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { findDraft, type HeldDraft } from "../../queries/mail/drafts.ts";
import { insertion } from "../../schema/insertion.ts";
import { slicesOf } from "../../slices.ts";
import { paddedList, placesFor, type Sql } from "../../sql.ts";
import type { AgentTransaction } from "../agent-transaction.ts";

/** Says which draft a message in Drafts is: the one of which it is a new version, or else a new one. */
export async function nameDraft(
  write: AgentTransaction,
  message: MessageNumber,
  drafted: {
    readonly keys: readonly Uint8Array[];
    readonly former: HeldDraft | undefined;
    /** As JSON; absent: those of the former version. */
    readonly options?: string | undefined;
  },
): Promise<number> {
  const { tx, agent } = write;
  const draft = drafted.former?.draft ?? message;
  const options = drafted.options ?? drafted.former?.options ?? "{}";
  await tx.run(
    ...insertion(
      "draft",
      {
        agent_id: agent,
        draft_id: draft,
        message_id: message,
        modseq: write.modseq,
        options,
        created_at: write.at,
      },
      `on conflict (agent_id, draft_id) do update
      set message_id = excluded.message_id, modseq = excluded.modseq, options = excluded.options`,
    ),
  );
  if (drafted.keys.length > 0)
    await tx.run(
      ...insertion(
        "draft_key",
        drafted.keys.map((key) => ({ agent_id: agent, key, draft_id: draft })),
        "on conflict (agent_id, key) do update set draft_id = excluded.draft_id",
      ),
    );
  return draft;
}

/** The draft that has one of the keys of a message. */
export async function findDraftOfKeys(
  tx: Sql,
  agent: AgentNumber,
  keys: readonly Uint8Array[],
): Promise<HeldDraft | undefined> {
  if (keys.length === 0) return undefined;
  const padded = paddedList(keys);
  const rows = await tx.all<{ draft: number }>(
    `select distinct draft_id as draft
    from draft_key
    where agent_id = ? and key in (${placesFor(padded)})
    order by draft_id`,
    agent,
    ...padded,
  );
  for (const { draft } of rows) {
    const held = await findDraft(tx, agent, draft);
    if (held !== undefined) return held;
  }
  return undefined;
}

/** Deletes the drafts of deleted messages. */
export async function forgetDrafts(
  tx: Sql,
  agent: AgentNumber,
  messages: readonly MessageNumber[],
): Promise<void> {
  for (const { condition, parameters } of slicesOf(numberSetOf(messages), "message_id")) {
    const gone = await tx.all<{ draft: number }>(
      `delete from draft where agent_id = ? and ${condition} returning draft_id as draft`,
      agent,
      ...parameters,
    );
    for (const slice of slicesOf(numberSetOf(gone.map(({ draft }) => draft)), "draft_id"))
      await tx.run(
        `delete from draft_key where agent_id = ? and ${slice.condition}`,
        agent,
        ...slice.parameters,
      );
  }
}
