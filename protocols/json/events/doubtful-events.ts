/** The filter `doubtful` of `wait` and `watch`: only events of messages whose body has text that may be invisible to a person, or
 *  only events of the others. It follows from the bytes of a message, which do not change, so it is computed once. A deleted message
 *  counts as having no doubtful text. */
import type { MailEvent } from "#/src/feed/events.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { renderBody } from "#/src/render/body-text.ts";

/** How many messages are remembered. */
const rememberedMax = 10_000;
const remembered = new WeakMap<Mail, Map<string, boolean>>();

export async function filterDoubtful(
  mail: Mail,
  events: readonly MailEvent[],
  isWanted: boolean,
): Promise<MailEvent[]> {
  const kept: MailEvent[] = [];
  for (const event of events)
    if (event.message !== undefined && (await isDoubtful(mail, event.message)) === isWanted) kept.push(event);
  return kept;
}

async function isDoubtful(mail: Mail, id: string): Promise<boolean> {
  const known = remembered.get(mail) ?? new Map<string, boolean>();
  remembered.set(mail, known);
  const found = known.get(id) ?? (await examine(mail, id));
  if (known.size >= rememberedMax) known.clear();
  known.set(id, found);
  return found;
}

async function examine(mail: Mail, id: string): Promise<boolean> {
  const name = mail.ids.decode(id);
  if (name?.kind !== "message") return false;
  const message = await mail.findMessage(name.agent as AgentNumber, name.object as MessageNumber);
  if (message === undefined) return false;
  const { removed } = await renderBody(
    { mail, readers: mail.readers },
    message,
    await mail.readStructure(message),
  );
  return removed.some(({ what }) => what === "doubtful");
}
