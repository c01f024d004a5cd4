/** What is known of the author of an arriving mail: whether the mailbox knows the address, and whom it may be taken for.
 *
 *  References are addresses and names that a person has put into the mailbox's contacts. Neither received mail nor cards that an agent or a
 *  program has written are, so nobody makes himself one. Each look-up is one by keys that an index has. */
import { addressKey } from "#/src/accounts/address-key.ts";
import type { AuthorFacts, Resemblance } from "#/src/mail/messages.ts";
import { areLikeDomains, areLikeLocals, domainKeys, nameKey } from "#/src/model/likeness.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { isPublicProvider } from "#/src/outbound/gate/public-providers.ts";
import {
  type AuthorReference,
  listAuthorReferences,
} from "#/storage/queries/collections/author-references.ts";
import { listCorrespondents } from "#/storage/queries/outbound/holds.ts";
import type { Reader } from "#/storage/sql.ts";

export interface ArrivingAuthor {
  readonly address: string;
  readonly name: string;
  readonly isAuthenticated: boolean;
}

const resemblancesMax = 3;

export type Relation = (domain: string) => boolean;

/** `isRelated`: whether a domain belongs to the same organization as the author's. */
export async function readAuthorFacts(
  store: Reader,
  agent: AgentNumber,
  { address: written, name, isAuthenticated }: ArrivingAuthor,
  isRelated: Relation,
): Promise<AuthorFacts | undefined> {
  const address = addressKey(written);
  const at = address.lastIndexOf("@");
  if (at < 1) return undefined;
  const domain = address.slice(at + 1);
  const key = nameKey(name);
  const looked = isPublicProvider(domain) ? [] : domainKeys(domain);
  const asked = [address, domain, ...(key === undefined ? [] : [key]), ...looked];
  const references = await listAuthorReferences(store, agent, asked);
  const own = references.find(({ addresses }) => addresses.includes(address));
  const isWrittenTo = own === undefined && (await listCorrespondents(store, agent, [address])).length > 0;
  const resembles = own === undefined ? resemblances(references, { address, domain, key }, isRelated) : [];
  return {
    mailbox: agent,
    isKnown: isAuthenticated && (own !== undefined || isWrittenTo),
    ...(own === undefined || !isAuthenticated ? {} : { contact: own.item }),
    ...(resembles.length === 0 ? {} : { resembles }),
  };
}

interface Asked {
  readonly address: string;
  readonly domain: string;
  readonly key: string | undefined;
}

function resemblances(
  references: readonly AuthorReference[],
  asked: Asked,
  isRelated: Relation,
): Resemblance[] {
  const found: Resemblance[] = [];
  for (const { item, keys, addresses } of references) {
    if (addresses.some((one) => isLikeAddress(one, asked, isRelated)))
      found.push({ by: "address", contact: item });
    else if (asked.key !== undefined && keys.includes(asked.key)) found.push({ by: "name", contact: item });
    if (found.length === resemblancesMax) break;
  }
  return found;
}

function isLikeAddress(reference: string, { address, domain }: Asked, isRelated: Relation): boolean {
  const at = reference.lastIndexOf("@");
  const other = reference.slice(at + 1);
  if (other === domain)
    return areLikeLocals(address.slice(0, address.lastIndexOf("@")), reference.slice(0, at));
  return !isPublicProvider(domain) && areLikeDomains(domain, other) && !isRelated(other);
}
