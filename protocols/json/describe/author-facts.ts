/** What was known of the author of a mail, or of the mail that an event came by, when it was received. It is no verdict: nothing is held,
 *  filed or refused by it. Names of contacts, mailboxes and addresses are given where the caller reads them. */
import { z } from "zod";
import type { AuthorFacts, Resemblance } from "#/src/model/author-facts.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { findReached, type ReachedData, reachAgent, reachesScope } from "#/src/reach/agents.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
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
  const likes = all.flatMap(({ resembles = [] }) => resembles);
  const named = [...all, ...likes].map(({ contact }) => contact).filter((one) => one !== undefined);
  const readable = named.length === 0 ? new Set<ItemNumber>() : await readableOf(context, agent, named);
  const needsAll =
    all.some(({ firstSeen }) => firstSeen !== undefined) || likes.some(({ address }) => address);
  const readsAll = needsAll && (await readsWhole(context, agent));
  const contactOf = (item: ItemNumber | undefined) =>
    item !== undefined && readable.has(item) ? { contact: ids.encode("contact", agent, item) } : {};
  const shownLike = async ({ by, contact, mailbox, address }: Resemblance) => ({
    by,
    ...contactOf(contact),
    ...(mailbox !== undefined && (await findReached(context, mailbox)) !== undefined
      ? { mailbox: ids.encode("agent", mailbox) }
      : {}),
    ...(address !== undefined && readsAll ? { address } : {}),
  });
  return async ({ isKnown, firstSeen, contact, resembles = [] }) => ({
    known: isKnown,
    ...(firstSeen !== undefined && readsAll ? { first_seen: isoTime(firstSeen) } : {}),
    ...contactOf(contact),
    ...(resembles.length === 0 ? {} : { resembles: await Promise.all(resembles.map(shownLike)) }),
  });
}

async function readsWhole(context: OperationContext, agent: AgentNumber): Promise<boolean> {
  if (!(await reachesScope(context, agent, "mail:read"))) return false;
  const { objects }: ReachedData = await reachAgent(context, agent, "mail:read");
  return objects.mailbox === "all";
}

async function readableOf(
  context: OperationContext,
  agent: AgentNumber,
  items: readonly ItemNumber[],
): Promise<ReadonlySet<ItemNumber>> {
  const books = (await createCollectionReach(context).list("addressbook", agent)).filter(({ rights }) =>
    rights.has("read"),
  );
  const found = await context.rooms.collections.findItems(agent, [...new Set(items)]);
  return new Set(
    found
      .filter((item) => item !== undefined)
      .filter(({ collection }) => books.some(({ number }) => number === collection))
      .map(({ number }) => number),
  );
}
