/** Whom an author or a recipient may be taken for, as far as a login may know it: contacts that it reads, mailboxes that it reaches, and
 *  addresses that were written to where it reads the whole mailbox. */
import type { Collections } from "#/src/collections/collections.ts";
import type { AuthorFacts, Resemblance } from "#/src/model/author-facts.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { findReached, reachAgent, reachesScope } from "./agents.ts";
import { type AskedOfCollections, createCollectionReach } from "./collection-reach.ts";

export interface AskedOfReferences extends AskedOfCollections {
  readonly rooms: AskedOfCollections["rooms"] & { readonly collections: Pick<Collections, "findItems"> };
}

export interface ReadReferences {
  /** Whether the login reads the whole mailbox. It is asked only where one of the facts needs it. */
  readonly readsAll: boolean;
  readsContact(contact: ItemNumber | undefined): contact is ItemNumber;
  /** Without what the login may not know. */
  shown(resemblance: Resemblance): Promise<Resemblance>;
}

export async function readReferences(
  asked: AskedOfReferences,
  agent: AgentNumber,
  all: readonly Pick<AuthorFacts, "contact" | "firstSeen" | "resembles">[],
): Promise<ReadReferences> {
  const likes = all.flatMap(({ resembles = [] }) => resembles);
  const named = [...all, ...likes].map(({ contact }) => contact).filter((one) => one !== undefined);
  const readable = named.length === 0 ? new Set<ItemNumber>() : await readableOf(asked, agent, named);
  const needsAll =
    all.some(({ firstSeen }) => firstSeen !== undefined) || likes.some(({ address }) => address);
  const readsAll = needsAll && (await readsWhole(asked, agent));
  const readsContact = (contact: ItemNumber | undefined): contact is ItemNumber =>
    contact !== undefined && readable.has(contact);
  return {
    readsAll,
    readsContact,
    async shown({ by, contact, mailbox, address }) {
      return {
        by,
        ...(readsContact(contact) ? { contact } : {}),
        ...(mailbox !== undefined && (await findReached(asked, mailbox)) !== undefined ? { mailbox } : {}),
        ...(address !== undefined && readsAll ? { address } : {}),
      };
    },
  };
}

async function readsWhole(asked: AskedOfReferences, agent: AgentNumber): Promise<boolean> {
  if (!(await reachesScope(asked, agent, "mail:read"))) return false;
  const { objects } = await reachAgent(asked, agent, "mail:read");
  return objects.mailbox === "all";
}

async function readableOf(
  asked: AskedOfReferences,
  agent: AgentNumber,
  items: readonly ItemNumber[],
): Promise<ReadonlySet<ItemNumber>> {
  const books = (await createCollectionReach(asked).list("addressbook", agent)).filter(({ rights }) =>
    rights.has("read"),
  );
  const found = await asked.rooms.collections.findItems(agent, [...new Set(items)]);
  return new Set(
    found
      .filter((item) => item !== undefined)
      .filter(({ collection }) => books.some(({ number }) => number === collection))
      .map(({ number }) => number),
  );
}
