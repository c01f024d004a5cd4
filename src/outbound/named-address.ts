/** An address with the name beside it, as it is compared with those that a mailbox knows (`storage/writing/mail/author-facts.ts`). */
import { addressKey } from "#/src/accounts/address-key.ts";
import { organizationOf } from "#/src/evidence/organization.ts";
import type { NamedAddress } from "#/storage/writing/mail/author-facts.ts";
import { isPublicProvider } from "./gate/public-providers.ts";

export async function namedAddress(written: string, name: string): Promise<NamedAddress> {
  const address = addressKey(written);
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return { address, name, organization: isPublicProvider(domain) ? undefined : await organizationOf(domain) };
}
