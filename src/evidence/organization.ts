/** The organization of a domain. It loads only the list of public suffixes, and no library of mail, because each delivery asks. */
import { domainToASCII } from "node:url";

let suffixes: typeof import("tldts") | undefined;

/** Whether a domain has the organizational domain of one of these: relaxed alignment of DMARC (RFC 9989 section 3.2.10.1). */
export async function relatedTo(domains: readonly string[]): Promise<(domain: string) => boolean> {
  // A failure is not kept.
  suffixes ??= await import("tldts");
  const { getDomain } = suffixes;
  const organizationOf = (domain: string): string =>
    nameOf(getDomain(domain, { allowIcannDomains: true, allowPrivateDomains: true }) ?? domain);
  let organizations: Set<string> | undefined;
  const known = new Map<string, boolean>();
  return (domain) => {
    organizations ??= new Set(domains.map(organizationOf).filter((one) => one !== ""));
    let isRelated = known.get(domain);
    if (isRelated === undefined) {
      isRelated = organizations.has(organizationOf(domain));
      known.set(domain, isRelated);
    }
    return isRelated;
  };
}

/** In lower case and A-labels, without the root. */
function nameOf(domain: string): string {
  return domainToASCII(domain.trim()).replace(/\.$/, "");
}
