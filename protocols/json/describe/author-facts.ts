/** What was known of a mail's author when it was received. Names of contacts are given where the caller reads them. It is no verdict:
 *  nothing is held, filed or refused by it. */
import { z } from "zod";
import type { Message } from "#/src/mail/messages.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
import type { OperationContext } from "../operation.ts";

export const authorFacts = z
  .strictObject({
    known: z
      .boolean()
      .describe("Whether this mailbox knows the exact address, and the mail is authenticated as from there."),
    contact: z.string().optional().describe("The contact with the exact address, contact_…"),
    resembles: z
      .array(z.strictObject({ by: z.enum(["name", "address"]), contact: z.string().optional() }))
      .optional()
      .describe(
        "Whom the author may be taken for and is not: name: a contact of the same name has other addresses; address: one of a contact looks like it.",
      ),
  })
  .meta({ id: "AuthorFacts" });
export type ShownAuthorFacts = z.infer<typeof authorFacts>;

export async function authorFactsOf(
  context: OperationContext,
  { agent, provenance: { author } }: Message,
): Promise<{ readonly author_facts?: ShownAuthorFacts }> {
  if (author === undefined || author.mailbox !== agent) return {};
  const { contact, resembles = [] } = author;
  const named = [contact, ...resembles.map((one) => one.contact)].filter((one) => one !== undefined);
  const readable = named.length === 0 ? new Set<ItemNumber>() : await readableOf(context, agent, named);
  const idOf = (item: ItemNumber | undefined) =>
    item === undefined || !readable.has(item)
      ? {}
      : { contact: context.rooms.collections.ids.encode("contact", agent, item) };
  return {
    author_facts: {
      known: author.isKnown,
      ...idOf(contact),
      ...(resembles.length === 0
        ? {}
        : { resembles: resembles.map((one) => ({ by: one.by, ...idOf(one.contact) })) }),
    },
  };
}

async function readableOf(
  context: OperationContext,
  agent: Message["agent"],
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
