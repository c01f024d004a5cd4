/** The author of an arriving mail, as the write that stores it looks it up (`storage/writing/mail/author-facts.ts`). */
import { addressKey } from "#/src/accounts/address-key.ts";
import { organizationOf } from "#/src/evidence/organization.ts";
import { domainOfAddress } from "#/src/evidence/shown-address.ts";
import { isPublicProvider } from "#/src/outbound/gate/public-providers.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { ArrivingAuthor, NamedAddress } from "#/storage/writing/mail/author-facts.ts";

/** undefined for mail without an author. */
export async function arrivingAuthor(
  { fromAddress, fromName, replyTo = [] }: Pick<MessageFacts, "fromAddress" | "fromName" | "replyTo">,
  isAuthenticated: boolean,
): Promise<ArrivingAuthor | undefined> {
  if (domainOfAddress(fromAddress) === undefined) return undefined;
  const from = await named(fromAddress, fromName);
  const others = await Promise.all(replyTo.map(({ address, name }) => named(address, name)));
  return { ...from, replyTo: others.filter(({ address }) => address !== from.address), isAuthenticated };
}

async function named(written: string, name: string): Promise<NamedAddress> {
  const address = addressKey(written);
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return { address, name, organization: isPublicProvider(domain) ? undefined : await organizationOf(domain) };
}
