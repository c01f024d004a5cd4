/** How pages name a mail and a person. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Hold } from "#/src/outbound/holds/holds.ts";
import { cleanLine } from "#/src/render/clean-text.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import type { SignedVisit } from "../visit.ts";

const subjectMax = 200;

export async function subjectOf({ rooms, words }: SignedVisit, hold: Hold): Promise<string> {
  const message = await rooms.mail.findMessage(hold.agent, hold.message);
  return (
    cleanLine(message?.subject ?? "", "subject", createRemovalTally(), subjectMax) || words.list.noSubject
  );
}

/** Who decided. `by`: after "by". undefined: nobody, as when a mail expires. */
export async function personName(
  { rooms, words, session }: SignedVisit,
  agent: AgentNumber | 0 | null,
  form: "first" | "by",
): Promise<string | undefined> {
  const w = words.decided;
  if (agent === null) return undefined;
  if (agent === 0) return form === "by" ? w.byOperator : w.somebody;
  if (agent === session.principal.agent) return form === "by" ? w.byYou : w.you;
  const facts = await rooms.accounts.findAgentFacts(agent);
  return facts?.name ?? "?";
}
