/** What is known of the author of an arriving mail: whether the mailbox knows the address, since when, and whom it may be taken for.
 *
 *  References are addresses and names that a person has put into the mailbox's contacts, mailboxes of its account, and addresses that a
 *  person has written to from it. Neither received mail nor cards and mail that an agent or a program has written are, so nobody makes
 *  himself one. Each look-up is one by keys that an index has. */
import type { AuthorFacts, Resemblance } from "#/src/model/author-facts.ts";
import { areLikeDomains, areLikeLocals, domainKeys, localKeys, nameKeys } from "#/src/model/likeness.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import type { Reader } from "../../sql.ts";
import {
  type ExactAuthor,
  findAuthor,
  findOwnerOf,
  type KeyedReference,
  listLikeAuthors,
  type MailboxName,
} from "./authors.ts";

export interface NamedAddress {
  /** With its domain in A-labels, in lower case. */
  readonly address: string;
  readonly name: string;
  /** The organizational domain of its domain; undefined for a public provider, where anybody has an address. */
  readonly organization: string | undefined;
}

export interface ArrivingAuthor extends NamedAddress {
  /** Addresses of Reply-To that lead elsewhere. */
  readonly replyTo: readonly NamedAddress[];
  readonly isAuthenticated: boolean;
}

export interface ReadFacts {
  readonly author: AuthorFacts | undefined;
  /** Of a Reply-To that leads elsewhere. */
  readonly replyTo: AuthorFacts | undefined;
  /** Authenticated mail of the author has not come here before. */
  readonly isNew: boolean;
}

const resemblancesMax = 3;

export async function readAuthorFacts(
  reader: Reader,
  mailbox: MailboxName,
  { replyTo, isAuthenticated, ...from }: ArrivingAuthor,
): Promise<ReadFacts> {
  const author = await readFacts(reader, mailbox, from, isAuthenticated);
  const others: AuthorFacts[] = [];
  for (const other of replyTo) {
    const facts = await readFacts(reader, mailbox, other, isAuthenticated);
    if (facts !== undefined) others.push(facts);
  }
  const isNew = isAuthenticated && author !== undefined && author.firstSeen === undefined;
  return { author, replyTo: together(others), isNew };
}

async function readFacts(
  reader: Reader,
  mailbox: MailboxName,
  named: NamedAddress,
  isAuthenticated: boolean,
): Promise<AuthorFacts | undefined> {
  const { address } = named;
  const at = address.lastIndexOf("@");
  if (at < 1 || at === address.length - 1) return undefined;
  const known = await findAuthor(reader, mailbox, address, named.organization);
  const { contact, owner, isWrittenTo, firstSeen } = known;
  const isReference = contact !== undefined || owner !== undefined || isWrittenTo;
  const resembles = isReference ? [] : await resemblances(reader, mailbox, named, known);
  return {
    mailbox: mailbox.agent,
    isKnown: isAuthenticated && isReference,
    // Somebody who writes in another's name is not known for as long as that one.
    ...(isAuthenticated && firstSeen !== undefined ? { firstSeen } : {}),
    ...(isAuthenticated && contact !== undefined ? { contact } : {}),
    ...(resembles.length === 0 ? {} : { resembles }),
  };
}

async function resemblances(
  reader: Reader,
  mailbox: MailboxName,
  { address, name, organization }: NamedAddress,
  { isOfKnownDomain, hasReferences }: ExactAuthor,
): Promise<Resemblance[]> {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const named = nameKeys(name);
  // Who writes from a domain of a reference may be taken for another one of it, and not for one of a domain like it.
  const isDomainAsked = !isOfKnownDomain && organization !== undefined;
  // Who has a domain that looks like another one writes from below it, too.
  const asked = isDomainAsked ? [...new Set([domain, organization])] : [];
  // Where nobody of the domain is known, nobody there is like the author.
  const locals = isOfKnownDomain ? localKeys(address) : [];
  if (named.length + locals.length === 0 && !isDomainAsked) return [];
  // Most mailboxes have none, and the keys of a domain take a fiftieth of the writer's time for a mail.
  const keys = hasReferences ? [...named, ...asked.flatMap((one) => domainKeys(one))] : [];
  const near = hasReferences ? ((await reader.nearKeys?.(mailbox.agent, keys)) ?? keys) : [];
  const { references, domains } = await listLikeAuthors(reader, mailbox, {
    cards: [...near, ...locals],
    mailboxes: [...named, ...locals],
    // They have no name.
    written: [...near.filter((key) => !named.includes(key)), ...locals],
  });
  const isLikeDomain = (other: string): boolean =>
    asked.some((one) => areLikeDomains(one, other)) &&
    other !== organization &&
    !other.endsWith(`.${organization}`);
  const isLike = (reference: string): boolean => {
    const at = reference.lastIndexOf("@");
    const other = reference.slice(at + 1);
    if (other === domain) return areLikeLocals(address.slice(0, -domain.length - 1), reference.slice(0, at));
    return isDomainAsked && isLikeDomain(other);
  };
  const found: Resemblance[] = [];
  for (const reference of references)
    if (reference.addresses.some(isLike)) found.push({ by: "address", ...idOf(reference) });
    else if (reference.keys.some((key) => named.includes(key)))
      found.push({ by: "name", ...idOf(reference) });
  if (isDomainAsked)
    for (const own of domains)
      if (isLikeDomain(own)) {
        const owner = await findOwnerOf(reader, mailbox.account, address.replace(/@.*/s, `@${own}`));
        found.push({ by: "address", ...(owner === undefined ? {} : { mailbox: owner }) });
      }
  return distinct(found);
}

function idOf({ kind, id, addresses }: KeyedReference): Omit<Resemblance, "by"> {
  if (kind === "contact") return { contact: id as ItemNumber };
  return kind === "mailbox" ? { mailbox: id as AgentNumber } : { address: addresses[0]! };
}

function distinct(found: readonly Resemblance[]): Resemblance[] {
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()].slice(0, resemblancesMax);
}

/** Of several addresses: known if all are. */
function together(all: readonly AuthorFacts[]): AuthorFacts | undefined {
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  const resembles = distinct(all.flatMap((one) => one.resembles ?? []));
  return {
    mailbox: first.mailbox,
    isKnown: all.every(({ isKnown }) => isKnown),
    ...(resembles.length === 0 ? {} : { resembles }),
  };
}
