/** What ties what left to its message in the mailbox: what became of it is kept as long as that message. */
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { MessageFacts } from "../rows.ts";
import { slicesOf } from "../slices.ts";
import type { Sql } from "../sql.ts";

/** A line of a header (RFC 5322 section 2.1.1). */
const mailIdCharactersMax = 998;

/** The Message-ID of a message, if it has one that it can be known by. */
export function mailIdOf({ referenceIds = "" }: Pick<MessageFacts, "referenceIds">): string | undefined {
  const [id = ""] = referenceIds.split(" ", 1);
  return id === "" || id.length > mailIdCharactersMax ? undefined : id;
}

/** A message that the owner stores is the copy of what left under its Message-ID and has none yet. */
export async function adoptSubmission(
  tx: Sql,
  agent: AgentNumber,
  message: MessageNumber,
  facts: MessageFacts,
): Promise<void> {
  const mailId = mailIdOf(facts);
  if (mailId === undefined) return;
  await tx.run(
    `update submission
    set message_id = ?, mail_id = null
    where agent_id = ? and mail_id = ?`,
    message,
    agent,
    mailId,
  );
}

/** Messages have gone: what left long ago is no longer kept for them. */
export async function forgetFates(
  tx: Sql,
  agent: AgentNumber,
  messages: readonly MessageNumber[],
): Promise<void> {
  for (const { condition, parameters } of slicesOf(numberSetOf(messages), "message_id"))
    await tx.run(
      `update submission set kept = 0 where agent_id = ? and ${condition} and kept = 1`,
      agent,
      ...parameters,
    );
}
