/** The author of an arriving mail, as the write that stores it looks it up (`storage/writing/mail/author-facts.ts`). */
import { domainOfAddress } from "#/src/evidence/shown-address.ts";
import { namedAddress } from "#/src/outbound/named-address.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { ArrivingAuthor } from "#/storage/writing/mail/author-facts.ts";

/** undefined for mail without an author. */
export async function arrivingAuthor(
  { fromAddress, fromName, replyTo = [] }: Pick<MessageFacts, "fromAddress" | "fromName" | "replyTo">,
  isAuthenticated: boolean,
): Promise<ArrivingAuthor | undefined> {
  if (domainOfAddress(fromAddress) === undefined) return undefined;
  const from = await namedAddress(fromAddress, fromName);
  const others = await Promise.all(replyTo.map(({ address, name }) => namedAddress(address, name)));
  return { ...from, replyTo: others.filter(({ address }) => address !== from.address), isAuthenticated };
}
