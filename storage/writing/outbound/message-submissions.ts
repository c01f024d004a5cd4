/** The connection between a submission and its message in the mailbox. The outcomes of a submission are kept as long as its message. */
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { MessageFacts } from "../../rows.ts";
import { slicesOf } from "../../slices.ts";
import type { Sql } from "../../sql.ts";

/** Characters of a Message-ID that is kept: a line of a header (RFC 5322 section 2.1.1). */
const mailIdCharactersMax = 998;

/** The Message-ID of a message, if it has one that can be kept. */
export function mailIdOf({ referenceIds = "" }: Pick<MessageFacts, "referenceIds">): string | undefined {
  const [id = ""] = referenceIds.split(" ", 1);
  return id === "" || id.length > mailIdCharactersMax ? undefined : id;
}

/** Connects a message that the owner stores with the submission of the same Message-ID that has no copy yet. */
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

/** Deletes finished submissions of messages that were deleted. */
export async function releaseSubmissions(
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
