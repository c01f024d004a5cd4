/** Domains where anybody can get a mailbox: mail to one address there proves nothing about another. The list is that of
 *  `email-providers`, with the few domains that it lacks. */
import listed from "email-providers/all.json" with { type: "json" };

const added = ["fastmail.com", "fastmail.fm", "posteo.de", "tutanota.com", "tuta.com", "tutamail.com"];
/** Left out of the list: RFC 2606 section 3 reserves them for documents. */
const reserved = ["example.com", "example.net", "example.org"];

const domains: ReadonlySet<string> = new Set([...(listed as readonly string[]), ...added]).difference(
  new Set(reserved),
);

/** `domain`: in A-labels and lower case. */
export function isPublicProvider(domain: string): boolean {
  return domains.has(domain);
}
