/** What is known of the author of an arriving mail: whether the mailbox knows the address, since when, and whom it may be taken for.
 *
 *  References are addresses and names that a person has put into the mailbox's contacts, mailboxes of its account, and addresses that a
 *  person has written to from it. Neither received mail nor cards and mail that an agent or a program has written are, so nobody makes
 *  himself one. Each look-up is one by keys that an index has. */
import { addressKey } from "#/src/accounts/address-key.ts";
import { relatedTo } from "#/src/evidence/organization.ts";
import type { AuthorFacts, Resemblance } from "#/src/model/author-facts.ts";
import { areLikeDomains, areLikeLocals, domainKeys, localKeys, nameKey } from "#/src/model/likeness.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { isPublicProvider } from "#/src/outbound/gate/public-providers.ts";
import {
  findAuthor,
  findOwnerOf,
  type KeyedReference,
  listLikeAuthors,
  type MailboxName,
} from "#/storage/queries/mail/authors.ts";
import type { Reader } from "#/storage/sql.ts";

export interface NamedAddress {
  readonly address: string;
  readonly name: string;
}

export interface ArrivingAuthor extends NamedAddress {
  /** Addresses of Reply-To. */
  readonly replyTo: readonly NamedAddress[];
  readonly isAuthenticated: boolean;
}

export interface ReadFacts {
  readonly author: AuthorFacts | undefined;
  /** Of a Reply-To that leads elsewhere. */
  readonly replyTo: AuthorFacts | undefined;
  /** The author's address, if authenticated mail of it has not come here before. */
  readonly newAuthor: string | undefined;
}

const resemblancesMax = 3;

export async function readAuthorFacts(
  store: Reader,
  mailbox: MailboxName,
  { replyTo, isAuthenticated, ...from }: ArrivingAuthor,
): Promise<ReadFacts> {
  const author = await readFacts(store, mailbox, from, isAuthenticated);
  const address = addressKey(from.address);
  const others: AuthorFacts[] = [];
  for (const other of replyTo) {
    if (addressKey(other.address) === address) continue;
    const facts = await readFacts(store, mailbox, other, isAuthenticated);
    if (facts !== undefined) others.push(facts);
  }
  const isNew = isAuthenticated && author !== undefined && author.firstSeen === undefined;
  return { author, replyTo: together(others), newAuthor: isNew ? address : undefined };
}

async function readFacts(
  store: Reader,
  mailbox: MailboxName,
  { address: written, name }: NamedAddress,
  isAuthenticated: boolean,
): Promise<AuthorFacts | undefined> {
  const address = addressKey(written);
  const at = address.lastIndexOf("@");
  if (at < 1 || at === address.length - 1) return undefined;
  const known = await findAuthor(store, mailbox, address);
  const { contact, owner, isWrittenTo, firstSeen } = known;
  const isReference = contact !== undefined || owner !== undefined || isWrittenTo;
  const resembles = isReference ? [] : await resemblances(store, mailbox, { address, name, ...known });
  return {
    mailbox: mailbox.agent,
    isKnown: isAuthenticated && isReference,
    // Somebody who writes in another's name is not known for as long as that one.
    ...(isAuthenticated && firstSeen !== undefined ? { firstSeen } : {}),
    ...(isAuthenticated && contact !== undefined ? { contact } : {}),
    ...(resembles.length === 0 ? {} : { resembles }),
  };
}

interface Asked {
  readonly address: string;
  readonly name: string;
  readonly isOfKnownDomain: boolean;
}

async function resemblances(
  store: Reader,
  mailbox: MailboxName,
  { address, name, isOfKnownDomain }: Asked,
): Promise<Resemblance[]> {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const key = nameKey(name);
  // Who writes from a domain of a reference may be taken for another one of it, and not for one of a domain like it.
  const isDomainAsked = !isOfKnownDomain && !isPublicProvider(domain);
  const keys = [
    ...(key === undefined ? [] : [key]),
    ...localKeys(address),
    ...(isDomainAsked ? domainKeys(domain) : []),
  ];
  if (keys.length === 0) return [];
  const { references, domains } = await listLikeAuthors(store, mailbox, keys);
  const isRelated = isDomainAsked ? await relatedTo([domain]) : () => true;
  const isLike = (reference: string): boolean => {
    const at = reference.lastIndexOf("@");
    const other = reference.slice(at + 1);
    if (other === domain) return areLikeLocals(address.slice(0, -domain.length - 1), reference.slice(0, at));
    return isDomainAsked && areLikeDomains(domain, other) && !isRelated(other);
  };
  const found: Resemblance[] = [];
  for (const reference of references)
    if (reference.addresses.some(isLike)) found.push({ by: "address", ...idOf(reference) });
    else if (key !== undefined && reference.keys.includes(key))
      found.push({ by: "name", ...idOf(reference) });
  if (isDomainAsked)
    for (const own of domains)
      if (areLikeDomains(domain, own) && !isRelated(own)) {
        const named = address.replace(/@.*/s, `@${own}`);
        const owner = await findOwnerOf(store, mailbox.account, named);
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
