/** What was known of the author of a mail, or of the mail that an event came by, when it was received. It is no verdict: nothing is held,
 *  filed or refused by it. Names of contacts, mailboxes and addresses are given where the caller reads them. */
import { z } from "zod";
import type { AuthorFacts, Resemblance } from "#/src/model/author-facts.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { readReferences } from "#/src/reach/references.ts";
import { isoTime } from "#/src/render/iso-time.ts";
import type { OperationContext } from "../operation.ts";

export const authorFacts = z
  .strictObject({
    known: z
      .boolean()
      .describe("Whether this mailbox knows the exact address, and the mail is authenticated as from there."),
    first_seen: z
      .string()
      .optional()
      .describe(
        "When authenticated mail of the exact address first came here; absent of the first one, and for credentials that do not read the whole mailbox.",
      ),
    contact: z.string().optional().describe("The contact with the exact address, contact_…"),
    resembles: z
      .array(
        z.strictObject({
          by: z.enum(["name", "address"]),
          contact: z.string().optional(),
          mailbox: z.string().optional(),
          address: z.string().optional(),
        }),
      )
      .optional()
      .describe(
        "Whom the author may be taken for and is not: name: one of the same name has other addresses; address: one of theirs looks like it.",
      ),
  })
  .meta({ id: "AuthorFacts" });
export type ShownAuthorFacts = z.infer<typeof authorFacts>;

/** A mail, or an event that came by one. */
interface Received {
  readonly agent: AgentNumber;
  readonly provenance: { readonly author?: AuthorFacts; readonly replyTo?: AuthorFacts };
}

export async function authorFactsOf(
  context: OperationContext,
  { agent, provenance: { author, replyTo } }: Received,
): Promise<{ readonly author_facts?: ShownAuthorFacts; readonly reply_to_facts?: ShownAuthorFacts }> {
  const [of, reply] = [author, replyTo].map((facts) => (facts?.mailbox === agent ? facts : undefined));
  if (of === undefined && reply === undefined) return {};
  const show = await createShow(
    context,
    agent,
    [of, reply].filter((facts) => facts !== undefined),
  );
  return {
    ...(of === undefined ? {} : { author_facts: await show(of) }),
    ...(reply === undefined ? {} : { reply_to_facts: await show(reply) }),
  };
}

async function createShow(
  context: OperationContext,
  agent: AgentNumber,
  all: readonly AuthorFacts[],
): Promise<(facts: AuthorFacts) => Promise<ShownAuthorFacts>> {
  const { ids } = context.rooms.mail;
  const { readsAll, readsContact, shown } = await readReferences(context, agent, all);
  const contactOf = (item: ItemNumber | undefined) =>
    readsContact(item) ? { contact: ids.encode("contact", agent, item) } : {};
  const shownLike = async (one: Resemblance) => {
    const { by, contact, mailbox, address } = await shown(one);
    return {
      by,
      ...contactOf(contact),
      ...(mailbox === undefined ? {} : { mailbox: ids.encode("agent", mailbox) }),
      ...(address === undefined ? {} : { address }),
    };
  };
  return async ({ isKnown, firstSeen, contact, resembles = [] }) => ({
    known: isKnown,
    ...(firstSeen !== undefined && readsAll ? { first_seen: isoTime(firstSeen) } : {}),
    ...contactOf(contact),
    ...(resembles.length === 0 ? {} : { resembles: await Promise.all(resembles.map(shownLike)) }),
  });
}
